/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order_report.h - what is told of files that were put next to each other
 */
#ifndef E2BFO_ORDER_REPORT_H
#define E2BFO_ORDER_REPORT_H

#include "cli/json.h"
#include "job/copy.h"

/* For people: a line per policy, and, if GROUPS, the groups; ALL: really all of each. */
void order_print(const struct bfo_copy *c, int groups, int all);

/* For people, to standard error: a line per policy. */
void order_note(const struct bfo_copy *c);

/* The array "order"; with GROUPS also what is in them. */
void order_json(struct json *j, const struct bfo_copy *c, int groups);

#endif
