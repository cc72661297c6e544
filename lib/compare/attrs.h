/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attrs.h - what a raw inode says that its users can see, whatever its size and its layout
 *
 * Source of the format: the kernel's Documentation/filesystems/ext4/inodes.rst.  Pure functions.
 */
#ifndef BFO_COMPARE_ATTRS_H
#define BFO_COMPARE_ATTRS_H

#include <stdint.h>

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

/*
 * Decodes raw inode RAW of INODE_SIZE bytes.  What a small inode, or a small i_extra_isize, has no
 * field for reads as 0 - so do nanoseconds that are 0 -, but a birth time as not there.
 */
void bfo_attrs_read(const void *raw, uint32_t inode_size, struct bfo_attrs *attrs);

/* What differs: a set of BFO_DIFF_BIT()s from BFO_DIFF_TYPE to BFO_DIFF_DEVICE. */
uint32_t bfo_attrs_compare(const struct bfo_attrs *a, const struct bfo_attrs *b);

#endif
