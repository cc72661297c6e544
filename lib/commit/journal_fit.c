// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * journal_fit.c - how much of the journal the last transaction takes, before anything is written
 *
 * Counted is every block that may be in it; some may turn out to be the same.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/bfo_err.h"
#include "commit/commit.h"
#include "commit/tables.h"
#include "plan/charge.h"
#include "plan/itrees.h"

/*
 * Superblock; the record's slot, inode bitmap, and a block bitmap per run, or two where it crosses
 * from group to group; a block of descriptors with each bitmap.
 */
#define OTHER_BLOCKS (2 + 2 * (1 + 2 * BFO_RECORD_RUNS))

/* Marks the groups of LEN blocks from BLK on. */
static void mark(ext2_filsys fs, uint8_t *groups, uint64_t blk, uint64_t len)
{
	dgrp_t g = ext2fs_group_of_blk2(fs, blk), last = ext2fs_group_of_blk2(fs, blk + len - 1);

	for (; g <= last; g++)
		groups[g] |= 1;
}

static void mark_all(ext2_filsys fs, uint8_t *groups, const bfo_ranges *blocks)
{
	size_t i;

	for (i = 0; i < blocks->n; i++)
		mark(fs, groups, blocks->v[i].start, blocks->v[i].len);
}

static void mark_blocks(const struct bfo_plan *plan, ext2_filsys fs, uint8_t *groups)
{
	size_t i;
	int type;

	for (i = 0; i < plan->stem.n; i++)
		mark(fs, groups, plan->stem.v[i].blk, plan->stem.v[i].len);
	mark_all(fs, groups, &plan->kept);
	for (i = 0; i < plan->merged.n; i++) {
		mark_all(fs, groups, &plan->merged.v[i].freed);
		if (plan->merged.v[i].old_ea)
			mark(fs, groups, plan->merged.v[i].old_ea, 1);
	}
	for (type = 0; plan->charges && type < BFO_QUOTA_TYPES; type++)
		mark_all(fs, groups, &plan->charges->files[type].freed);
	if (plan->itrees)
		mark_all(fs, groups, &plan->itrees->freed);
	mark_all(fs, groups, &plan->displaced.freed);
}

/* Marks the groups of new inodes; returns the blocks of tables that cannot be staged. */
static uint64_t mark_inodes(const struct bfo_plan *plan, const struct bfo_volume *vol,
			    uint8_t *groups)
{
	uint32_t ipg = EXT2_INODES_PER_GROUP(vol->fs->super), byte;
	uint64_t count = 0, last = 0;
	size_t i;

	for (i = 0; i < plan->order.n; i++) {
		const struct bfo_inode *rec = bfo_plan_numbered(plan, i);
		uint64_t blk = bfo_volume_inode_block(vol, rec->new_ino, &byte);

		if (!(rec->state & BFO_INODE_EXISTS))
			groups[(rec->new_ino - 1) / ipg] |= 2;
		if (blk == last)
			continue;
		last = blk;
		count += rec->state & BFO_INODE_EXISTS ||
			 !bfo_table_is_unseen(vol, rec->new_ino - byte / vol->inode_size, 1);
	}
	return count;
}

/* The same of inodes that lose names; also attribute blocks. */
static uint64_t mark_displaced(const struct bfo_plan *plan, const struct bfo_volume *vol,
			       uint8_t *groups)
{
	const struct bfo_displaced *d = &plan->displaced;
	uint32_t ipg = EXT2_INODES_PER_GROUP(vol->fs->super), byte;
	uint64_t count = d->eas.n, last = 0, blk;
	size_t i;

	for (i = 0; i < d->inodes.n; i++, last = blk) {
		blk = bfo_volume_inode_block(vol, d->inodes.v[i].ino, &byte);
		count += blk != last;
		if (d->inodes.v[i].goes)
			groups[(d->inodes.v[i].ino - 1) / ipg] |= 2;
	}
	return count;
}

static uint64_t count_maps(ext2_filsys fs, const uint8_t *groups)
{
	uint32_t per_block = EXT2_DESC_PER_BLOCK(fs->super);
	uint64_t count = 0, last = UINT64_MAX;
	dgrp_t g;

	for (g = 0; g < fs->group_desc_count; g++) {
		count += (groups[g] & 1) + (groups[g] >> 1 & 1);
		count += groups[g] && g / per_block != last;
		if (groups[g])
			last = g / per_block;
	}
	return count;
}

errcode_t bfo_commit_fits(const struct bfo_plan *plan, struct bfo_volume *target,
			  struct bfo_commit_fit *fit)
{
	struct bfo_txlog j;
	errcode_t err = bfo_txlog_open(plan->ctx, target, &j);
	uint8_t *groups;

	*fit = (struct bfo_commit_fit) { .has_journal = !err };
	if (err)
		return err == BFO_ET_NOT_JOURNALED ? 0 : err;
	groups = calloc(target->fs->group_desc_count, 1);
	if (groups) {
		mark_blocks(plan, target->fs, groups);
		fit->need = mark_inodes(plan, target, groups) + plan->merged.n + OTHER_BLOCKS;
		fit->need += mark_displaced(plan, target, groups);
		fit->need += count_maps(target->fs, groups);
		fit->need = bfo_txlog_need(&j, fit->need);
		fit->room = bfo_txlog_room(&j);
	} else {
		err = bfo_fail(plan->ctx, ENOMEM, "looking at the journal of %s", target->spec);
	}
	free(groups);
	bfo_txlog_free(&j);
	return err;
}
