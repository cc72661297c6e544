// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * meta.c - bitmaps and group descriptors of the target
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
#include "plan/itrees.h"

#define MAX_RANGE (1U << 30)	/* of ext2fs_block_alloc_stats_range(): whole clusters */

enum { TOUCHED_BLOCKS = 1, TOUCHED_INODES = 2, TOUCHED_DESCRIPTOR = 4 };

errcode_t bfo_meta_open(struct bfo_meta *m, struct bfo_context *ctx, struct bfo_volume *vol)
{
	*m = (struct bfo_meta) { .ctx = ctx, .vol = vol, .fs = vol->fs };
	m->touched = calloc(m->fs->group_desc_count, 1);
	return m->touched ? 0 : bfo_fail(ctx, ENOMEM, "changing bitmaps of %s", vol->spec);
}

void bfo_meta_close(struct bfo_meta *m)
{
	free(m->touched);
	m->touched = NULL;
}

void bfo_meta_blocks(struct bfo_meta *m, uint64_t blk, uint64_t len, int use)
{
	uint64_t ratio = EXT2FS_CLUSTER_RATIO(m->fs), at, part;

	len = (blk % ratio + len + ratio - 1) / ratio * ratio;
	blk -= blk % ratio;
	for (at = blk; at < blk + len; at += EXT2_BLOCKS_PER_GROUP(m->fs->super))
		m->touched[ext2fs_group_of_blk2(m->fs, at)] |= TOUCHED_BLOCKS;
	m->touched[ext2fs_group_of_blk2(m->fs, blk + len - 1)] |= TOUCHED_BLOCKS;
	for (; len; blk += part, len -= part) {
		part = len < MAX_RANGE ? len : MAX_RANGE;
		ext2fs_block_alloc_stats_range(m->fs, blk, part, use);
	}
}

/* LOST references less to attribute block BLK of the target; the last one frees it. */
static errcode_t release_ea(struct bfo_meta *m, struct bfo_transaction *t, uint64_t blk,
			    uint32_t lost)
{
	struct ext2_ext_attr_header *h;
	errcode_t err;
	uint32_t refs;
	void *image;

	err = bfo_transaction_get(t, blk, &image);
	if (err)
		return err;
	h = image;
	refs = ext2fs_le32_to_cpu(h->h_refcount);
	if (refs <= lost) {
		bfo_meta_blocks(m, blk, 1, -1);
		return 0;
	}
	h->h_refcount = ext2fs_cpu_to_le32(refs - lost);
	return ext2fs_ext_attr_block_csum_set(m->fs, 0, blk, h);
}

static void free_all(struct bfo_meta *m, const bfo_ranges *blocks)
{
	size_t i;

	for (i = 0; i < blocks->n; i++)
		bfo_meta_blocks(m, blocks->v[i].start, blocks->v[i].len, -1);
}

/* What files have had whose content is made anew. */
static void free_renewed(struct bfo_meta *m, const struct bfo_plan *plan)
{
	int type;

	for (type = 0; plan->charges && type < BFO_QUOTA_TYPES; type++)
		free_all(m, &plan->charges->files[type].freed);
	if (plan->itrees)
		free_all(m, &plan->itrees->freed);
}

/* What files have had that lose their last names; attribute blocks stay with others. */
static errcode_t free_displaced(struct bfo_meta *m, const struct bfo_plan *plan,
				struct bfo_transaction *t)
{
	const struct bfo_displaced *d = &plan->displaced;
	errcode_t err = 0;
	size_t i;

	free_all(m, &d->freed);
	for (i = 0; i < d->eas.n && !err; i++)
		err = release_ea(m, t, d->eas.v[i].blk, d->eas.v[i].refs);
	return err;
}

static errcode_t change_all_blocks(struct bfo_meta *m, const struct bfo_plan *plan,
				   struct bfo_transaction *t)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < plan->stem.n; i++)
		bfo_meta_blocks(m, plan->stem.v[i].blk, plan->stem.v[i].len, 1);
	for (i = 0; i < plan->kept.n; i++)
		bfo_meta_blocks(m, plan->kept.v[i].start, plan->kept.v[i].len, 1);
	for (i = 0; i < plan->merged.n; i++) {
		const struct bfo_merged *dir = &plan->merged.v[i];

		if (!(plan->tree->inodes.v[dir->row].state & BFO_INODE_PLACED))
			continue;
		free_all(m, &dir->freed);
		if (dir->old_ea && !err)
			err = release_ea(m, t, dir->old_ea, 1);
	}
	free_renewed(m, plan);
	return err ? err : free_displaced(m, plan, t);
}

/* What a group gains. */
struct gain {
	dgrp_t group;
	uint32_t inodes, dirs, last;	/* last: index in the group, from 1 */
};

/* Index LAST of group G, from 1, is in the used part of the inode table. */
static void use_table(ext2_filsys fs, dgrp_t g, uint32_t last)
{
	uint32_t unused = EXT2_INODES_PER_GROUP(fs->super) - last;
	int uninit = ext2fs_has_group_desc_csum(fs) &&
		     ext2fs_bg_flags_test(fs, g, EXT2_BG_INODE_UNINIT);

	/*
	 * (Without checksums of groups the count means nothing, but e2fsck reads it all the same.)
	 */
	if (uninit || unused < ext2fs_bg_itable_unused(fs, g))
		ext2fs_bg_itable_unused_set(fs, g, unused);
	if (uninit)
		ext2fs_bg_flags_clear(fs, g, EXT2_BG_INODE_UNINIT);
}

static void apply_gain(struct bfo_meta *m, const struct gain *g)
{
	ext2_filsys fs = m->fs;

	if (!g->inodes)
		return;
	m->touched[g->group] |= TOUCHED_INODES;
	ext2fs_bg_free_inodes_count_set(fs, g->group, ext2fs_bg_free_inodes_count(fs, g->group) -
					g->inodes);
	ext2fs_bg_used_dirs_count_set(fs, g->group, ext2fs_bg_used_dirs_count(fs, g->group) +
				      g->dirs);
	use_table(fs, g->group, g->last);
	fs->super->s_free_inodes_count -= g->inodes;
}

void bfo_meta_inode(struct bfo_meta *m, uint32_t ino, int use)
{
	uint32_t ipg = EXT2_INODES_PER_GROUP(m->fs->super);
	dgrp_t g = (ino - 1) / ipg;

	if (use > 0)
		ext2fs_mark_inode_bitmap2(m->fs->inode_map, ino);
	else
		ext2fs_unmark_inode_bitmap2(m->fs->inode_map, ino);
	m->touched[g] |= TOUCHED_INODES;
	ext2fs_bg_free_inodes_count_set(m->fs, g, ext2fs_bg_free_inodes_count(m->fs, g) - use);
	m->fs->super->s_free_inodes_count -= use;
	if (use > 0)
		use_table(m->fs, g, (ino - 1) % ipg + 1);
}

void bfo_meta_directory(struct bfo_meta *m, uint32_t ino, int use)
{
	dgrp_t g = (ino - 1) / EXT2_INODES_PER_GROUP(m->fs->super);

	bfo_meta_inode(m, ino, use);
	ext2fs_bg_used_dirs_count_set(m->fs, g, ext2fs_bg_used_dirs_count(m->fs, g) + use);
}

void bfo_meta_zeroed(struct bfo_meta *m, dgrp_t g, int zeroed)
{
	if (zeroed)
		ext2fs_bg_flags_set(m->fs, g, EXT2_BG_INODE_ZEROED);
	else
		ext2fs_bg_flags_clear(m->fs, g, EXT2_BG_INODE_ZEROED);
	m->touched[g] |= TOUCHED_DESCRIPTOR;
}

static void change_all_inodes(struct bfo_meta *m, const struct bfo_plan *plan)
{
	uint32_t ipg = EXT2_INODES_PER_GROUP(m->fs->super);
	struct gain g = { 0 };
	size_t i;

	for (i = 0; i < plan->order.n; i++) {
		const struct bfo_inode *rec = bfo_plan_numbered(plan, i);
		dgrp_t group = (rec->new_ino - 1) / ipg;

		if (rec->state & BFO_INODE_EXISTS)
			continue;
		if (group != g.group) {
			apply_gain(m, &g);
			g = (struct gain) { .group = group };
		}
		ext2fs_fast_mark_inode_bitmap2(m->fs->inode_map, rec->new_ino);
		g.inodes++;
		g.dirs += S_ISDIR(rec->mode);
		g.last = (rec->new_ino - 1) % ipg + 1;
	}
	apply_gain(m, &g);
	for (i = 0; i < plan->displaced.inodes.n; i++)
		if (plan->displaced.inodes.v[i].goes)
			bfo_meta_inode(m, plan->displaced.inodes.v[i].ino, -1);
}

errcode_t bfo_meta_plan(struct bfo_meta *m, struct bfo_plan *plan, struct bfo_transaction *t)
{
	errcode_t err = change_all_blocks(m, plan, t);

	change_all_inodes(m, plan);
	return err;
}

/* Bits behind the group's last block or inode are set (e2fsck insists). */
static void pad(uint8_t *block, uint64_t bit, uint64_t bits)
{
	for (; bit < bits; bit++)
		block[bit / 8] |= 1 << bit % 8;
}

static errcode_t stage_block_bitmap(struct bfo_meta *m, dgrp_t g, struct bfo_transaction *t,
				    uint8_t *block)
{
	ext2_filsys fs = m->fs;
	uint64_t first = EXT2FS_B2C(fs, ext2fs_group_first_block2(fs, g));
	uint64_t n = EXT2FS_NUM_B2C(fs, (uint64_t) ext2fs_group_blocks_count(fs, g));
	errcode_t err;

	memset(block, 0, fs->blocksize);
	err = ext2fs_get_block_bitmap_range2(fs->block_map, first, n, block);
	pad(block, n, (uint64_t) fs->blocksize * 8);
	if (!err)
		err = ext2fs_block_bitmap_csum_set(fs, g, (char *) block,
						   EXT2_CLUSTERS_PER_GROUP(fs->super) / 8);
	return err ? err : bfo_transaction_set(t, ext2fs_block_bitmap_loc(fs, g), block);
}

static errcode_t stage_inode_bitmap(struct bfo_meta *m, dgrp_t g, struct bfo_transaction *t,
				    uint8_t *block)
{
	ext2_filsys fs = m->fs;
	uint32_t n = EXT2_INODES_PER_GROUP(fs->super);
	errcode_t err;

	memset(block, 0, fs->blocksize);
	err = ext2fs_get_inode_bitmap_range2(fs->inode_map, (uint64_t) g * n + 1, n, block);
	pad(block, n, (uint64_t) fs->blocksize * 8);
	if (!err)
		err = ext2fs_inode_bitmap_csum_set(fs, g, (char *) block, n / 8);
	return err ? err : bfo_transaction_set(t, ext2fs_inode_bitmap_loc(fs, g), block);
}

/* The descriptor block that holds group G. */
static errcode_t stage_descriptor(struct bfo_meta *m, dgrp_t g, struct bfo_transaction *t)
{
	ext2_filsys fs = m->fs;
	uint32_t i = g / EXT2_DESC_PER_BLOCK(fs->super);

	ext2fs_group_desc_csum_set(fs, g);
	return bfo_transaction_set(t, ext2fs_descriptor_block_loc2(fs,
				   fs->super->s_first_data_block, i),
				   (char *) fs->group_desc + (size_t) i * fs->blocksize);
}

errcode_t bfo_meta_stage(struct bfo_meta *m, struct bfo_transaction *t)
{
	uint8_t *block = malloc(m->fs->blocksize);
	errcode_t err = block ? 0 : ENOMEM;
	dgrp_t g;

	for (g = 0; g < m->fs->group_desc_count && !err; g++) {
		if (m->touched[g] & TOUCHED_BLOCKS)
			err = stage_block_bitmap(m, g, t, block);
		if (!err && m->touched[g] & TOUCHED_INODES)
			err = stage_inode_bitmap(m, g, t, block);
		if (!err && m->touched[g])
			err = stage_descriptor(m, g, t);
		m->touched[g] = 0;
	}
	free(block);
	return err ? bfo_fail(m->ctx, err, "updating bitmaps of %s", m->vol->spec) : 0;
}
