/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order_report.h - what is told of --order
 */
#ifndef E2BFO_COPY_ORDER_REPORT_H
#define E2BFO_COPY_ORDER_REPORT_H

#include "cli/json.h"
#include "job/copy.h"

/* For people: a line per policy, and, if GROUPS, the groups; ALL: really all of each. */
void order_print(const struct bfo_copy *c, int groups, int all);

/* The array "order"; with GROUPS also what is in them. */
void order_json(struct json *j, const struct bfo_copy *c, int groups);

#endif
