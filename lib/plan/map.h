/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map.h - where a planned item's blocks are, as its inode says it: extents or block numbers
 *
 * What the target has decides (feature extent).  Both kinds have a root in the inode, and blocks
 * of their own where that does not suffice: a struct bfo_map_tree.
 *
 * Errors: ENOMEM.
 */
#ifndef BFO_PLAN_MAP_H
#define BFO_PLAN_MAP_H

#include "plan/blockmap.h"
#include "plan/extent.h"

/* Scratch space; a zeroed one is ready for use, and may be used for one record after the other. */
struct bfo_map {
	bfo_segs ext;		/* the record's extents on the target */
	struct bfo_blockmap numbers;
	uint32_t blocks;	/* of the map, beside the inode */
	uint64_t allocated;	/* blocks that count in i_blocks: data and map, whole clusters */
};

/* Lays out the map of record ROW. */
errcode_t bfo_map_init(struct bfo_map *map, const struct bfo_plan *plan, bfo_row row);
void bfo_map_free(struct bfo_map *map);

/* Writes the root into the 60 bytes of i_block; TREE may be NULL if there are no blocks. */
void bfo_map_root(const struct bfo_map *map, const struct bfo_plan *plan,
		  const struct bfo_map_tree *tree, void *i_block);

/* Writes block K of TREE (target block size) to BUF, checksum included. */
void bfo_map_block(const struct bfo_map *map, const struct bfo_plan *plan,
		   const struct bfo_map_tree *tree, uint32_t k, void *buf);

#endif
