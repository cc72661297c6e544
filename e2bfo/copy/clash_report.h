/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clash_report.h - which names of the target are in the way of a copy
 */
#ifndef E2BFO_COPY_CLASH_REPORT_H
#define E2BFO_COPY_CLASH_REPORT_H

#include "cli/json.h"
#include "job/copy.h"

/* To standard error: ten of them, unless ALL. */
void clash_tell(const struct bfo_copy *copy, int all);

/* All of them, with their kinds, but for an archive, which has none. */
void clash_json(struct json *j, const struct bfo_copy *copy);

#endif
