// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * claim_scan.c - blocks that more than one thing says it owns
 *
 *   group descriptors, system inodes ──┐
 *   records: segments, maps, xattrs  ──┴─> claims, sorted by block ──> neighbours that overlap
 *
 * A set of ranges, not a bitmap: its size follows the files, not the device.
 */
#include <string.h>

#include "base/sort.h"
#include "gather/claim_scan.h"
#include "gather/inode_scan.h"

#define NOBODY BFO_NONE		/* the filesystem itself, or an attribute block: not reported */

struct claim {			/* sort key first */
	uint32_t blk_hi, blk_lo;
	uint32_t len;		/* blocks */
	uint32_t inode;		/* index of the record, or NOBODY */
};

struct scan {
	struct bfo_reader *r;
	struct bfo_tree *tree;
	BFO_VEC(struct claim) claims;
};

static uint64_t claim_blk(const struct claim *c)
{
	return (uint64_t) c->blk_hi << 32 | c->blk_lo;
}

static errcode_t add(struct scan *s, uint64_t blk, uint32_t len, uint32_t inode)
{
	if (!len)
		return 0;
	return bfo_vec_push(&s->claims, (struct claim) { .blk_hi = blk >> 32, .blk_lo = blk,
			    .len = len, .inode = inode });
}

/* Superblock, descriptors (also reserved ones), bitmaps and inode table of group G. */
static errcode_t add_group(struct scan *s, dgrp_t g)
{
	ext2_filsys fs = s->r->vol->fs;
	uint32_t descs = fs->desc_blocks, reserved = fs->super->s_reserved_gdt_blocks;
	blk64_t super, old_desc, new_desc;
	errcode_t err = 0;

	if (ext2fs_has_feature_meta_bg(fs->super) && fs->super->s_first_meta_bg < descs)
		descs = fs->super->s_first_meta_bg;
	if (ext2fs_super_and_bgd_loc2(fs, g, &super, &old_desc, &new_desc, NULL))
		return 0;
	if (super || !g)
		err = add(s, super, 1, NOBODY);
	if (!err && old_desc)
		err = add(s, old_desc, descs + reserved, NOBODY);
	if (!err && new_desc)
		err = add(s, new_desc, 1, NOBODY);
	if (!err)
		err = add(s, ext2fs_block_bitmap_loc(fs, g), 1, NOBODY);
	if (!err)
		err = add(s, ext2fs_inode_bitmap_loc(fs, g), 1, NOBODY);
	if (!err)
		err = add(s, ext2fs_inode_table_loc(fs, g), fs->inode_blocks_per_group, NOBODY);
	return err;
}

/* All that TREE's records have; as NOBODY's if they are not the scan's own. */
static errcode_t add_records(struct scan *s, const struct bfo_tree *t)
{
	int own = t == s->tree;
	errcode_t err = 0;
	uint32_t i, j;

	for (i = 0; i < t->inodes.n; i++) {
		const struct bfo_inode *rec = &t->inodes.v[i];

		if (rec->state & BFO_INODE_BAD)
			continue;
		for (j = 0; j < rec->nseg && !err; j++)
			err = add(s, bfo_seg_blk(&t->segs.v[rec->seg + j]),
				  t->segs.v[rec->seg + j].len, own ? i : NOBODY);
	}
	for (i = 0; i < t->map_blocks.n && !err; i++) {
		j = bfo_tree_find(t, t->map_blocks.v[i].ino);
		if (!(t->inodes.v[j].state & BFO_INODE_BAD))
			err = add(s, t->map_blocks.v[i].blk, 1, own ? j : NOBODY);
	}
	for (i = 0; i < t->eas.n && !err; i++)
		if (!t->eas.v[i].bad)
			err = add(s, t->eas.v[i].blk, 1, NOBODY);
	return err;
}

/* The journal, quota files, the orphan file.  Inode 7's blocks are descriptors: add_group(). */
static errcode_t add_system_inodes(struct scan *s)
{
	const struct ext2_super_block *sb = s->r->vol->fs->super;
	const uint32_t all[] = { sb->s_usr_quota_inum, sb->s_grp_quota_inum, sb->s_journal_inum,
				 sb->s_prj_quota_inum, sb->s_orphan_file_inum };
	struct bfo_tree system = { .keep_map_blocks = 1 };
	uint32_t inos[sizeof(all) / sizeof(*all)];
	errcode_t err = 0;
	size_t i, n = 0;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i] && all[i] <= sb->s_inodes_count && (!n || all[i] > inos[n - 1]))
			inos[n++] = all[i];
	if (n)
		err = bfo_inode_scan_some(s->r, &system, inos, n);
	if (!err)
		err = add_records(s, &system);
	bfo_tree_free(&system);
	return err;
}

static errcode_t found(struct scan *s, uint32_t inode, uint64_t blk)
{
	struct bfo_inode *rec;

	if (inode == NOBODY)
		return 0;
	rec = &s->tree->inodes.v[inode];
	if (rec->state & BFO_INODE_SHARED)
		return 0;
	rec->state |= BFO_INODE_SHARED;
	return bfo_tree_found(s->tree, BFO_FOUND_MULTIPLY, rec->ino, blk);
}

/* A claim that begins before the farthest end so far meets at least the one that reaches there. */
static errcode_t compare(struct scan *s)
{
	uint64_t end = 0, blk;
	uint32_t owner = NOBODY;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < s->claims.n && !err; i++) {
		const struct claim *c = &s->claims.v[i];

		blk = claim_blk(c);
		if (blk < end) {
			err = found(s, c->inode, blk);
			if (!err)
				err = found(s, owner, blk);
		}
		if (blk + c->len > end) {
			end = blk + c->len;
			owner = c->inode;
		}
	}
	return err;
}

errcode_t bfo_claim_scan(struct bfo_reader *r, struct bfo_tree *tree)
{
	struct scan s = { .r = r, .tree = tree };
	errcode_t err = 0;
	dgrp_t g;

	if (ext2fs_has_feature_shared_blocks(r->vol->fs->super)) {
		bfo_vec_free(&tree->map_blocks);
		return 0;		/* there it is no damage */
	}
	err = bfo_vec_reserve(&s.claims, tree->segs.n + tree->map_blocks.n + tree->eas.n +
			      6 * (size_t) r->vol->fs->group_desc_count);
	for (g = 0; g < r->vol->fs->group_desc_count && !err; g++)
		err = add_group(&s, g);
	if (!err)
		err = add_system_inodes(&s);
	if (!err)
		err = add_records(&s, tree);
	bfo_sort(s.claims.v, s.claims.n, sizeof(*s.claims.v), 2);
	if (!err)
		err = compare(&s);
	bfo_vec_free(&s.claims);
	bfo_vec_free(&tree->map_blocks);
	return err;
}
