// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sizing.c - planning on scratch files that are formatted as the target is going to be
 *
 * A scratch file is sparse and as long as the target; the target is formatted only when the plan
 * fits.  The smallest size that fits is found by trying.
 */
#include <string.h>

#include "base/bfo_err.h"
#include "volume/open.h"
#include "job/copy.h"

#define MIB (1ULL << 20)
#define GIB (1ULL << 30)
#define SMALLEST_TRY (2 * MIB)
#define INODE_NEED 1024U		/* bytes: inode, its names, a share of other metadata */

/* For the plan; or, as mke2fs says, for a filesystem at all or for its journal. */
static int is_too_small(errcode_t err)
{
	return err == BFO_ET_NO_SPACE || err == BFO_ET_NO_INODES || err == BFO_ET_TOO_SMALL ||
	       err == BFO_ET_MKFS;
}

/*
 * Blocks that kernels keep for themselves where there are extents (ext4_calculate_resv_clusters()).
 */
static uint64_t kept_blocks(const struct bfo_target *t)
{
	uint64_t clusters = t->has_extents ? t->blocks / t->cluster_blocks / 50 : 0;

	return (clusters < 4096 ? clusters : 4096) * t->cluster_blocks;
}

/* Bytes that ordinary users could still write to the target, once all is there. */
static uint64_t spare_bytes(const struct bfo_plan *plan)
{
	const struct bfo_target *t = plan->target;
	uint64_t free = bfo_ranges_total(&t->free_blocks);
	uint64_t taken = bfo_plan_need(plan) + t->reserved_blocks + kept_blocks(t);

	return free > taken ? (free - taken) * t->block_size : 0;
}

/*
 * Does the plan fit a target of SIZE bytes, so that SPARE are free afterwards, if it is not 0?
 * Only errors of another kind are returned.
 */
static errcode_t try_size(struct bfo_copy *c, uint64_t size, uint64_t spare, int *fits)
{
	struct bfo_volume *vol = NULL;
	errcode_t err = bfo_mkfs_scratch(&c->mkfs, size, &vol);

	if (!err)
		err = bfo_job_move(&c->job, vol);
	*fits = !err && (!spare || spare_bytes(&c->job.plan) >= spare);
	bfo_volume_close(vol);
	return is_too_small(err) ? 0 : err;
}

/* The first size from HIGH on that fits: *HIGH; *LOW is the last that did not, or as it was. */
static errcode_t find_fitting(struct bfo_copy *c, uint64_t spare, uint64_t *low, uint64_t *high)
{
	uint64_t most = 4 * (*high + 64 * SMALLEST_TRY);
	errcode_t err;
	int fits;

	for (;;) {
		*high = (*high + MIB - 1) / MIB * MIB;
		err = try_size(c, *high, spare, &fits);
		if (err || fits)
			return err;
		if (*high > most)
			return bfo_fail(c->ctx, BFO_ET_MKFS, "looking for the smallest size: even "
					"%llu bytes did not do", (unsigned long long) *high);
		*low = *high;
		*high += *high / 2;
	}
}

/*
 * Bisects for the smallest size in MiB (or 1/512 of it) above LOW that fits, with SPARE bytes left;
 * HIGH is a guess.  Needs a finished plan, and leaves it on what was found.
 */
static errcode_t bisect(struct bfo_copy *c, uint64_t low, uint64_t high, uint64_t spare,
			uint64_t *found)
{
	errcode_t err = find_fitting(c, spare, &low, &high);
	uint64_t step = high < 1024 * MIB ? MIB : high / 512 / MIB * MIB, mid;
	int fits = 1;

	while (!err && high > low + step) {
		mid = (low + (high - low) / 2 + MIB - 1) / MIB * MIB;
		err = try_size(c, mid, spare, &fits);
		if (fits)
			high = mid;
		else
			low = mid;
	}
	if (!err && !fits)
		err = try_size(c, high, spare, &fits);
	*found = high;
	return err;
}

/* The smallest size; one stage of work for who watches. */
static errcode_t find_smallest(struct bfo_copy *c)
{
	uint64_t need = bfo_plan_need(&c->job.plan) * c->job.plan.target->block_size;
	errcode_t err;

	c->mkfs.inodes = c->job.plan.new_inodes;
	c->mkfs.generous = 0;
	c->mkfs.silent = 1;
	bfo_progress_enter(c->ctx, BFO_STAGE_PLAN);
	err = bisect(c, need / MIB * MIB, need + need / 16 + SMALLEST_TRY, 0, &c->smallest);
	bfo_progress_leave(c->ctx);
	c->mkfs.silent = 0;
	return err;
}

/* The size that was asked for: the smallest, and what is to be free. */
static errcode_t find_size(struct bfo_copy *c)
{
	const struct bfo_more *more = &c->opt.spare;
	errcode_t err = find_smallest(c);
	uint64_t spare = more->n + c->smallest / 100 * more->percent;

	c->size = c->smallest;
	if (err || !spare)
		return err;
	c->mkfs.silent = 1;
	bfo_progress_enter(c->ctx, BFO_STAGE_PLAN);
	/* the smallest may have that to spare */
	err = bisect(c, c->smallest - MIB, c->smallest + spare + spare / 16, spare, &c->size);
	bfo_progress_leave(c->ctx);
	c->mkfs.silent = 0;
	return err;
}

/*
 * The plan means the same on a target that is formatted alike to the source: its blocks are as
 * large, and it goes into no directories that only its own target has.
 */
static int is_movable(const struct bfo_copy *c)
{
	size_t i;

	if (!c->opt.mkfs && c->job.target->block_size !=
			    (uint32_t) EXT2_BLOCK_SIZE(&c->mkfs.like))
		return 0;
	for (i = 0; i < c->job.plan.merged.n; i++)
		if (c->job.plan.merged.v[i].ino != EXT2_ROOT_INO &&
		    c->job.plan.merged.v[i].ino != EXT2_GOOD_OLD_FIRST_INO)
			return 0;
	return 1;
}

errcode_t bfo_sizing_note_smallest(struct bfo_copy *c, struct bfo_volume *vol)
{
	errcode_t err;

	if (!is_movable(c))
		return 0;
	err = find_smallest(c);
	return err ? err : bfo_job_move(&c->job, vol);
}

/* Bytes that a tree which is on no volume may take, if not much is wasted at the end of files. */
static uint64_t tree_size(const struct bfo_tree *t)
{
	uint64_t blocks = 0;
	size_t i;

	for (i = 0; i < t->segs.n; i++)
		blocks += t->segs.v[i].len;
	return blocks * t->block_size + t->inodes.n * INODE_NEED + t->text.n * 2;
}

/*
 * Sizes to plan on when none is given.  All of the source is more than enough, unless it is full.
 */
static uint64_t whole_size(const struct bfo_copy *c)
{
	if (!c->job.source)
		return tree_size(&c->job.tree) * 4 + 2 * GIB;
	return c->job.source->blocks * c->job.source->block_size * 5 / 4 + 64 * MIB;
}

/*
 * What the source says is in use, and a GiB, which leaves room for a journal of any usual size.
 * Nobody has checked it, and blocks may become larger: it may be too small.
 */
static uint64_t used_size(const struct bfo_copy *c)
{
	uint64_t all, free, size;

	if (!c->job.source)
		return tree_size(&c->job.tree) * 5 / 4 + GIB;
	all = c->job.source->blocks;
	free = ext2fs_free_blocks_count(c->job.source->fs->super);
	size = (free < all ? all - free : 0) * c->job.source->block_size * 5 / 4 + GIB;
	return size < whole_size(c) ? size : whole_size(c);
}

/* The plan again, on another scratch file. */
static errcode_t place_again(struct bfo_copy *c, uint64_t size, struct bfo_volume **scratch)
{
	errcode_t err;

	bfo_volume_close(*scratch);
	*scratch = NULL;
	err = bfo_mkfs_scratch(&c->mkfs, size, scratch);
	return err ? err : bfo_job_move(&c->job, *scratch);
}

/* Once more with as many inodes as are needed, instead of as many per byte as the source has. */
static errcode_t place_tight(struct bfo_copy *c, struct bfo_volume **scratch)
{
	c->mkfs.inodes = c->job.plan.new_inodes;
	c->mkfs.generous = 0;
	return place_again(c, c->size, scratch);
}

errcode_t bfo_sizing_tell_smallest(struct bfo_copy *c, errcode_t err)
{
	const struct bfo_shortage shortage = c->job.plan.shortage;
	struct bfo_what what = bfo_what_keep(c->ctx);
	errcode_t failed = BFO_ET_NO_SPACE;

	if (is_movable(c))
		failed = find_smallest(c);
	c->job.plan.shortage = shortage;
	bfo_what_restore(c->ctx, &what);
	return failed ? err : bfo_fail_add(c->ctx, err, "; the smallest new target that fits has "
					   "%llu bytes", (unsigned long long) c->smallest);
}

/* ERR: mke2fs makes nothing so small.  What would it make? */
static errcode_t place_anywhere(struct bfo_copy *c, errcode_t err, struct bfo_volume **scratch)
{
	struct bfo_what what = bfo_what_keep(c->ctx);
	errcode_t failed;

	failed = bfo_mkfs_scratch(&c->mkfs, used_size(c), scratch);
	if (!failed)
		failed = bfo_job_decide(&c->job, *scratch);
	if (!failed)
		failed = bfo_job_place(&c->job, *scratch);
	bfo_what_restore(c->ctx, &what);
	return failed ? err : bfo_sizing_tell_smallest(c, err);
}

errcode_t bfo_sizing_scratch(struct bfo_copy *c, struct bfo_volume **scratch)
{
	errcode_t err;

	c->mkfs.inodes = c->job.tree.inodes.n;
	c->mkfs.generous = 1;
	err = bfo_mkfs_scratch(&c->mkfs, c->size ? c->size : used_size(c), scratch);
	if (!c->size && is_too_small(err))
		err = bfo_mkfs_scratch(&c->mkfs, whole_size(c), scratch);
	return err;
}

static errcode_t place_first(struct bfo_copy *c, struct bfo_volume **scratch)
{
	errcode_t err = bfo_sizing_scratch(c, scratch);

	if (is_too_small(err) && c->size && c->size < used_size(c))
		return place_anywhere(c, err, scratch);
	if (!err)
		err = bfo_job_decide(&c->job, *scratch);
	if (err)
		return err;
	err = bfo_job_place(&c->job, *scratch);
	if (is_too_small(err))
		err = c->size ? place_tight(c, scratch) : place_again(c, whole_size(c), scratch);
	return err;
}

/* The plan, on scratch files. */
errcode_t bfo_sizing_plan(struct bfo_copy *c)
{
	struct bfo_volume *scratch = NULL;
	errcode_t err = place_first(c, &scratch);

	if (err == BFO_ET_NO_SPACE)
		err = bfo_sizing_tell_smallest(c, err);
	if (!err && c->opt.size == BFO_SIZE_MIN)
		err = find_size(c);
	else if (!err && c->opt.dry_run)
		err = bfo_sizing_note_smallest(c, scratch);
	bfo_volume_close(scratch);
	return err;
}
