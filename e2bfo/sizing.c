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
#include "copy.h"

#define MIB (1ULL << 20)
#define SMALLEST_TRY (2 * MIB)

/* Does the plan fit a target of SIZE bytes? Only errors of another kind are returned. */
static errcode_t try_size(struct copy *c, uint64_t size, int *fits)
{
	struct bfo_volume *vol = NULL;
	errcode_t err = mkfs_scratch(&c->mkfs, size, &vol);

	*fits = 0;
	if (err == BFO_ET_MKFS || err == BFO_ET_TOO_SMALL)
		return 0;		/* for a filesystem at all, or for its journal */
	if (!err)
		err = copy_move_plan(c, vol);
	*fits = !err;
	bfo_volume_close(vol);
	return err == BFO_ET_NO_SPACE || err == BFO_ET_NO_INODES ? 0 : err;
}

/* Bisects for the smallest size in MiB (or 1/512 of it) that fits; needs a finished plan. */
static errcode_t bisect(struct copy *c)
{
	uint64_t low = 0, high, mid, step, need;
	int fits = 0;
	errcode_t err = 0;

	need = (c->plan.stem_len + c->plan.tree_len) * c->source->block_size;
	c->mkfs.inodes = c->plan.new_inodes;
	c->mkfs.generous = 0;
	c->mkfs.silent = 1;
	high = need + need / 16 + SMALLEST_TRY;
	while (!err) {
		high = (high + MIB - 1) / MIB * MIB;
		err = try_size(c, high, &fits);
		if (err || fits)
			break;
		if (high > 4 * (need + 64 * SMALLEST_TRY))
			err = bfo_fail(&c->ctx, BFO_ET_MKFS, "looking for the smallest size: even "
				       "%llu bytes did not do",
				       (unsigned long long) high);
		low = high;
		high += high / 2;
	}
	if (low < need / MIB * MIB)
		low = need / MIB * MIB;
	step = high / 512 / MIB * MIB + MIB;
	while (!err && high > low + step) {
		mid = (low + (high - low) / 2 + MIB - 1) / MIB * MIB;
		err = try_size(c, mid, &fits);
		if (fits)
			high = mid;
		else
			low = mid;
	}
	if (!err && !fits)
		err = try_size(c, high, &fits);		/* the plan is to stand on what fits */
	c->smallest = high;
	c->mkfs.silent = 0;
	return err;
}

/* The same, one stage of work for who watches. */
static errcode_t find_smallest(struct copy *c)
{
	errcode_t err;

	bfo_progress_enter(&c->ctx, BFO_STAGE_PLAN);
	err = bisect(c);
	bfo_progress_leave(&c->ctx);
	return err;
}

/* What a target made for this copy alone would need; leaves the plan on VOL. */
errcode_t copy_note_smallest(struct copy *c, struct bfo_volume *vol)
{
	errcode_t err;
	size_t i;

	for (i = 0; i < c->plan.merged.n; i++)
		if (c->plan.merged.v[i].ino != EXT2_ROOT_INO &&
		    c->plan.merged.v[i].ino != EXT2_GOOD_OLD_FIRST_INO)
			return 0;	/* it goes into directories that only VOL has */
	err = find_smallest(c);
	return err ? err : copy_move_plan(c, vol);
}

/* A size that is certainly enough to plan on, when none is given. */
static uint64_t roomy_size(const struct copy *c)
{
	return c->source->blocks * c->source->block_size * 5 / 4 + 64 * MIB;
}

/* Once more with as many inodes as are needed, instead of as many per byte as the source has. */
static errcode_t place_tight(struct copy *c, struct bfo_volume **scratch)
{
	errcode_t err;

	bfo_volume_close(*scratch);
	*scratch = NULL;
	c->mkfs.inodes = c->plan.new_inodes;
	c->mkfs.generous = 0;
	err = mkfs_scratch(&c->mkfs, c->size, scratch);
	return err ? err : copy_move_plan(c, *scratch);
}

/* It does not fit: what would? */
static errcode_t tell_smallest(struct copy *c, errcode_t err)
{
	char what[sizeof(c->ctx.what)];

	memcpy(what, c->ctx.what, sizeof(what));
	if (find_smallest(c))
		return bfo_fail(&c->ctx, err, "%s", what);
	return bfo_fail(&c->ctx, err, "%.300s; the smallest new target that fits has %llu bytes",
			what, (unsigned long long) c->smallest);
}

/* The plan, on scratch files. */
errcode_t copy_plan_mkfs(struct copy *c)
{
	struct bfo_volume *scratch = NULL;
	errcode_t err;

	c->mkfs.inodes = c->tree.inodes.n;
	c->mkfs.generous = 1;
	err = mkfs_scratch(&c->mkfs, c->size ? c->size : roomy_size(c), &scratch);
	if (!err)
		err = copy_decide(c, scratch);
	if (!err)
		err = copy_place(c, scratch);
	if (c->size && (err == BFO_ET_NO_SPACE || err == BFO_ET_NO_INODES))
		err = place_tight(c, &scratch);
	if (err == BFO_ET_NO_SPACE && c->opt.dry_run)
		err = tell_smallest(c, err);
	if (!err && c->opt.size == SIZE_MIN)
		err = find_smallest(c);
	else if (!err && c->opt.dry_run)
		err = copy_note_smallest(c, scratch);
	if (c->opt.size == SIZE_MIN)
		c->size = c->smallest;
	bfo_volume_close(scratch);
	return err;
}
