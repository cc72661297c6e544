/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extent.h - extents of planned items, and the trees that hold them
 *
 * Format: kernel Documentation/filesystems/ext4/ifork.rst.  Up to four extents stand in the
 * inode; more of them in blocks of a tree.  The blocks of one tree lie together, leaves first:
 *
 *   | leaf 0 | leaf 1 | ... | index over leaves | ... |      root: in the inode
 *
 * Errors: ENOMEM.
 */
#ifndef BFO_PLAN_EXTENT_H
#define BFO_PLAN_EXTENT_H

#include "plan/plan.h"

#define BFO_ROOT_EXTENTS 4U

typedef BFO_VEC(struct bfo_seg) bfo_segs;

/*
 * The target's extents of record ROW, in logical order, none longer than the format allows,
 * neighbours joined.  OUT is emptied first.
 */
errcode_t bfo_extents_of(const struct bfo_plan *plan, bfo_row row, bfo_segs *out);

/* Blocks that a tree needs for N extents; 0 if they fit into the inode. */
uint32_t bfo_extent_tree_blocks(uint32_t n, uint32_t block_size);

/*
 * Writes the root for N extents EXT into the 60 bytes of i_block; TREE may be NULL if it needs
 * none.
 */
void bfo_extent_root(const struct bfo_plan *plan, const struct bfo_map_tree *tree,
		     const struct bfo_seg *ext, uint32_t n, void *i_block);

/* Writes block K of TREE (target block size) to BUF, checksum included. */
void bfo_extent_block(const struct bfo_plan *plan, const struct bfo_map_tree *tree,
		      const struct bfo_seg *ext, uint32_t k, void *buf);

#endif
