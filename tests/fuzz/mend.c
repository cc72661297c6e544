// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mend.c - the checksums of an image, after it was changed
 *
 * Without this hardly any change would get past the first look at it.  What a checksum is of is
 * taken from the image as it is now; which kinds of checksums there are, from the one that was
 * made.
 */
#include <string.h>
#include <sys/stat.h>
#include <ext2fs/ext2fs.h>
#include <ext2fs/ext2_ext_attr.h>
#include <ext2fs/ext3_extents.h>

#include "base/crc32c.h"
#include "fuzz.h"

#define MOST_BLOCKS 256U		/* of a directory */
#define DEPTH 3				/* of extent trees */

struct dx_tail {
	uint32_t reserved, csum;
};

static uint32_t seed_of(const struct fuzz_volume *v)
{
	const struct ext2_super_block *sb = (const void *) (v->at + SUPERBLOCK_OFFSET);

	return sb->s_feature_incompat & EXT4_FEATURE_INCOMPAT_CSUM_SEED ? sb->s_checksum_seed :
	       bfo_crc32c(~0U, sb->s_uuid, sizeof(sb->s_uuid));
}

/* Index node BLOCK, whose counts stand at byte AT. */
static void mend_index(const struct fuzz_volume *v, uint8_t *block, uint32_t at, uint32_t seed)
{
	const struct ext2_dx_countlimit *c = (const void *) (block + at);
	uint32_t tail = at + c->limit * sizeof(struct ext2_dx_entry), zero = 0;
	struct dx_tail *t = (void *) (block + tail);

	if (tail + sizeof(*t) > v->block_size || c->count > c->limit)
		return;
	seed = bfo_crc32c(seed, block, at + c->count * sizeof(struct ext2_dx_entry));
	seed = bfo_crc32c(seed, &t->reserved, sizeof(t->reserved));
	t->csum = bfo_crc32c(seed, &zero, sizeof(zero));
}

static void mend_directory(const struct fuzz_volume *v, uint32_t ino, int indexed, uint32_t seed)
{
	uint32_t end = v->block_size - sizeof(struct ext2_dir_entry_tail), lblk;
	struct ext2_dir_entry_tail *t;
	uint8_t *block;

	for (lblk = 0; lblk < MOST_BLOCKS; lblk++) {
		block = fuzz_file_block(v, ino, lblk);
		if (!block)
			break;
		t = (void *) (block + end);
		if (indexed && !lblk)
			mend_index(v, block, 32, seed);
		else if (t->det_rec_len == sizeof(*t) && !t->det_reserved_zero1)
			t->det_checksum = bfo_crc32c(seed, block, end);
		else if (indexed)
			mend_index(v, block, 8, seed);
	}
}

/* The nodes below the one at RAW, which has room for MOST entries. */
static void mend_extents(const struct fuzz_volume *v, const uint8_t *raw, uint32_t most,
			 uint32_t seed, int depth)
{
	const struct ext3_extent_header *h = (const void *) raw;
	const struct ext3_extent_idx *idx = (const void *) (h + 1);
	uint32_t room = v->block_size / sizeof(*idx) - 1, i, at;
	uint8_t *block;

	if (!h->eh_depth || !depth)
		return;
	for (i = 0; i < h->eh_entries && i < most; i++) {
		block = fuzz_block(v, idx[i].ei_leaf);
		if (!block)
			continue;
		mend_extents(v, block, room, seed, depth - 1);
		at = sizeof(*h) * (1U + ((const struct ext3_extent_header *) block)->eh_max);
		if (at + sizeof(uint32_t) <= v->block_size)
			*(uint32_t *) (block + at) = bfo_crc32c(seed, block, at);
	}
}

static void mend_attrs(const struct fuzz_volume *v, uint64_t blk, uint32_t seed)
{
	struct ext2_ext_attr_header *h = (void *) fuzz_block(v, blk);

	if (!blk || !h)
		return;
	h->h_checksum = 0;
	seed = bfo_crc32c(seed, &blk, sizeof(blk));
	h->h_checksum = bfo_crc32c(seed, h, v->block_size);
}

static void mend_inode(const struct fuzz_volume *v, uint32_t ino, uint32_t fs_seed)
{
	struct ext2_inode_large *raw = (void *) fuzz_inode(v, ino);
	uint32_t seed, csum;
	int has_high;

	if (!raw || !(raw->i_mode | raw->i_links_count))
		return;
	seed = bfo_crc32c_inode_seed(fs_seed, ino, raw->i_generation);
	if (raw->i_flags & EXT4_EXTENTS_FL)
		mend_extents(v, (const void *) raw->i_block, 4, seed, DEPTH);
	if (S_ISDIR(raw->i_mode))
		mend_directory(v, ino, !!(raw->i_flags & EXT2_INDEX_FL), seed);
	mend_attrs(v, raw->i_file_acl, fs_seed);
	has_high = v->inode_size > EXT2_GOOD_OLD_INODE_SIZE && raw->i_extra_isize >= 4;
	raw->i_checksum_lo = 0;
	if (has_high)
		raw->i_checksum_hi = 0;
	csum = bfo_crc32c(seed, raw, v->inode_size);
	raw->i_checksum_lo = csum;
	if (has_high)
		raw->i_checksum_hi = csum >> 16;
}

/* (Blocks of a group: clusters, of which a small image has less than a group's bitmap has bits.) */
static void mend_group(const struct fuzz_volume *v, uint32_t group, uint32_t seed)
{
	const struct ext2_super_block *sb = (const void *) (v->base + SUPERBLOCK_OFFSET);
	struct ext4_group_desc *d = (void *) fuzz_group(v, group);
	uint8_t *blocks = fuzz_block(v, d->bg_block_bitmap);
	uint8_t *inodes = fuzz_block(v, d->bg_inode_bitmap);
	uint32_t csum;

	if (blocks) {
		csum = bfo_crc32c(seed, blocks, sb->s_clusters_per_group / 8);
		d->bg_block_bitmap_csum_lo = csum;
		if (v->desc_size >= EXT2_MIN_DESC_SIZE_64BIT)
			d->bg_block_bitmap_csum_hi = csum >> 16;
	}
	if (inodes) {
		csum = bfo_crc32c(seed, inodes, v->inodes_per_group / 8);
		d->bg_inode_bitmap_csum_lo = csum;
		if (v->desc_size >= EXT2_MIN_DESC_SIZE_64BIT)
			d->bg_inode_bitmap_csum_hi = csum >> 16;
	}
	d->bg_checksum = 0;
	d->bg_checksum = bfo_crc32c(bfo_crc32c(seed, &group, sizeof(group)), d, v->desc_size);
}

void fuzz_mend(struct fuzz_volume *v)
{
	struct ext2_super_block *sb = (void *) (v->at + SUPERBLOCK_OFFSET);
	uint32_t seed = seed_of(v), i;

	fuzz_mend_journal(v);
	for (i = 1; i <= v->inodes; i++)
		fuzz_mend_own(v, i);
	if (!v->has_csum)
		return;
	for (i = 1; i <= v->inodes; i++)
		mend_inode(v, i, seed);
	for (i = 0; i < v->groups; i++)
		mend_group(v, i, seed);
	sb->s_checksum = bfo_crc32c(~0U, sb, offsetof(struct ext2_super_block, s_checksum));
}
