/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blockmap.h - the block maps of ext2 and ext3: direct, indirect, double and triple indirect blocks
 *
 * Format: kernel Documentation/filesystems/ext4/ifork.rst, "Direct/Indirect Block Addressing".  N
 * numbers of 32 bits fit into a block.  Past the twelve direct blocks a file is cut into leaves of
 * N blocks: leaf 0 hangs in the inode (IND), leaves 1 .. N in one block (DIND), the others in
 * groups of N in a tree of one more level (TIND).  Leaves that are holes are not there.
 *
 * The blocks of one map lie together:    | leaves | TIND's middle blocks | DIND | TIND |
 */
#ifndef BFO_PLAN_BLOCKMAP_H
#define BFO_PLAN_BLOCKMAP_H

#include "plan/extent.h"

/* A leaf or middle block that is there. */
struct bfo_map_part {
	uint32_t number;	/* among all that could be there */
	uint32_t first;		/* leaf: index of the first extent in it; middle: its first leaf */
};

struct bfo_blockmap {
	BFO_VEC(struct bfo_map_part) leaves;
	BFO_VEC(struct bfo_map_part) middles;
	uint32_t per_block;	/* N */
	uint32_t in_dind;	/* leaves below DIND */
	uint32_t blocks;	/* of the map, all */
};

/*
 * Lays out the map for the N_EXT extents EXT, ascending; may be repeated.  Returns
 * BFO_ET_FILE_TOO_BIG if a block lies behind what the map can reach, or has too large a number.
 */
errcode_t bfo_blockmap_init(struct bfo_blockmap *map, const struct bfo_seg *ext, uint32_t n_ext,
			    uint32_t block_size);
void bfo_blockmap_free(struct bfo_blockmap *map);

/* Writes the root into the 60 bytes of i_block; TREE says where the map's blocks are. */
void bfo_blockmap_root(const struct bfo_blockmap *map, const struct bfo_plan *plan,
		       const struct bfo_map_tree *tree, const struct bfo_seg *ext, uint32_t n_ext,
		       void *i_block);

/* Writes block K of the map to BUF. */
void bfo_blockmap_block(const struct bfo_blockmap *map, const struct bfo_plan *plan,
			const struct bfo_map_tree *tree, const struct bfo_seg *ext, uint32_t n_ext,
			uint32_t k, void *buf);

#endif
