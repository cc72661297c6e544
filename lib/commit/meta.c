// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * meta.c - bitmaps, group descriptors and superblock of the target
 *
 * libext2fs keeps bitmaps and descriptors in memory and knows how to change them together; only
 * the writing is done here, block by block into the transaction, because the library's own
 * would write all groups, and at once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commit/meta.h"
#include "plan/charge.h"

#define MAX_RANGE (1U << 30)	/* of ext2fs_block_alloc_stats_range(): whole clusters */

enum { TOUCHED_BLOCKS = 1, TOUCHED_INODES = 2 };

struct update {
	struct bfo_plan *plan;
	struct bfo_transaction *t;
	ext2_filsys fs;
	uint8_t *touched;	/* per group */
	uint8_t *block;		/* scratch, one block */
};

/* The clusters of LEN blocks from BLK on become used (USE 1) or free (USE -1). */
static void change_blocks(struct update *u, uint64_t blk, uint64_t len, int use)
{
	uint64_t ratio = u->plan->target->cluster_blocks, at, part;

	len = (blk % ratio + len + ratio - 1) / ratio * ratio;
	blk -= blk % ratio;
	for (at = blk; at < blk + len; at += EXT2_BLOCKS_PER_GROUP(u->fs->super))
		u->touched[ext2fs_group_of_blk2(u->fs, at)] |= TOUCHED_BLOCKS;
	u->touched[ext2fs_group_of_blk2(u->fs, blk + len - 1)] |= TOUCHED_BLOCKS;
	for (; len; blk += part, len -= part) {
		part = len < MAX_RANGE ? len : MAX_RANGE;
		ext2fs_block_alloc_stats_range(u->fs, blk, part, use);
	}
}

/* One reference less to attribute block BLK of the target; the last one frees it. */
static errcode_t release_ea(struct update *u, uint64_t blk)
{
	struct ext2_ext_attr_header *h;
	errcode_t err;
	uint32_t refs;
	void *image;

	err = bfo_transaction_get(u->t, blk, &image);
	if (err)
		return err;
	h = image;
	refs = ext2fs_le32_to_cpu(h->h_refcount);
	if (refs <= 1) {
		change_blocks(u, blk, 1, -1);
		return 0;
	}
	h->h_refcount = ext2fs_cpu_to_le32(refs - 1);
	return ext2fs_ext_attr_block_csum_set(u->fs, 0, blk, h);
}

static void free_quota_blocks(struct update *u)
{
	const struct bfo_charges *charges = u->plan->charges;
	size_t i;
	int type;

	for (type = 0; charges && type < BFO_QUOTA_TYPES; type++)
		for (i = 0; i < charges->files[type].freed.n; i++)
			change_blocks(u, charges->files[type].freed.v[i].start,
				      charges->files[type].freed.v[i].len, -1);
}

static errcode_t change_all_blocks(struct update *u)
{
	const struct bfo_plan *plan = u->plan;
	errcode_t err = 0;
	size_t i, j;

	for (i = 0; i < plan->stem.n; i++)
		change_blocks(u, plan->stem.v[i].blk, plan->stem.v[i].len, 1);
	for (i = 0; i < plan->merged.n; i++) {
		const struct bfo_merged *m = &plan->merged.v[i];

		if (!(plan->tree->inodes.v[m->inode].state & BFO_INODE_PLACED))
			continue;
		for (j = 0; j < m->freed.n; j++)
			change_blocks(u, m->freed.v[j].start, m->freed.v[j].len, -1);
		if (m->old_ea && !err)
			err = release_ea(u, m->old_ea);
	}
	free_quota_blocks(u);
	return err;
}

/* What a group gains. */
struct gain {
	dgrp_t group;
	uint32_t inodes, dirs, last;	/* last: index in the group, from 1 */
};

static void apply_gain(struct update *u, const struct gain *g)
{
	ext2_filsys fs = u->fs;
	uint32_t unused = EXT2_INODES_PER_GROUP(fs->super) - g->last;

	if (!g->inodes)
		return;
	u->touched[g->group] |= TOUCHED_INODES;
	ext2fs_bg_free_inodes_count_set(fs, g->group, ext2fs_bg_free_inodes_count(fs, g->group) -
					g->inodes);
	ext2fs_bg_used_dirs_count_set(fs, g->group, ext2fs_bg_used_dirs_count(fs, g->group) +
				      g->dirs);
	if (ext2fs_has_group_desc_csum(fs)) {
		if (ext2fs_bg_flags_test(fs, g->group, EXT2_BG_INODE_UNINIT) ||
		    unused < ext2fs_bg_itable_unused(fs, g->group))
			ext2fs_bg_itable_unused_set(fs, g->group, unused);
		ext2fs_bg_flags_clear(fs, g->group, EXT2_BG_INODE_UNINIT);
	}
	fs->super->s_free_inodes_count -= g->inodes;
}

static void change_all_inodes(struct update *u)
{
	uint32_t ipg = EXT2_INODES_PER_GROUP(u->fs->super);
	const struct bfo_plan *plan = u->plan;
	struct gain g = { 0 };
	size_t i;

	for (i = 0; i < plan->order.n; i++) {
		const struct bfo_inode *rec = &plan->tree->inodes.v[bfo_plan_numbered(plan, i)];
		dgrp_t group = (rec->new_ino - 1) / ipg;

		if (rec->state & BFO_INODE_EXISTS)
			continue;
		if (group != g.group) {
			apply_gain(u, &g);
			g = (struct gain) { .group = group };
		}
		ext2fs_fast_mark_inode_bitmap2(u->fs->inode_map, rec->new_ino);
		g.inodes++;
		g.dirs += S_ISDIR(rec->mode);
		g.last = (rec->new_ino - 1) % ipg + 1;
	}
	apply_gain(u, &g);
}

/* Bits behind the group's last block or inode are set (e2fsck insists). */
static errcode_t stage_block_bitmap(struct update *u, dgrp_t g)
{
	ext2_filsys fs = u->fs;
	uint64_t first = EXT2FS_B2C(fs, ext2fs_group_first_block2(fs, g));
	uint64_t n = EXT2FS_NUM_B2C(fs, (uint64_t) ext2fs_group_blocks_count(fs, g));
	errcode_t err;
	uint64_t bit;

	memset(u->block, 0, fs->blocksize);
	err = ext2fs_get_block_bitmap_range2(fs->block_map, first, n, u->block);
	for (bit = n; bit < (uint64_t) fs->blocksize * 8; bit++)
		u->block[bit / 8] |= 1 << bit % 8;
	if (!err)
		err = ext2fs_block_bitmap_csum_set(fs, g, (char *) u->block,
						   EXT2_CLUSTERS_PER_GROUP(fs->super) / 8);
	return err ? err : bfo_transaction_set(u->t, ext2fs_block_bitmap_loc(fs, g), u->block);
}

static errcode_t stage_inode_bitmap(struct update *u, dgrp_t g)
{
	ext2_filsys fs = u->fs;
	uint32_t n = EXT2_INODES_PER_GROUP(fs->super);
	errcode_t err;
	uint64_t bit;

	memset(u->block, 0, fs->blocksize);
	err = ext2fs_get_inode_bitmap_range2(fs->inode_map, (uint64_t) g * n + 1, n, u->block);
	for (bit = n; bit < (uint64_t) fs->blocksize * 8; bit++)
		u->block[bit / 8] |= 1 << bit % 8;
	if (!err)
		err = ext2fs_inode_bitmap_csum_set(fs, g, (char *) u->block, n / 8);
	return err ? err : bfo_transaction_set(u->t, ext2fs_inode_bitmap_loc(fs, g), u->block);
}

/* The descriptor block that holds group G. */
static errcode_t stage_descriptor(struct update *u, dgrp_t g)
{
	ext2_filsys fs = u->fs;
	uint32_t i = g / EXT2_DESC_PER_BLOCK(fs->super);

	ext2fs_group_desc_csum_set(fs, g);
	return bfo_transaction_set(u->t, ext2fs_descriptor_block_loc2(fs,
				   fs->super->s_first_data_block, i),
				   (char *) fs->group_desc + (size_t) i * fs->blocksize);
}

static errcode_t stage_all(struct update *u)
{
	errcode_t err = 0;
	dgrp_t g;

	for (g = 0; g < u->fs->group_desc_count && !err; g++) {
		if (u->touched[g] & TOUCHED_BLOCKS)
			err = stage_block_bitmap(u, g);
		if (!err && u->touched[g] & TOUCHED_INODES)
			err = stage_inode_bitmap(u, g);
		if (!err && u->touched[g])
			err = stage_descriptor(u, g);
	}
	return err;
}

errcode_t bfo_meta_update(struct bfo_plan *plan, struct bfo_transaction *t)
{
	struct update u = { .plan = plan, .t = t, .fs = t->w->vol->fs };
	errcode_t err = ENOMEM;

	u.touched = calloc(u.fs->group_desc_count, 1);
	u.block = malloc(u.fs->blocksize);
	if (u.touched && u.block) {
		err = change_all_blocks(&u);
		change_all_inodes(&u);
		if (!err)
			err = stage_all(&u);
	}
	free(u.touched);
	free(u.block);
	if (err)
		return bfo_fail(plan->ctx, err, "updating bitmaps of %s", t->w->vol->spec);
	return 0;
}
