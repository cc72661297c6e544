// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * runs.c - where the blocks of a file are on the target
 */
#include <assert.h>
#include <string.h>
#include <ext2fs/ext2_fs.h>

#include "plan/loss.h"
#include "plan/runs.h"
#include "tree/access.h"

#define NO_CLUSTER UINT64_MAX

void bfo_runs_begin(struct bfo_run_walk *w, const struct bfo_plan *plan,
		    const struct bfo_inode *rec)
{
	*w = (struct bfo_run_walk) {
		.plan = plan, .rec = rec, .last_cluster = NO_CLUSTER, .last_kept = NO_CLUSTER,
		.block_bits = __builtin_ctz(plan->target->block_size),
		.cluster_bits = __builtin_ctz(plan->target->cluster_blocks),
	};
}

uint64_t bfo_runs_data_end(const struct bfo_plan *plan, const struct bfo_inode *rec)
{
	uint64_t home = plan->tree->home_block_size;

	if (rec->flags & EXT4_VERITY_FL &&
	    !(bfo_loss_flags(plan->target, plan->tree) & EXT4_VERITY_FL))
		return UINT64_MAX;
	if (rec->flags & EXT4_ENCRYPT_FL && home)
		return (rec->size + home - 1) / home * home;
	return rec->size;
}

/* Segment SEG in blocks of the target; length 0 if nothing of it is needed there. */
static struct bfo_run seg_run(const struct bfo_run_walk *w, const struct bfo_seg *seg)
{
	uint64_t from = w->plan->tree->block_size, to = w->plan->target->block_size;
	uint64_t end = ((uint64_t) seg->lblk + seg->len) * from;
	uint64_t first = seg->lblk * from >> w->block_bits;
	struct bfo_run run = { .lblk = first, .unwritten = bfo_seg_unwritten(seg) };

	if (bfo_seg_kept(seg)) {
		assert(from == to);
		run.len = seg->len;
		run.kept = bfo_seg_blk(seg);
		return run;
	}
	if (run.unwritten && !w->plan->target->has_extents)
		return run;
	if (!run.unwritten && end > bfo_runs_data_end(w->plan, w->rec))
		end = bfo_runs_data_end(w->plan, w->rec);
	end = (end + to - 1) >> w->block_bits;
	run.len = end > first ? end - first : 0;
	return run;
}

/* What is kept joins what is kept, where it goes on in the file and on the target. */
static int absorb_kept(struct bfo_run *cur, const struct bfo_run *r)
{
	if (!cur->kept || !r->kept || cur->unwritten != r->unwritten ||
	    r->lblk != cur->lblk + cur->len || r->kept != cur->kept + cur->len ||
	    (uint64_t) cur->len + r->len > UINT32_MAX)
		return 0;
	cur->len += r->len;
	return 1;
}

/* Joins R to the run before, CUR, where they meet or share a block; 0 if R is a run of its own. */
static int absorb(struct bfo_run *cur, struct bfo_run *r)
{
	uint64_t end = cur->lblk + cur->len;

	if (cur->kept || r->kept)
		return absorb_kept(cur, r);
	if (r->lblk < end && cur->unwritten != r->unwritten) {
		if (r->unwritten) {
			r->lblk++;
			r->len--;
			return !r->len;
		}
		if (!--cur->len)
			*cur = *r;
		return cur->lblk == r->lblk;
	}
	if (r->lblk > end || cur->unwritten != r->unwritten ||
	    r->lblk + r->len - cur->lblk > UINT32_MAX)
		return 0;
	if (r->lblk + r->len > end)
		cur->len = r->lblk + r->len - cur->lblk;
	return 1;
}

/* The run that the next segments make. */
static int gather_run(struct bfo_run_walk *w, struct bfo_run *run)
{
	const struct bfo_tree *t = w->plan->tree;
	int have = w->more;

	*run = w->carry;
	w->more = 0;
	while (w->seg < bfo_seg_count(t, w->rec)) {
		struct bfo_run r = seg_run(w, bfo_seg_of(t, w->rec, w->seg++));

		if (!r.len || (have && absorb(run, &r)))
			continue;
		if (have) {
			w->carry = r;
			w->more = 1;
			return 1;
		}
		*run = r;
		have = 1;
	}
	return have;
}

/* A directory has one run: all its blocks. */
static int directory_run(struct bfo_run_walk *w, struct bfo_run *run)
{
	*run = (struct bfo_run) { .len = w->rec->size >> w->block_bits };
	return !w->seg++ && run->len;
}

/* What stood in the inode, and cannot stay there. */
static int inline_run(struct bfo_run_walk *w, struct bfo_run *run)
{
	uint64_t bs = w->plan->target->block_size;

	*run = (struct bfo_run) { .len = (w->rec->size + bs - 1) >> w->block_bits };
	return !(w->rec->state & BFO_INODE_STUFF) && !w->seg++ && run->len;
}

static int next_run(struct bfo_run_walk *w, struct bfo_run *run)
{
	if (S_ISDIR(w->rec->mode))
		return directory_run(w, run);
	if (w->rec->state & (BFO_INODE_INLINE | BFO_INODE_STUFF))
		return inline_run(w, run);
	return gather_run(w, run);
}

static uint64_t cluster_of(const struct bfo_run_walk *w, uint64_t block)
{
	return block >> w->cluster_bits;
}

static uint64_t within_cluster(const struct bfo_run_walk *w, uint64_t block)
{
	return block & ((1ULL << w->cluster_bits) - 1);
}

/* It has its place; what counts are its clusters, each once. */
static void note_kept(struct bfo_run_walk *w, const struct bfo_run *run)
{
	uint64_t first = cluster_of(w, run->lblk), last = cluster_of(w, run->lblk + run->len - 1);

	assert(within_cluster(w, run->kept) == within_cluster(w, run->lblk) &&
	       first != w->last_cluster);
	w->kept += last - first + (first != w->last_kept);
	w->last_kept = last;
}

static void place(struct bfo_run_walk *w, struct bfo_run *run)
{
	uint64_t first = cluster_of(w, run->lblk);
	int shared = first == w->last_cluster;

	assert(first != w->last_kept);
	run->at = (shared ? cluster_of(w, w->end - 1) << w->cluster_bits : bfo_runs_taken(w)) +
		  within_cluster(w, run->lblk);
	w->last_cluster = cluster_of(w, run->lblk + run->len - 1);
	w->end = run->at + run->len;
}

int bfo_runs_next(struct bfo_run_walk *w, struct bfo_run *run)
{
	if (!next_run(w, run))
		return 0;
	if (run->kept)
		note_kept(w, run);
	else
		place(w, run);
	return 1;
}

uint64_t bfo_runs_taken(const struct bfo_run_walk *w)
{
	uint64_t ratio = 1ULL << w->cluster_bits;

	return (w->end + ratio - 1) & ~(ratio - 1);
}

uint64_t bfo_runs_kept(const struct bfo_run_walk *w)
{
	return w->kept << w->cluster_bits;
}
