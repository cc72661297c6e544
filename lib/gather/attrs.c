// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attrs.c - raw inodes as their users see them
 */
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <ext2fs/ext2fs.h>

#include "base/disk.h"
#include "gather/attrs.h"
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

/* ---- the other way ---- */

/* The 2 bits of seconds above the 32, and the nanoseconds: what EXTRA says beside LOW. */
static uint32_t extra_of(int64_t sec, uint32_t nsec)
{
	return to_le32(((uint32_t) ((sec - (int32_t) sec) >> 32) & 3) | nsec << 2);
}

int bfo_time_is_possible(int64_t sec)
{
	return sec >= INT32_MIN && sec < INT32_MIN + (4LL << 32);
}

/* The earliest or the latest that can be said, where SEC is beyond it. */
static int64_t possible(int64_t sec)
{
	if (bfo_time_is_possible(sec))
		return sec;
	return sec < 0 ? INT32_MIN : INT32_MIN + (4LL << 32) - 1;
}

#define WRITE_TIME(raw, attrs, which, field) do { \
	int64_t write_sec = possible((attrs)->sec[which]); \
	(raw)->field = to_le32((uint32_t) write_sec); \
	(raw)->field ## _extra = extra_of(write_sec, (attrs)->nsec[which]); \
} while (0)

static void write_device(const struct bfo_attrs *attrs, struct ext2_inode_large *raw)
{
	if (!S_ISCHR(attrs->mode) && !S_ISBLK(attrs->mode))
		return;
	if (attrs->major < 256 && attrs->minor < 256)
		raw->i_block[0] = to_le32(attrs->major << 8 | attrs->minor);
	else
		raw->i_block[1] = to_le32((attrs->minor & 0xff) | attrs->major << 8 |
					  (attrs->minor & 0xfff00) << 12);
}

void bfo_attrs_write(const struct bfo_attrs *attrs, struct ext2_inode_large *raw)
{
	memset(raw, 0, sizeof(*raw));
	raw->i_mode = to_le16(attrs->mode);
	raw->i_size = to_le32(attrs->size);
	raw->i_size_high = to_le32(attrs->size >> 32);
	raw->i_uid = to_le16(attrs->uid);
	raw->i_uid_high = to_le16(attrs->uid >> 16);
	raw->i_gid = to_le16(attrs->gid);
	raw->i_gid_high = to_le16(attrs->gid >> 16);
	raw->i_links_count = to_le16(attrs->nlink < UINT16_MAX ? attrs->nlink : UINT16_MAX);
	raw->i_generation = to_le32(attrs->generation);
	raw->i_flags = to_le32(attrs->flags);
	raw->osd1.linux1.l_i_version = to_le32(attrs->version);
	raw->i_version_hi = to_le32(attrs->version >> 32);
	raw->i_extra_isize = to_le16(sizeof(*raw) - EXT2_GOOD_OLD_INODE_SIZE);
	raw->i_projid = to_le32(attrs->project);
	WRITE_TIME(raw, attrs, BFO_MTIME, i_mtime);
	WRITE_TIME(raw, attrs, BFO_ATIME, i_atime);
	WRITE_TIME(raw, attrs, BFO_CTIME, i_ctime);
	if (attrs->has_crtime)
		WRITE_TIME(raw, attrs, BFO_CRTIME, i_crtime);
	write_device(attrs, raw);
}

const char *bfo_attrs_type_word(uint32_t mode)
{
	static const char *const words[16] = {
		[S_IFREG >> 12] = "file", [S_IFDIR >> 12] = "directory",
		[S_IFLNK >> 12] = "symlink", [S_IFCHR >> 12] = "character device",
		[S_IFBLK >> 12] = "block device", [S_IFIFO >> 12] = "fifo",
		[S_IFSOCK >> 12] = "socket",
	};
	const char *word = words[(mode & S_IFMT) >> 12];

	return word ? word : "unknown";
}
