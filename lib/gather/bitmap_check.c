// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bitmap_check.c - is what the bitmaps of a volume call free claimed by nobody?
 *
 *   groups: superblocks, descriptors, bitmaps, tables ──> `own`                 ┐
 *   journal, quota files, orphan file ──────────────────┐                       ├ in the bitmap?
 *   inode tables, part by part ── records ── block maps ┴──> claims ──> `taken` ┘  by two?
 *                              └─ attribute blocks, which inodes may share ──┘
 *
 * Claims are counted in the bitmap's own units, clusters.  One extent of a file may end in the
 * cluster in which the next one begins; different inodes share none.
 */
#include <errno.h>
#include <stdio.h>

#include "base/bfo_err.h"
#include "base/marks.h"
#include "gather/bitmap_check.h"
#include "gather/extent_scan.h"
#include "gather/inode_check.h"
#include "gather/inode_judge.h"
#include "gather/inode_walk.h"
#include "gather/own_blocks.h"
#include "tree/access.h"

#define PART (1U << 18)		/* inodes whose records are in memory at once */

struct check {
	struct bfo_reader *r;
	struct bfo_volume *vol;
	bfo_ranges own;			/* clusters of the filesystem itself */
	struct bfo_marks taken;		/* clusters of inodes */
	struct bfo_marks shared;	/* those of them that are attribute blocks */
	struct bfo_tree tree;		/* a part of the tables */
	struct bfo_extent_scan maps;
};

/* The end of a message about WHAT; INO 0: of nobody. */
static errcode_t refuse(const struct check *c, const char *what, uint64_t number, uint32_t ino,
			const char *why)
{
	char whose[32] = "";

	if (ino)
		snprintf(whose, sizeof(whose), " of inode %u", ino);
	return bfo_fail(c->r->ctx, BFO_ET_UNHEALTHY, "comparing %s with its bitmaps: %s %llu%s %s; "
			"please run e2fsck -f %s first", c->vol->spec, what,
			(unsigned long long) number, whose, why, c->vol->spec);
}

/* ---- claims ---- */

static errcode_t want_used(const struct check *c, uint64_t blk, uint64_t len, uint32_t ino)
{
	blk64_t free;
	errcode_t err = ext2fs_find_first_zero_block_bitmap2(c->vol->fs->block_map, blk,
							     blk + len - 1, &free);

	if (err == ENOENT)
		return 0;
	return err ? err : refuse(c, "block", free > blk ? free : blk, ino,
				  ino ? "is free in the block bitmap" :
				  "of the filesystem's own is free in the block bitmap");
}

/* Whether clusters [FIRST, FIRST + LEN) meet one of the filesystem's own; *AT is that. */
static int meets_own(const struct check *c, uint64_t first, uint64_t len, uint64_t *at)
{
	const struct bfo_range *own = bfo_ranges_from(&c->own, first);

	if (!own || own->start >= first + len)
		return 0;
	*at = own->start > first ? own->start : first;
	return 1;
}

/*
 * Inode INO has LEN blocks from BLK on.  *LAST is the last cluster of what it has claimed before,
 * in the order of the file, and becomes that of this.
 */
static errcode_t claim(struct check *c, uint32_t ino, uint64_t blk, uint64_t len, uint64_t *last)
{
	uint64_t first = EXT2FS_B2C(c->vol->fs, blk), n, met;
	errcode_t err = want_used(c, blk, len, ino);

	n = EXT2FS_B2C(c->vol->fs, blk + len - 1) - first + 1;
	if (first == *last) {
		first++;
		n--;
	}
	if (err || !n)
		return err;
	*last = first + n - 1;
	err = bfo_marks_add(&c->taken, first, n, &met);
	if (err || (met == BFO_MARKS_NONE && !meets_own(c, first, n, &met)))
		return err;
	met = EXT2FS_C2B(c->vol->fs, met);
	return refuse(c, "block", met > blk ? met : blk, ino, "belongs to something else, too");
}

/* The same of an attribute block. */
static errcode_t claim_shared(struct check *c, uint32_t ino, uint64_t blk)
{
	uint64_t cluster = EXT2FS_B2C(c->vol->fs, blk), none = BFO_MARKS_NONE, met;
	errcode_t err;

	if (!bfo_volume_contains(c->vol, blk, 1))
		return refuse(c, "attribute block", blk, ino, "lies outside");
	if (bfo_marks_have(&c->shared, cluster))
		return 0;
	err = claim(c, ino, blk, 1, &none);
	return err ? err : bfo_marks_add(&c->shared, cluster, 1, &met);
}

/* Everything that records of T have, but for attribute blocks. */
static errcode_t claim_records(struct check *c, const struct bfo_tree *t)
{
	uint64_t last = BFO_MARKS_NONE;
	errcode_t err = 0;
	uint32_t k;
	size_t i;

	for (i = 0; i < t->findings.n; i++)
		if (t->findings.v[i].kind != BFO_FOUND_PAST_EOF)
			return refuse(c, "inode", t->findings.v[i].ino, 0,
				      bfo_finding_table[t->findings.v[i].kind].text);
	for (i = 0; i < t->inodes.n && !err; i++, last = BFO_MARKS_NONE) {
		const struct bfo_inode *rec = &t->inodes.v[i];

		for (k = 0; k < bfo_seg_count(t, rec) && !err; k++)
			err = claim(c, rec->ino, bfo_seg_blk(bfo_seg_of(t, rec, k)),
				    bfo_seg_of(t, rec, k)->len, &last);
	}
	for (i = 0; i < t->map_blocks.n && !err; i++, last = BFO_MARKS_NONE)
		err = claim(c, t->map_blocks.v[i].ino, t->map_blocks.v[i].blk, 1, &last);
	return err;
}

/* ---- the filesystem's own ---- */

static errcode_t take_own(void *priv, uint64_t blk, uint32_t len)
{
	struct check *c = priv;
	uint64_t first = EXT2FS_B2C(c->vol->fs, blk);
	errcode_t err = BFO_ET_DAMAGED;

	if (bfo_volume_contains(c->vol, blk, len))
		err = want_used(c, blk, len, 0);
	return err ? err : bfo_vec_push(&c->own, (struct bfo_range) { .start = first,
			   .len = EXT2FS_B2C(c->vol->fs, blk + len - 1) - first + 1 });
}

/* For bfo_own_groups(): a set, and how many were added to it. */
struct places {
	bfo_ranges blocks;
	uint64_t added;
};

static errcode_t add_place(void *priv, uint64_t blk, uint32_t len)
{
	struct places *p = priv;

	p->added += len;
	return bfo_vec_push(&p->blocks, (struct bfo_range) { .start = blk, .len = len });
}

/* Of tables and bitmaps none lies in another: who fills an unused slot would overwrite it. */
static errcode_t check_apart(const struct check *c)
{
	struct places p = { .added = 0 };
	errcode_t err = bfo_own_groups(c->vol, add_place, &p);

	bfo_ranges_settle(&p.blocks);
	if (!err && bfo_ranges_total(&p.blocks) != p.added)
		err = bfo_fail(c->r->ctx, BFO_ET_UNHEALTHY, "comparing %s with its bitmaps: tables "
			       "or bitmaps of groups overlap; please run e2fsck -f %s first",
			       c->vol->spec, c->vol->spec);
	bfo_vec_free(&p.blocks);
	return err;
}

/*
 * For ext2fs_block_iterate3(): bad blocks, or reserved descriptors, which belong to groups as well.
 */
static int take_reserved(ext2_filsys fs, blk64_t *blk, e2_blkcnt_t count, blk64_t ref, int offset,
			 void *priv)
{
	struct check *c = priv;

	(void) fs;
	(void) count;
	(void) ref;
	(void) offset;
	return take_own(c, *blk, 1) ? BLOCK_ABORT : 0;
}

static errcode_t take_own_inodes(struct check *c)
{
	static const ext2_ino_t reserved[] = { EXT2_BAD_INO, EXT2_RESIZE_INO };
	struct bfo_tree system = { .keep_map_blocks = 1 };
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < 2 && !err; i++)
		err = ext2fs_block_iterate3(c->vol->fs, reserved[i], BLOCK_FLAG_READ_ONLY, NULL,
					    take_reserved, c);
	bfo_ranges_settle(&c->own);
	if (!err)
		err = bfo_own_inodes(c->r, &system);
	if (!err)
		err = claim_records(c, &system);
	for (i = 0; i < system.inodes.n && !err; i++)
		if (system.inodes.v[i].ea != BFO_NONE)
			err = claim_shared(c, system.inodes.v[i].ino,
					   system.eas.v[system.inodes.v[i].ea].blk);
	bfo_tree_free(&system);
	return err;
}

/* ---- all others ---- */

/* For the walk: an inode that is in use. */
static errcode_t take_inode(void *priv, uint32_t ino, const void *raw)
{
	struct check *c = priv;
	struct bfo_inode rec;
	enum bfo_finding_kind bad = bfo_inode_judge(c->vol, ino, raw, &rec);
	errcode_t err = 0;
	uint64_t ea;

	if (!ext2fs_test_inode_bitmap2(c->vol->fs->inode_map, ino))
		return refuse(c, "inode", ino, 0, "is in use, but free in the inode bitmap");
	if (bfo_volume_is_system_inode(c->vol, ino))
		return 0;
	if (bad == BFO_FOUND_KINDS && bfo_inode_has_strange_flags(&rec, raw))
		bad = BFO_FOUND_INODE_FLAGS;
	if (bad != BFO_FOUND_KINDS)
		return refuse(c, "inode", ino, 0, bfo_finding_table[bad].text);
	ea = bfo_inode_ea_block(raw);
	if (ea)
		err = claim_shared(c, ino, ea);
	if (err || rec.state & (BFO_INODE_FAST | BFO_INODE_INLINE))
		return err;
	err = bfo_vec_push(&c->tree.inodes, rec);
	return err ? err : bfo_extent_scan_inode(&c->maps, c->tree.inodes.n - 1, raw);
}

static errcode_t check_part(struct check *c, struct bfo_walk_part *part)
{
	errcode_t err;

	c->tree.inodes.n = c->tree.segs.n = c->tree.map_blocks.n = c->tree.findings.n = 0;
	c->maps.deep.n = 0;
	err = bfo_inode_walk_part(c->r, part, PART, take_inode, c);
	if (!err)
		err = bfo_extent_scan_run(&c->maps);
	return err ? err : claim_records(c, &c->tree);
}

static errcode_t check(struct check *c)
{
	uint64_t clusters = EXT2FS_B2C(c->vol->fs, c->vol->blocks - 1) + 1;
	struct bfo_walk_part part = { .group = 0 };
	errcode_t err = bfo_marks_init(&c->taken, clusters);

	if (!err)
		err = bfo_marks_init(&c->shared, clusters);
	if (!err)
		err = check_apart(c);
	if (!err)
		err = bfo_own_groups(c->vol, take_own, c);
	if (!err)
		err = take_own_inodes(c);
	while (part.group < c->vol->fs->group_desc_count && !err)
		err = check_part(c, &part);
	return err;
}

errcode_t bfo_bitmap_check(struct bfo_reader *r)
{
	struct check c = { .r = r, .vol = r->vol, .tree = { .keep_map_blocks = 1 } };
	errcode_t err;

	c.maps = (struct bfo_extent_scan) { .r = r, .tree = &c.tree };
	c.tree.block_size = r->vol->block_size;
	if (bfo_volume_is_checked(r->vol))
		return 0;
	bfo_what_clear(r->ctx);
	bfo_progress_enter(r->ctx, BFO_STAGE_BITMAPS);
	err = check(&c);
	bfo_progress_leave(r->ctx);
	bfo_extent_scan_free(&c.maps);
	bfo_tree_free(&c.tree);
	bfo_marks_free(&c.taken);
	bfo_marks_free(&c.shared);
	bfo_vec_free(&c.own);
	if (err && !*r->ctx->what)
		bfo_fail(r->ctx, err, "comparing %s with its bitmaps", r->vol->spec);
	return err;
}
