/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own_blocks.h - blocks that belong to the filesystem itself
 *
 * Errors: ENOMEM.
 */
#ifndef BFO_GATHER_OWN_BLOCKS_H
#define BFO_GATHER_OWN_BLOCKS_H

#include "gather/batch.h"
#include "tree/tree.h"

/*
 * Hands superblocks, descriptors (also reserved ones), bitmaps and inode tables of all groups to
 * TAKE, LEN > 0 blocks from BLK on.  A non-zero return ends it.
 */
errcode_t bfo_own_groups(const struct bfo_volume *vol,
			 errcode_t (*take)(void *priv, uint64_t blk, uint32_t len), void *priv);

/*
 * Fills TREE with the journal, quota files and the orphan file, as bfo_inode_scan_some() does.  (Of
 * the inode for resizing nearly all blocks are reserved descriptors.)
 */
errcode_t bfo_own_inodes(struct bfo_reader *r, struct bfo_tree *tree);

#endif
