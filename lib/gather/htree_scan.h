/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * htree_scan.h - in which blocks of directories certain names can stand
 *
 *   roots ──> nodes ──> nodes ──> parts: leaves	of long directories that have an index
 *                            └──> parts: all		of all others
 *
 * Level by level over all directories: the blocks of a level are read in the order in which they
 * lie, each once.  A directory is read as a whole if it has no more blocks than a seek costs
 * (bfo_reader_seek()), as then finding the leaf first would cost no less; if it has no index, or
 * one whose hashes need a key; and if its index is damaged.
 *
 * Errors: ENOMEM, and those of reading (gather/batch.h).
 */
#ifndef BFO_GATHER_HTREE_SCAN_H
#define BFO_GATHER_HTREE_SCAN_H

#include "gather/name_scan.h"

/* A name that is looked for.  The first two words are the sort key (base/sort.h). */
struct bfo_sought {
	bfo_row dir;		/* in this directory */
	uint32_t crc;		/* of its bytes */
	const char *name;
	uint32_t len;		/* bytes, at most 255 */
	uint32_t path;		/* the caller's */
	uint32_t ino, type;	/* what it leads to (EXT2_FT_*); the caller's */
};

/*
 * Appends the parts of TREE's directories that can have the N names SOUGHT, which ascend by
 * directory: in the order that bfo_name_scan_parts() wants.
 */
errcode_t bfo_htree_scan(struct bfo_reader *r, const struct bfo_tree *tree,
			 const struct bfo_sought *sought, size_t n, bfo_dir_parts *parts);

#endif
