// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * orphan_scan.c - inodes that the next mount will delete or cut off
 *
 * A block of the orphan file: inode numbers, 0 where none is; its last 8 bytes are
 *
 *    0  4  magic 0x0b10ca04
 *    4  4  crc32c, seeded by the file's inode, of the block's number (8 bytes) and the numbers
 */
#include <errno.h>
#include <stdlib.h>

#include "base/crc32c.h"
#include "base/disk.h"
#include "base/sort.h"
#include "gather/inode_check.h"
#include "gather/orphan_scan.h"
#include "volume/inode_map.h"

#define MAX_FILE_BLOCKS (1U << 16)	/* the kernel takes 512 */
#define BLOCK_MAGIC 0x0b10ca04U
#define TAIL_BYTES 8

struct scan {
	struct bfo_reader *r;
	struct bfo_tree *tree;
	char *block;			/* of an inode table */
	const struct ext2_inode *raw;	/* in it */
};

/*
 * Reads a block; *LOST: it cannot be read, and that is to be no error.  Then who is on the list
 * behind it is not known: the inode scan reports what it may have been.
 */
static errcode_t read_block(struct scan *s, uint64_t blk, void *buf, int *lost)
{
	struct bfo_volume *vol = s->r->vol;
	errcode_t err = bfo_volume_read(s->r->ctx, vol, blk, 1, buf);

	*lost = bfo_media_is_error(err) && vol->media.opt.mode != BFO_MEDIA_STOP;
	if (!*lost && bfo_media_is_error(err))
		vol->media.failed = blk;
	return *lost ? 0 : err;
}

/* 0 with s->raw set, an error, or (*GOOD 0) INO can be no orphan. */
static errcode_t read_inode(struct scan *s, uint32_t ino, int *good)
{
	struct bfo_volume *vol = s->r->vol;
	uint32_t byte;
	uint64_t blk;
	errcode_t err;
	int lost;

	*good = 0;
	if (!ino || ino > vol->fs->super->s_inodes_count || bfo_volume_is_system_inode(vol, ino) ||
	    ino == EXT2_ROOT_INO)
		return 0;
	blk = bfo_volume_inode_block(vol, ino, &byte);
	err = read_block(s, blk, s->block, &lost);
	s->raw = (const void *) (s->block + byte);
	*good = !err && !lost && s->raw->i_mode && bfo_inode_csum_ok(vol, ino, s->raw);
	return err;
}

static errcode_t take(struct scan *s, uint32_t ino)
{
	if (s->raw->i_links_count)
		return bfo_vec_push(&s->tree->truncated, ino);
	return bfo_vec_push(&s->tree->unlinked, ino);
}

/* The list; one that bites its tail is noticed by the mark that it passes again (Brent). */
static errcode_t scan_list(struct scan *s)
{
	uint32_t ino = s->r->vol->fs->super->s_last_orphan, mark = 0, steps = 0, turn = 1;
	errcode_t err;
	int good;

	while (ino && ino != mark) {
		err = read_inode(s, ino, &good);
		if (!err && good)
			err = take(s, ino);
		if (err || !good)
			return err;
		if (++steps == turn) {
			mark = ino;
			turn *= 2;
			steps = 0;
		}
		ino = le32(s->raw->i_dtime);
	}
	return 0;
}

static int is_sound(const struct bfo_volume *vol, uint32_t seed, uint64_t blk, const char *block)
{
	size_t in_use = vol->block_size - TAIL_BYTES;
	const uint32_t *tail = (const void *) (block + in_use);

	if (le32(tail[0]) != BLOCK_MAGIC)
		return 0;
	return !vol->has_csum || le32(tail[1]) == bfo_crc32c(bfo_crc32c(seed, &blk, sizeof(blk)),
							      block, in_use);
}

static errcode_t scan_file_block(struct scan *s, uint32_t seed, uint64_t blk, uint32_t *entries)
{
	size_t n = (s->r->vol->block_size - TAIL_BYTES) / sizeof(*entries), i;
	int good, lost;
	errcode_t err = read_block(s, blk, entries, &lost);

	if (err || lost || !is_sound(s->r->vol, seed, blk, (const char *) entries))
		return err;
	for (i = 0; i < n && !err; i++) {
		if (!entries[i])
			continue;
		err = read_inode(s, le32(entries[i]), &good);
		if (!err && good)
			err = take(s, le32(entries[i]));
	}
	return err;
}

static errcode_t scan_file(struct scan *s)
{
	struct bfo_volume *vol = s->r->vol;
	uint32_t ino = vol->fs->super->s_orphan_file_inum, length, at, *entries, seed;
	bfo_map_runs runs = { 0 };
	struct ext2_inode inode;
	errcode_t err;

	if (!ext2fs_has_feature_orphan_file(vol->fs->super) ||
	    !ext2fs_has_feature_orphan_present(vol->fs->super))
		return 0;
	entries = malloc(vol->block_size);
	if (!entries)
		return ENOMEM;
	if (!bfo_inode_map(s->r->ctx, vol, ino, MAX_FILE_BLOCKS, &runs, &length) &&
	    !ext2fs_read_inode(vol->fs, ino, &inode)) {
		seed = bfo_crc32c_inode_seed(vol->csum_seed, ino, inode.i_generation);
		for (at = 0, err = 0; at < length && !err; at++)
			err = scan_file_block(s, seed, bfo_map_find(&runs, at), entries);
	} else {
		err = 0;
	}
	bfo_vec_free(&runs);
	free(entries);
	return err;
}

errcode_t bfo_orphan_scan(struct bfo_reader *r, struct bfo_tree *tree)
{
	struct scan s = { .r = r, .tree = tree, .block = malloc(r->vol->block_size) };
	errcode_t err = s.block ? scan_list(&s) : ENOMEM;

	if (!err)
		err = scan_file(&s);
	free(s.block);
	bfo_sort_numbers(tree->unlinked.v, tree->unlinked.n);
	bfo_sort_numbers(tree->truncated.v, tree->truncated.n);
	return err;
}
