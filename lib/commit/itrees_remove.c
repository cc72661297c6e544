// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * itrees_remove.c - a container, removed as the kernel removes a file
 *
 *   root directory   the entry goes: its predecessor becomes longer, or its inode number 0
 *   root's inode     times and version, as after any change
 *   its own inode    its slot becomes empty
 *   maps, quota      inode and blocks are free
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/disk.h"
#include "commit/patch.h"
#include "commit/itrees_change.h"
#include "commit/itrees_write.h"
#include "commit/quota_write.h"
#include "gather/inode_check.h"
#include "gather/inode_scan.h"
#include "plan/charge.h"

#define ENTRY_HEAD 8U

struct removal {
	const struct bfo_container *c;
	struct bfo_volume *vol;
	struct bfo_change change;
	struct bfo_itrees itrees;	/* what it has: freed */
	int64_t now;
};

static uint32_t rec_len(const struct ext2_dir_entry *e, uint32_t size)
{
	uint32_t len = le16(e->rec_len);

	return len == 65535 || (!len && size == 65536) ? 65536 : len;
}

/* Takes the container's entry out of SIZE bytes of entries at DATA; 0 if it is not there. */
static int cut_entry(const struct removal *r, char *data, uint32_t size)
{
	struct ext2_dir_entry *e, *before = NULL;
	uint32_t at, len;

	for (at = 0; size - at >= ENTRY_HEAD; at += len, before = e) {
		e = (void *) (data + at);
		len = rec_len(e, size);
		if (len < ENTRY_HEAD || len > size - at)
			return 0;
		if (le32(e->inode) != r->c->ino ||
		    (le16(e->name_len) & 255) != strlen(ITREE_NAME) ||
		    memcmp(e->name, ITREE_NAME, strlen(ITREE_NAME)))
			continue;
		if (before && rec_len(before, size) + len < 65536)
			before->rec_len = ext2fs_cpu_to_le16(rec_len(before, size) + len);
		else
			e->inode = 0;
		return 1;
	}
	return 0;
}

/* The raw inode INO in the transaction. */
static errcode_t get_inode(struct removal *r, uint32_t ino, void **raw)
{
	uint32_t byte;
	uint64_t blk = bfo_volume_inode_block(r->vol, ino, &byte);
	errcode_t err = bfo_transaction_get(&r->change.t, blk, raw);

	if (!err)
		*raw = (char *) *raw + byte;
	return err;
}

static int cut_inline(const struct removal *r, struct ext2_inode *raw)
{
	const void *tail;
	uint32_t size;

	if (cut_entry(r, (char *) &raw->i_block[1], sizeof(raw->i_block) - 4))
		return 1;
	size = bfo_inode_inline_tail(r->vol, raw, &tail);
	return size && cut_entry(r, (char *) tail, size);
}

/* Times and version of the root directory, and its checksum. */
static void touch_root(const struct removal *r, struct ext2_inode_large *raw)
{
	uint32_t size = r->vol->inode_size, extra = 0, version = le32(raw->osd1.linux1.l_i_version);

	if (size > EXT2_GOOD_OLD_INODE_SIZE)
		extra = EXT2_GOOD_OLD_INODE_SIZE + le16(raw->i_extra_isize);
	raw->i_mtime = raw->i_ctime = ext2fs_cpu_to_le32((uint32_t) r->now);
	if (extra >= offsetof(struct ext2_inode_large, i_mtime_extra) + 4)
		raw->i_mtime_extra = raw->i_ctime_extra =
			ext2fs_cpu_to_le32(((r->now - (int32_t) r->now) >> 32) & 3);
	raw->osd1.linux1.l_i_version = ext2fs_cpu_to_le32(version + 1);
	if (!(version + 1) && extra >= offsetof(struct ext2_inode_large, i_version_hi) + 4)
		raw->i_version_hi = ext2fs_cpu_to_le32(le32(raw->i_version_hi) + 1);
	ext2fs_inode_csum_set(r->vol->fs, EXT2_ROOT_INO, raw);
}

static errcode_t cut_from_blocks(struct removal *r, const struct bfo_tree *root)
{
	struct bfo_transaction *t = &r->change.t;
	char *block = malloc(r->vol->block_size);
	errcode_t err = block ? 0 : ENOMEM;
	int found = 0;
	uint32_t i, k;
	void *image;

	for (i = 0; i < root->segs.n && !err && !found; i++)
		for (k = 0; k < root->segs.v[i].len && !err && !found; k++) {
			uint64_t blk = bfo_seg_blk(&root->segs.v[i]) + k;

			err = bfo_volume_read(r->c->r->ctx, r->vol, blk, 1, block);
			if (err || !cut_entry(r, block, r->vol->block_size))
				continue;
			found = 1;
			err = bfo_transaction_get(t, blk, &image);
			if (err)
				break;
			memcpy(image, block, r->vol->block_size);
			err = ext2fs_dir_block_csum_set(r->vol->fs, EXT2_ROOT_INO, image);
		}
	free(block);
	return err || found ? err : BFO_ET_DAMAGED;
}

static errcode_t cut_name(struct removal *r)
{
	static const uint32_t ino[] = { EXT2_ROOT_INO };
	struct bfo_tree root = { 0 };
	errcode_t err = bfo_inode_scan_some(r->c->r, &root, ino, 1);
	void *raw;

	if (!err && (!root.inodes.n || root.inodes.v[0].state & BFO_INODE_BAD))
		err = BFO_ET_ROOT_DAMAGED;
	if (!err)
		err = get_inode(r, EXT2_ROOT_INO, &raw);
	if (!err && root.inodes.v[0].state & BFO_INODE_INLINE)
		err = cut_inline(r, raw) ? 0 : BFO_ET_DAMAGED;
	else if (!err)
		err = cut_from_blocks(r, &root);
	if (!err)
		touch_root(r, raw);
	bfo_tree_free(&root);
	return err ? bfo_fail(r->c->r->ctx, err,
			      "removing /" ITREE_NAME " from the root directory of "
			      "%s",
			      r->vol->spec)
		   : 0;
}

static errcode_t free_inode(struct removal *r)
{
	struct bfo_change *c = &r->change;
	struct ext2_inode_large *raw;
	uint32_t owner[BFO_QUOTA_TYPES];
	uint64_t bytes;
	errcode_t err;
	void *at;
	size_t i;
	int type;

	err = get_inode(r, r->c->ino, &at);
	if (err)
		return err;
	raw = at;
	if (le16(raw->i_links_count) != 1 || bfo_inode_ea_block((void *) raw))
		return bfo_fail(r->c->r->ctx, BFO_ET_FEATURE, "removing /" ITREE_NAME " of %s: it "
				"has other names, or attributes in a block; remove it in a "
				"mount, with chattr -i and rm", r->vol->spec);
	for (type = 0; type < BFO_QUOTA_TYPES; type++)
		owner[type] = bfo_charge_owner(raw, r->vol->inode_size, type);
	bytes = bfo_charge_bytes(raw, r->vol->block_size,
				 ext2fs_has_feature_huge_file(r->vol->fs->super));
	err = bfo_quota_adjust(&c->t, owner, -1, -(int64_t) bytes);
	memset(raw, 0, r->vol->inode_size);
	for (i = 0; i < r->itrees.freed.n; i++)
		bfo_meta_blocks(&c->m, r->itrees.freed.v[i].start, r->itrees.freed.v[i].len, -1);
	bfo_meta_inode(&c->m, r->c->ino, -1);
	return err;
}

errcode_t bfo_itrees_remove(const struct bfo_container *c, int64_t now, const char *undo_file,
			    enum bfo_fate *fate)
{
	struct removal r = { .c = c, .vol = c->r->vol, .now = now };
	errcode_t err = bfo_itrees_replace(&r.itrees, c);

	*fate = BFO_FATE_BEFORE;
	if (err) {
		bfo_itrees_free(&r.itrees);
		return err;
	}
	err = bfo_change_begin(&r.change, c->r->ctx, r.vol, now, undo_file);
	r.vol->fs->super->s_wtime = now;
	if (!err)
		err = cut_name(&r);
	if (!err)
		err = free_inode(&r);
	err = bfo_change_end(&r.change, err);
	*fate = r.change.fate;
	bfo_itrees_free(&r.itrees);
	return err;
}
