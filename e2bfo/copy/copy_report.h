/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy_report.h - what a copy tells people and scripts
 */
#ifndef E2BFO_COPY_COPY_REPORT_H
#define E2BFO_COPY_COPY_REPORT_H

#include "boot.h"
#include "commit/commit.h"
#include "lists.h"
#include "copy_options.h"
#include "order.h"
#include "plan/plan.h"

struct report {
	const char *command;
	const struct copy_options *opt;
	const struct bfo_plan *plan;		/* NULL if it did not come to one */
	const struct bfo_volume *source, *target;
	const struct bfo_tree *tree;		/* the source's */
	int placed;				/* the plan is complete */
	const struct bfo_commit_stats *stats;	/* NULL if nothing was to be written */
	const struct order *order;
	const struct boot *boot;
	const struct lists *lists;
	double seconds;
	uint64_t indexed;			/* directories whose index was built */
	uint64_t resumed;			/* bytes that were there already */
	uint64_t smallest;			/* --dry-run: bytes of the smallest target, or 0 */
	enum bfo_fate fate;			/* what TARGET is after a failure */
	int formatted;				/* TARGET was formatted before */
	int tell_fate;				/* the fate is worth saying */
	const char *kept;			/* has what was copied, as TARGET was not made */
	enum bfo_fate kept_fate;
	const char *named;			/* resume: what TARGET was called before; or NULL */
	int written;				/* all is done */
	int status;				/* exit status */
	errcode_t err;				/* why it failed */
	const char *what;			/* what was being done when it failed */
};

/* Names that exist already, to standard error: ten of them, unless ALL. */
void report_clashes(const struct bfo_plan *plan, int all);

/* The end of the operation: findings to standard error, the rest to standard output. */
void report_print(const struct report *r);

#endif
