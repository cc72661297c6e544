/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * follow.h - whose data go by: from blocks of the stem, as they are written, to parts of files
 *
 * For drains, which get blocks in the order of the plan.
 */
#ifndef BFO_MOVE_FOLLOW_H
#define BFO_MOVE_FOLLOW_H

#include "plan/runs.h"

/* In a drain that is packed, what is short begins at a multiple of so many bytes. */
#define BFO_PACK_BYTES 64

/*
 * Bytes that BLOCKS of REC, from its block LBLK on, take in a drain that is packed: they are all
 * whole, but for the one in which its data end.
 */
uint64_t bfo_packed_bytes(const struct bfo_plan *plan, const struct bfo_inode *rec, uint64_t lblk,
			  uint32_t blocks);

struct bfo_follow {
	const struct bfo_plan *plan;
	int is_packed;			/* so the drain is */
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
	uint64_t bytes;			/* that they take */
};

static inline void bfo_follow_begin(struct bfo_follow *f, const struct bfo_plan *plan,
				    int is_packed)
{
	*f = (struct bfo_follow) { .plan = plan, .is_packed = is_packed };
}

/*
 * What the first of LEN blocks from target block BLK on belong to.  Blocks come as the stem has
 * them, each once; some may be left out.
 */
struct bfo_followed bfo_follow(struct bfo_follow *f, uint64_t blk, uint32_t len);

#endif
