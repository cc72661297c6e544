/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolve.h - from many paths to inode numbers, by reading what lies on the way
 *
 *   root ── inodes of directories ── indexes ── blocks of names ──┐	names of one level
 *                  ^                                              │
 *                  └──────────────────────────────────────────────┘
 *
 * All paths go down together, a level of directories at a time.  What a level needs is sorted by
 * block and read once, in ascending order: inodes of its directories and their block maps, the
 * nodes of the indexes of long directories (htree_scan.h), the blocks that can have the names.  A
 * name to which the index of its directory does not lead is not there, as for a kernel.
 *
 * What is read follows one rule, by the costs of the reader (bfo_reader_cost()): S blocks for a
 * seek, 1 MiB of a device that seeks, else 128 KiB; a quarter of that is read over to the next
 * block that is needed.
 *
 *  1. Of inode tables, the blocks that are needed are read.  Where many are, that becomes all of
 *     the tables, in large requests; it never costs more than to read all of them.
 *  2. Once what a level needs of them, times the levels that are left, costs as much as all tables,
 *     these are read once, and the inodes of all directories kept.
 *  3. A directory of up to S blocks is read as a whole, of a longer one what its index leads to.
 *
 * Memory: 52 bytes a path; while a level is read, 16 a path and level of indexes, and of its
 * directories (2.: of all directories) what tree/tree.h says.
 *
 * Errors: ENOMEM, and those of reading (gather/batch.h).
 */
#ifndef BFO_GATHER_RESOLVE_H
#define BFO_GATHER_RESOLVE_H

#include "gather/batch.h"
#include "gather/htree_scan.h"

/* Why a path leads nowhere. */
enum bfo_path_fault {
	BFO_PATH_SOUND,		/* it leads somewhere */
	BFO_PATH_UP,		/* ".." is in it */
	BFO_PATH_MISSING,	/* there is no such name */
	BFO_PATH_DAMAGED,	/* the same, and the directory is damaged, or cannot be read */
	BFO_PATH_PACKED,	/* the same, and a composite file is, in which it may be a member */
	BFO_PATH_NO_DIR,	/* it goes on behind what is no directory */
	BFO_PATH_LINK,		/* the same: a symbolic link */
	BFO_PATH_UNREAD,	/* the same: an inode that cannot be read */
};

struct bfo_resolved {
	uint32_t ino;		/* what it leads to, or has led to before its fault */
	uint32_t parent;	/* the directory of that; the root's is the root */
	enum bfo_path_fault fault;
	int is_last;		/* BFO_PATH_MISSING: it is the last component that is not there */
};

/*
 * Follows N PATHS from the root on, fewer than BFO_NONE, each to its place in OUT.  Symbolic links
 * are not followed.
 */
errcode_t bfo_resolve(struct bfo_reader *r, const char *const *paths, size_t n,
		      struct bfo_resolved *out);

/* The same; MET gets each name on the way of a path, with what it leads to, level by level. */
typedef errcode_t (*bfo_met_name)(void *priv, uint32_t dir_ino, const struct bfo_sought *name);
errcode_t bfo_resolve_names(struct bfo_reader *r, const char *const *paths, size_t n,
			    struct bfo_resolved *out, bfo_met_name met, void *priv);

/*
 * 0 if WAY, where PATH of the volume called NAME has led, has no fault; else BFO_ET_NO_PATH,
 * BFO_ET_NOT_DIR or EINVAL (".."), with a text.
 */
errcode_t bfo_resolved_check(struct bfo_context *ctx, const char *name, const char *path,
			     const struct bfo_resolved *way);

#endif
