/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h - what two volumes can differ in, and one such difference
 */
#ifndef BFO_COMPARE_DIFF_H
#define BFO_COMPARE_DIFF_H

#include <stddef.h>
#include <stdint.h>

#include "gather/attrs.h"

enum bfo_diff_kind {
	BFO_DIFF_MISSING,	/* name only in A */
	BFO_DIFF_EXTRA,		/* name only in B */
	BFO_DIFF_TYPE,		/* from here to DEVICE: struct bfo_attrs */
	BFO_DIFF_MODE,
	BFO_DIFF_UID,
	BFO_DIFF_GID,
	BFO_DIFF_SIZE,		/* of anything but directories */
	BFO_DIFF_NLINK,		/* of anything but directories */
	BFO_DIFF_MTIME,		/* these four in the order of enum bfo_time */
	BFO_DIFF_ATIME,
	BFO_DIFF_CTIME,
	BFO_DIFF_CRTIME,
	BFO_DIFF_GENERATION,
	BFO_DIFF_VERSION,
	BFO_DIFF_FLAGS,
	BFO_DIFF_PROJECT,
	BFO_DIFF_DEVICE,
	BFO_DIFF_LINKS,		/* other names share the inode */
	BFO_DIFF_HASH,		/* stored with a name (tree/tree.h) */
	BFO_DIFF_SYMLINK,
	BFO_DIFF_XATTR,
	BFO_DIFF_HOLES,		/* where there are data, holes, unwritten blocks */
	BFO_DIFF_DATA,
	BFO_DIFF_KINDS
};

#define BFO_DIFF_BIT(kind) (1U << (kind))

/* A word for scripts per kind. */
extern const char *const bfo_diff_words[BFO_DIFF_KINDS];

/*
 * Adds to KINDS, BFO_DIFF_BIT()s, those that TEXT names: their words, with commas between them.
 * Returns NULL, or where in TEXT something begins that is none.
 */
const char *bfo_diff_kinds_read(const char *text, uint32_t *kinds);

struct bfo_bytes {
	const void *data;	/* NULL: there is none (an empty one is not NULL) */
	size_t len;
};

/* Whatever it points to is there only while it is being reported. [0] is A, [1] is B. */
struct bfo_diff {
	enum bfo_diff_kind kind;
	uint32_t pair;		/* of what differs; missing, extra, hash: of the directory */
	uint64_t ino[2];	/* inode numbers, as they are shown; 0: none */
	struct bfo_bytes name;	/* missing, extra, hash: the name; xattr: "user.NAME" */
	const struct bfo_attrs *attrs[2];	/* type ... device */
	struct bfo_bytes value[2];		/* symlink, xattr; hash, as in the entry */
	uint32_t first[2];	/* links: pair of an earlier name of the inode, or BFO_NONE */
	uint64_t offset;	/* holes, data, values: first byte that differs */
};

/* What differs: a set of BFO_DIFF_BIT()s from BFO_DIFF_TYPE to BFO_DIFF_DEVICE. */
uint32_t bfo_attrs_compare(const struct bfo_attrs *a, const struct bfo_attrs *b);

#endif
