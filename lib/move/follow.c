// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * follow.c - whose data go by
 *
 * Blocks on the target, their places in the stem, the items there and the runs of each: all of them
 * ascend, so one walk beside the data finds everything.
 */
#include <assert.h>

#include "move/follow.h"
#include "tree/access.h"

uint64_t bfo_packed_bytes(const struct bfo_plan *plan, const struct bfo_inode *rec, uint64_t lblk,
			  uint32_t blocks)
{
	uint64_t bs = plan->target->block_size, whole = blocks * bs, from = lblk * bs;
	uint64_t end = bfo_runs_data_end(plan, rec), bytes = end > from ? end - from : 0;

	if (bytes >= whole)
		return whole;
	return (bytes + BFO_PACK_BYTES - 1) / BFO_PACK_BYTES * BFO_PACK_BYTES;
}

/* The place in the stem of target block BLK; *LEN is cut to what is contiguous there. */
static uint64_t place_of(struct bfo_follow *f, uint64_t blk, uint32_t *len)
{
	const struct bfo_stem_run *run = &f->plan->stem.v[f->stem];

	while (blk < run->blk || blk - run->blk >= run->len) {
		f->stem++;
		assert(f->stem < f->plan->stem.n);
		run++;
	}
	if (*len > run->blk + run->len - blk)
		*len = run->blk + run->len - blk;
	return run->at + (blk - run->blk);
}

/* Moves to the last item that begins at or before place AT. */
static void find_item(struct bfo_follow *f, uint64_t at)
{
	const struct bfo_plan *plan = f->plan;

	while (f->item + 1 < plan->order.n && bfo_plan_item(plan, f->item + 1)->stem <= at) {
		f->item++;
		f->begun = 0;
	}
	if (f->begun)
		return;
	bfo_runs_begin(&f->walk, plan, bfo_plan_item(plan, f->item));
	f->begun = 1;
	f->is_over = !bfo_runs_next(&f->walk, &f->run);
}

/* Whether a run of REC can hold what is written at place AT, which is behind its first block. */
static int is_behind(const struct bfo_follow *f, const struct bfo_inode *rec, uint64_t at)
{
	return f->run.kept || rec->stem + f->run.at + f->run.len <= at;
}

struct bfo_followed bfo_follow(struct bfo_follow *f, uint64_t blk, uint32_t len)
{
	uint64_t at = place_of(f, blk, &len), first, end, bs = f->plan->target->block_size;
	const struct bfo_inode *rec;
	struct bfo_followed got;

	find_item(f, at);
	rec = &f->plan->tree->inodes.v[f->plan->order.v[f->item]];
	while (!f->is_over && is_behind(f, rec, at))
		f->is_over = !bfo_runs_next(&f->walk, &f->run);
	first = rec->stem + f->run.at;
	if (S_ISDIR(rec->mode) || f->is_over || at < first)
		return (struct bfo_followed) { .blocks = 1, .item = SIZE_MAX, .bytes = bs };
	end = first + f->run.len;
	got = (struct bfo_followed) { .blocks = len < end - at ? len : end - at, .item = f->item,
				      .lblk = f->run.lblk + (at - first) };
	got.bytes = f->is_packed ? bfo_packed_bytes(f->plan, rec, got.lblk, got.blocks)
				 : got.blocks * bs;
	return got;
}
