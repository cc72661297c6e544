/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lost.h - from blocks that cannot be read to the files that lie there
 *
 * One walk over all segments, whenever it is wanted; so nobody who reads has to know whose blocks
 * they are, and what is reported does not depend on how they were read.
 *
 * Errors: ENOMEM, and those of reading (gather/batch.h).
 */
#ifndef BFO_GATHER_LOST_H
#define BFO_GATHER_LOST_H

#include "gather/source.h"
#include "tree/tree.h"

/*
 * Reads all data of the files that the plan has put in order, for nothing but to find out what
 * cannot be read (bfo_source_bad()).  Memory meanwhile: 24 bytes per extent.
 */
errcode_t bfo_lost_look(struct bfo_source *source, const struct bfo_tree *tree);

/*
 * Reports every part of such a file that SOURCE cannot read, as far as that is known, as KIND, in
 * the order of inodes and bytes.  With BFO_UNREAD_FILE the file becomes BFO_INODE_BAD.
 */
errcode_t bfo_lost_report(struct bfo_tree *tree, const struct bfo_source *source,
			  enum bfo_finding_kind kind);

/*
 * The file that has block BLK: its record, and *LBLK; or BFO_NONE. Directories until they are
 * planned.
 */
bfo_row bfo_lost_owner(const struct bfo_tree *tree, uint64_t blk, uint64_t *lblk);

/* The N inodes INOS, ascending, their maps and data are all there, as far as the volume knows. */
errcode_t bfo_lost_nothing(struct bfo_reader *r, const uint32_t *inos, size_t n, int *all);

#endif
