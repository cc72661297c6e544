/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * follow.h - whose data go by: from blocks of the stem, as they are written, to parts of files
 *
 * For drains, which get blocks in the order of the plan.
 */
#ifndef BFO_MOVE_FOLLOW_H
#define BFO_MOVE_FOLLOW_H

#include "plan/runs.h"

struct bfo_follow {
	const struct bfo_plan *plan;
	size_t stem;			/* the run of it where the last blocks were */
	size_t item;			/* position in plan->order */
	int begun;			/* its walk is open, */
	struct bfo_run_walk walk;
	struct bfo_run run;		/* and this is the run that it has come to */
	int is_over;			/* it has no further run */
};

/* Blocks of one file that lie one behind the other. */
struct bfo_followed {
	uint32_t blocks;		/* how many, at least one */
	size_t item;			/* position in plan->order; SIZE_MAX: they are of no file */
	uint64_t lblk;			/* the first of them, in blocks of the target */
};

static inline void bfo_follow_begin(struct bfo_follow *f, const struct bfo_plan *plan)
{
	*f = (struct bfo_follow) { .plan = plan };
}

/*
 * What the first of LEN blocks from target block BLK on belong to.  Blocks come as the stem has
 * them, each once; some may be left out.
 */
struct bfo_followed bfo_follow(struct bfo_follow *f, uint64_t blk, uint32_t len);

#endif
