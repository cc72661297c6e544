/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attrs.h - what a raw inode says that its users can see, whatever its size and its layout
 *
 * Source of the format: the kernel's Documentation/filesystems/ext4/inodes.rst.  Pure functions.
 */
#ifndef BFO_GATHER_ATTRS_H
#define BFO_GATHER_ATTRS_H

#include <stdint.h>
#include <time.h>
#include <ext2fs/ext2_fs.h>

enum bfo_time { BFO_MTIME, BFO_ATIME, BFO_CTIME, BFO_CRTIME, BFO_TIMES };

struct bfo_attrs {
	uint64_t size;			/* bytes */
	uint64_t version;		/* i_version */
	int64_t sec[BFO_TIMES];		/* since 1970; 34 bits on disk */
	uint32_t nsec[BFO_TIMES];
	uint32_t uid, gid, project;
	uint32_t nlink, generation;
	uint32_t flags;			/* without those that only say how it is stored */
	uint32_t major, minor;		/* devices; else 0 */
	uint16_t mode;
	int has_crtime;			/* small inodes have none */
};

static inline struct timespec bfo_attrs_time(const struct bfo_attrs *attrs, enum bfo_time which)
{
	return (struct timespec) { .tv_sec = attrs->sec[which], .tv_nsec = attrs->nsec[which] };
}

/*
 * Decodes raw inode RAW of INODE_SIZE bytes.  What a small inode, or a small i_extra_isize, has no
 * field for reads as 0 - so do nanoseconds that are 0 -, but a birth time as not there.
 */
void bfo_attrs_read(const void *raw, uint32_t inode_size, struct bfo_attrs *attrs);

/*
 * The other way: RAW becomes an inode of 160 bytes that says all of it, without places and content.
 * A time that no inode can hold becomes the nearest that it can: bfo_time_is_possible() tells.
 */
void bfo_attrs_write(const struct bfo_attrs *attrs, struct ext2_inode_large *raw);

/* True if SEC, since 1970, fits into the 34 bits that an inode has for it: 1901 to 2446. */
int bfo_time_is_possible(int64_t sec);

/* What people call the type in MODE: "file", "directory", "symlink" ... */
const char *bfo_attrs_type_word(uint32_t mode);

#endif
