/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finding.h - what was wrong with a source and therefore not copied, or not copied as it stood
 *
 * Findings are rows of a table: a code, a word for scripts, a sentence for people.  A copy with
 * findings ends with exit status 1 (P9); losses have to be allowed first.
 */
#ifndef BFO_TREE_FINDING_H
#define BFO_TREE_FINDING_H

#include <stdint.h>

#include "base/vec.h"

enum bfo_finding_kind {
	BFO_FOUND_INODE_CSUM,
	BFO_FOUND_INODE_MODE,
	BFO_FOUND_INODE_SIZE,
	BFO_FOUND_INODE_FLAGS,
	BFO_FOUND_EXTENT,
	BFO_FOUND_EXTENT_CSUM,
	BFO_FOUND_MULTIPLY,
	BFO_FOUND_SYMLINK,
	BFO_FOUND_SPECIAL,
	BFO_FOUND_PAST_EOF,
	BFO_FOUND_XATTR_INODE,
	BFO_FOUND_XATTR_BLOCK,
	BFO_FOUND_DIR_BLOCK,
	BFO_FOUND_DIR_CSUM,
	BFO_FOUND_DIR_HOLE,
	BFO_FOUND_DIR_SIZE,
	BFO_FOUND_DOTS,
	BFO_FOUND_NAME,
	BFO_FOUND_NAME_INODE,
	BFO_FOUND_NAME_DUPLICATE,
	BFO_FOUND_DIR_TWICE,
	BFO_FOUND_LINK_COUNT,
	BFO_FOUND_UNREACHED,
	BFO_FOUND_COMPOSITE,
	BFO_FOUND_MEMBER,
	/* of what is mounted: */
	BFO_FOUND_CHANGED,
	BFO_FOUND_XATTR_NAME,
	BFO_FOUND_FEATURE,
	BFO_FOUND_TIME,
	BFO_FOUND_STREAM,
	/* what cannot be read: */
	BFO_UNREAD_TABLE,	/* inodes `ino` and following, `blocks` of them */
	BFO_UNREAD_INODE,	/* a name of one of these */
	BFO_UNREAD_DIR,
	BFO_UNREAD_MAP,
	BFO_UNREAD_XATTR,
	BFO_UNREAD_SYMLINK,
	BFO_UNREAD_DATA,
	BFO_UNREAD_FILE,
	BFO_UNREAD_LOCKED,
	BFO_UNREAD_QUOTA,
	BFO_UNREAD_OTHER,	/* compare: a name, and in which directory */
	/* what the target cannot hold: */
	BFO_LOST_XATTR,
	BFO_LOST_NANOSECONDS,
	BFO_LOST_BIRTH,
	BFO_LOST_TIME,
	BFO_LOST_VERSION,
	BFO_LOST_PROJECT,
	BFO_LOST_PREALLOCATION,
	BFO_LOST_SYMLINK,
	BFO_LOST_SIZE,
	BFO_LOST_ENCRYPTED,
	BFO_LOST_STABLE,
	BFO_LOST_NUMBER,
	BFO_LOST_VERITY,
	BFO_LOST_CASEFOLD,
	BFO_LOST_NAME,
	BFO_LOST_LINKS,
	BFO_FOUND_KINDS
};

struct bfo_finding_row {
	const char *word;	/* for scripts */
	const char *text;	/* what is wrong */
	const char *done;	/* what was done about it */
	int is_loss;		/* the source is sound, but the target cannot hold it */
};

extern const struct bfo_finding_row bfo_finding_table[BFO_FOUND_KINDS];

/*
 * Adds to LOSSES, a bit for each kind, those that TEXT names: their words, with commas between
 * them, or "all".  Returns NULL, or where in TEXT something begins that is none.
 */
const char *bfo_losses_read(const char *text, uint64_t *losses);

/* True if it is about what cannot be read. */
static inline int bfo_finding_is_unread(enum bfo_finding_kind kind)
{
	return kind >= BFO_UNREAD_TABLE && kind <= BFO_UNREAD_OTHER;
}

#define BFO_NO_NAME UINT32_MAX

struct bfo_finding {
	uint32_t kind;
	uint32_t ino;		/* inode concerned; 0 unknown */
	uint64_t blk;		/* block concerned; 0 none */
	union {
		uint64_t text;	/* for names: where it stands in the tree's arena, */
		uint64_t lblk;	/* parts of files: the first logical block */
	};
	uint32_t len;		/* its length (BFO_NO_NAME: no name involved), */
	union {
		uint32_t dir;	/* and the inode of its directory */
		uint32_t blocks; /* parts of files: how many; 0: no part */
	};
};

typedef BFO_VEC(struct bfo_finding) bfo_findings;

#endif
