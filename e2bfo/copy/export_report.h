/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_report.h - what a copy to a directory or an archive tells besides
 *
 * Of a copy to a volume, all of these say nothing but what was not wanted.
 */
#ifndef E2BFO_COPY_EXPORT_REPORT_H
#define E2BFO_COPY_EXPORT_REPORT_H

#include "cli/json.h"
#include "job/copy.h"

/* True if something was not kept that such a target can hold. */
int export_loses(const struct bfo_copy *copy);

/* What was not kept, to standard error: a line a kind. */
void export_warn(const struct bfo_copy *copy);

/* What was not kept, or was not wanted, to standard output: a line a kind. */
void export_print_notes(const struct bfo_copy *copy);

/* The rest, to standard output. */
void export_print(const struct bfo_copy *copy);
void export_json(struct json *j, const struct bfo_copy *copy);

/* So many names lead to what was copied, or is to be; of any target that has names. */
void export_print_replaced(const struct bfo_copy *copy, uint64_t names);

#endif
