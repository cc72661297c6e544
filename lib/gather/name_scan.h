/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * name_scan.h - all names of all directories, read in the order in which their blocks lie
 *
 * Errors: ENOMEM, and those of reading (gather/batch.h).
 */
#ifndef BFO_GATHER_NAME_SCAN_H
#define BFO_GATHER_NAME_SCAN_H

#include "gather/batch.h"
#include "tree/tree.h"

/*
 * Appends to TREE a record for every name in every directory that has one in TREE, except "."
 * and "..".  Indexes of directories are not used: their blocks read as empty ones.
 */
errcode_t bfo_name_scan(struct bfo_reader *r, struct bfo_tree *tree);

/* A name as it stands in its directory. */
struct bfo_found_name {
	bfo_row dir;		/* index of the directory's record */
	uint32_t ino;
	uint32_t lblk;		/* logical block of the directory */
	uint32_t type;		/* EXT2_FT_* */
	uint32_t len;		/* bytes */
	const char *text;
	const void *hashes;	/* BFO_HASH_BYTES of them, if the directory has them; or NULL */
};

typedef errcode_t (*bfo_take_name)(void *priv, const struct bfo_found_name *name);

/* The same, but names go to TAKE instead of into TREE, in the order in which they are read. */
errcode_t bfo_name_scan_to(struct bfo_reader *r, struct bfo_tree *tree, bfo_take_name take,
			   void *priv);

/* What is to be read of a directory; the sort key (base/sort.h). */
struct bfo_dir_part {
	bfo_row dir;
	uint32_t lblk;		/* this block of it; BFO_NONE: all, in blocks or in the inode */
};

typedef BFO_VEC(struct bfo_dir_part) bfo_dir_parts;

/*
 * The same of these PARTS alone, ascending, each once, of directories that have records in TREE;
 * those that are damaged are passed over.
 */
errcode_t bfo_name_scan_parts(struct bfo_reader *r, struct bfo_tree *tree,
			      const bfo_dir_parts *parts, bfo_take_name take, void *priv);

/*
 * Gives all names the type of their inode, which must be read for that: needed where directories
 * do not say it (no feature filetype) and the inodes are not in TREE.
 */
errcode_t bfo_name_types(struct bfo_reader *r, struct bfo_tree *tree);

#endif
