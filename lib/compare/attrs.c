// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attrs.c - raw inodes as their users see them
 */
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <ext2fs/ext2fs.h>

#include "base/disk.h"
#include "compare/diff.h"
#include "gather/inode_check.h"

#ifndef EXT4_EOFBLOCKS_FL
#define EXT4_EOFBLOCKS_FL 0x00400000
#endif

/* How it is stored, not what it is. */
#define LAYOUT_FLAGS (EXT4_EXTENTS_FL | EXT2_INDEX_FL | EXT4_HUGE_FILE_FL | \
		      EXT4_INLINE_DATA_FL | EXT4_EOFBLOCKS_FL)

/* Where the fields end. Larger inodes than the old ones (powers of 2) have room for all of them. */
static size_t fields_end(const struct ext2_inode_large *raw, uint32_t inode_size)
{
	if (inode_size == EXT2_GOOD_OLD_INODE_SIZE)
		return inode_size;
	return EXT2_GOOD_OLD_INODE_SIZE + le16(raw->i_extra_isize);
}

#define HAS_FIELD(end, field) \
	((end) >= offsetof(struct ext2_inode_large, field) + \
		  sizeof(((struct ext2_inode_large *) 0)->field))

/* 32 bits of seconds, signed; two more above them and the nanoseconds in EXTRA. */
static void set_time(struct bfo_attrs *attrs, enum bfo_time which, uint32_t time, uint32_t extra)
{
	attrs->sec[which] = (int64_t) (int32_t) le32(time) + ((int64_t) (le32(extra) & 3) << 32);
	attrs->nsec[which] = le32(extra) >> 2;
}

static void read_times(const struct ext2_inode_large *raw, size_t end, struct bfo_attrs *attrs)
{
	set_time(attrs, BFO_MTIME, raw->i_mtime,
		 HAS_FIELD(end, i_mtime_extra) ? raw->i_mtime_extra : 0);
	set_time(attrs, BFO_ATIME, raw->i_atime,
		 HAS_FIELD(end, i_atime_extra) ? raw->i_atime_extra : 0);
	attrs->has_crtime = HAS_FIELD(end, i_crtime);
	if (attrs->has_crtime)
		set_time(attrs, BFO_CRTIME, raw->i_crtime,
			 HAS_FIELD(end, i_crtime_extra) ? raw->i_crtime_extra : 0);
}

/* The old form has 8 bits each in the first word, the new one 12 and 20 in the second. */
static void read_device(const struct ext2_inode_large *raw, struct bfo_attrs *attrs)
{
	uint32_t old = le32(raw->i_block[0]), dev = le32(raw->i_block[1]);

	if (!S_ISCHR(attrs->mode) && !S_ISBLK(attrs->mode))
		return;
	attrs->major = old ? old >> 8 & 0xff : dev >> 8 & 0xfff;
	attrs->minor = old ? old & 0xff : (dev & 0xff) | (dev >> 12 & 0xfff00);
}

void bfo_attrs_read(const void *data, uint32_t inode_size, struct bfo_attrs *attrs)
{
	const struct ext2_inode_large *raw = data;
	size_t end = fields_end(raw, inode_size);

	memset(attrs, 0, sizeof(*attrs));
	attrs->mode = le16(raw->i_mode);
	attrs->size = le32(raw->i_size) | (uint64_t) le32(raw->i_size_high) << 32;
	attrs->uid = le16(raw->i_uid) | (uint32_t) le16(raw->i_uid_high) << 16;
	attrs->gid = le16(raw->i_gid) | (uint32_t) le16(raw->i_gid_high) << 16;
	attrs->nlink = le16(raw->i_links_count);
	attrs->generation = le32(raw->i_generation);
	attrs->flags = le32(raw->i_flags) & ~LAYOUT_FLAGS;
	attrs->version = bfo_inode_version(raw, inode_size);
	if (HAS_FIELD(end, i_projid))
		attrs->project = le32(raw->i_projid);
	bfo_inode_ctime(raw, inode_size, &attrs->sec[BFO_CTIME], &attrs->nsec[BFO_CTIME]);
	read_times(raw, end, attrs);
	read_device(raw, attrs);
}

static uint32_t bit_if(int differs, enum bfo_diff_kind kind)
{
	return differs ? BFO_DIFF_BIT(kind) : 0;
}

/* (No time of birth and one of 0 are the same: that is what larger inodes have for none.) */
static uint32_t compare_times(const struct bfo_attrs *a, const struct bfo_attrs *b)
{
	uint32_t bits = 0;
	int i;

	for (i = 0; i < BFO_TIMES; i++)
		bits |= bit_if(a->sec[i] != b->sec[i] || a->nsec[i] != b->nsec[i],
			       BFO_DIFF_MTIME + i);
	return bits;
}

uint32_t bfo_attrs_compare(const struct bfo_attrs *a, const struct bfo_attrs *b)
{
	uint32_t bits = compare_times(a, b);

	bits |= bit_if((a->mode ^ b->mode) & ~S_IFMT, BFO_DIFF_MODE);
	bits |= bit_if(a->uid != b->uid, BFO_DIFF_UID);
	bits |= bit_if(a->gid != b->gid, BFO_DIFF_GID);
	bits |= bit_if(a->generation != b->generation, BFO_DIFF_GENERATION);
	bits |= bit_if(a->version != b->version, BFO_DIFF_VERSION);
	bits |= bit_if(a->flags != b->flags, BFO_DIFF_FLAGS);
	bits |= bit_if(a->project != b->project, BFO_DIFF_PROJECT);
	if ((a->mode ^ b->mode) & S_IFMT)
		return bits | BFO_DIFF_BIT(BFO_DIFF_TYPE);
	bits |= bit_if(a->major != b->major || a->minor != b->minor, BFO_DIFF_DEVICE);
	if (S_ISDIR(a->mode))
		return bits;	/* both follow from what is in it, and from its blocks */
	bits |= bit_if(a->size != b->size, BFO_DIFF_SIZE);
	return bits | bit_if(a->nlink != b->nlink, BFO_DIFF_NLINK);
}
