/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order.h - --order: what comes before the rest
 *
 *   order.c         the policies, by turns; times
 *   order_trace.c   trace:FILE  ── lines ── paths ── frequent sequences ── groups
 *   order_refs.c    refs        ── contents ── references ── groups
 *   order_report.c  what is told of it
 */
#ifndef E2BFO_COPY_ORDER_H
#define E2BFO_COPY_ORDER_H

#include <stdio.h>

#include "cli/json.h"
#include "mine/groups.h"
#include "order_options.h"
#include "plan/sequence.h"

struct copy;
struct lists;

/* Zeroed: nothing was asked for. */
struct order {
	struct bfo_sequence sequence;	/* what was taken, group by group; policies are ours */
	int is_made;
	uint64_t missing[ORDER_POLICIES];	/* paths that lead to no file that is copied */
	FILE *trace;
};

/* Opens the trace, so that a wrong name is told before anything is read. */
errcode_t order_open(struct copy *c);

/* Changes the plan's order, which must be settled, as the options say. */
errcode_t order_choose(struct copy *c);
void order_free(struct order *o);

/* Parts of order_choose(). */
errcode_t order_by_trace(struct copy *c);
errcode_t order_by_refs(struct copy *c);
errcode_t order_take_groups(struct copy *c, enum order_policy policy, const struct bfo_groups *g);

/* For people: a line per policy, and, if GROUPS, the groups; ALL: really all of each. */
void order_print(const struct order *o, const struct order_options *opt, int groups, int all);

/* The array "order"; with GROUPS also what is in them. */
void order_json(struct json *j, const struct order *o, const struct order_options *opt,
		const struct lists *lists, int groups);

#endif
