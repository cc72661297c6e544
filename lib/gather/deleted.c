// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * deleted.c - what inode tables still tell of inodes that were deleted
 *
 *   inode tables ──> no links ─────────────────────────────────> orphan? ──> TAKE
 *               └──> links, but a time of deletion ──> free? ────^
 *
 * The deletion time of an orphan is a link of the list that it is on, or nothing.  An inode with
 * links and such a time is mostly a file that was just being truncated, which is in use: the bitmap
 * of its group says so.  These are few, so bitmaps are read where they are met.  Nothing is
 * concluded from a bitmap that cannot be read, or has a wrong checksum: then the inode counts as in
 * use.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/disk.h"
#include "gather/deleted.h"
#include "gather/inode_check.h"

struct scan {
	struct bfo_reader *r;
	const struct bfo_tree *orphans;
	bfo_take_deleted take;
	bfo_lose_inodes lose;
	void *priv;
	uint8_t *bitmap;	/* of inodes, that of group ... */
	dgrp_t group;		/* ... this; the number of groups: of none */
	int has_bitmap;		/* it could be read */
};

static int is_orphan(const struct scan *s, uint32_t ino)
{
	size_t i = bfo_vec_lower_number(&s->orphans->unlinked, ino);

	return i < s->orphans->unlinked.n && s->orphans->unlinked.v[i] == ino;
}

static errcode_t read_bitmap(struct scan *s, dgrp_t group)
{
	struct bfo_volume *vol = s->r->vol;
	uint64_t blk = ext2fs_inode_bitmap_loc(vol->fs, group);
	errcode_t err;

	s->group = group;
	s->has_bitmap = 0;
	if (!bfo_volume_contains(vol, blk, 1))
		return 0;
	err = bfo_volume_read(s->r->ctx, vol, blk, 1, s->bitmap);
	if (bfo_media_is_error(err) && vol->media.opt.mode != BFO_MEDIA_STOP)
		return 0;
	s->has_bitmap = !err && ext2fs_inode_bitmap_csum_verify(vol->fs, group, (char *) s->bitmap,
				EXT2_INODES_PER_GROUP(vol->fs->super) / 8);
	return err;
}

/* *FREE: the bitmap says that nobody uses inode INO. */
static errcode_t ask_bitmap(struct scan *s, uint32_t ino, int *free)
{
	uint32_t per_group = EXT2_INODES_PER_GROUP(s->r->vol->fs->super);
	uint32_t bit = (ino - 1) % per_group;
	errcode_t err = 0;

	*free = 0;
	if (s->group != (ino - 1) / per_group)
		err = read_bitmap(s, (ino - 1) / per_group);
	if (!err && s->has_bitmap)
		*free = !(s->bitmap[bit / 8] >> bit % 8 & 1);
	return err;
}

/* For the walk: any inode. */
static errcode_t take_inode(void *priv, uint32_t ino, const void *data)
{
	struct scan *s = priv;
	const struct ext2_inode *raw = data;
	struct bfo_deleted d = { .ino = ino, .raw = raw };
	int is_free = 1;
	errcode_t err;

	if (!raw->i_dtime && (raw->i_links_count || !raw->i_mode))
		return 0;
	if (bfo_volume_is_system_inode(s->r->vol, ino))
		return 0;
	if (raw->i_links_count) {
		err = ask_bitmap(s, ino, &is_free);
		if (err || !is_free)
			return err;
	}
	d.is_orphan = is_orphan(s, ino);
	d.csum_ok = bfo_inode_csum_ok(s->r->vol, ino, raw);
	d.dtime = d.is_orphan ? 0 : le32(raw->i_dtime);
	return s->take(s->priv, &d);
}

static errcode_t lose_inodes(void *priv, uint32_t ino, uint32_t n)
{
	struct scan *s = priv;

	return s->lose(s->priv, ino, n);
}

errcode_t bfo_deleted_scan(struct bfo_reader *r, const struct bfo_tree *orphans,
			   bfo_take_deleted take, bfo_lose_inodes lose, void *priv)
{
	struct scan s = { .r = r, .orphans = orphans, .take = take, .lose = lose, .priv = priv,
			  .group = r->vol->fs->group_desc_count };
	errcode_t err = ENOMEM;

	s.bitmap = malloc(r->vol->block_size);
	if (s.bitmap)
		err = bfo_inode_walk_all(r, take_inode, lose ? lose_inodes : NULL, &s);
	else
		bfo_fail(r->ctx, err, "looking for deleted inodes on %s", r->vol->spec);
	free(s.bitmap);
	return err;
}
