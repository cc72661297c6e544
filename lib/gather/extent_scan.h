/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extent_scan.h - block maps: from inodes, extent trees and indirect blocks to segments
 *
 * Errors: ENOMEM, and those of reading (gather/batch.h).
 */
#ifndef BFO_GATHER_EXTENT_SCAN_H
#define BFO_GATHER_EXTENT_SCAN_H

#include "gather/batch.h"
#include "tree/tree.h"

/* A block of somebody's block map that has still to be read. */
struct bfo_map_block {
	bfo_row row;
	uint32_t depth;		/* 0 = its entries are data */
	uint64_t lo, hi;	/* logical blocks [lo, hi) it may speak of */
};

struct bfo_deep_seg {		/* a segment found below the inode */
	bfo_row row, lblk;	/* sort key */
	uint32_t len, unused;
	uint64_t blk;
};

typedef BFO_VEC(struct bfo_map_block) bfo_map_blocks;

struct bfo_extent_scan {
	struct bfo_reader *r;
	struct bfo_tree *tree;
	bfo_order_list level;		/* blocks of this level; tag = index into maps */
	bfo_order_list next_level;
	bfo_map_blocks maps;
	bfo_map_blocks next_maps;
	BFO_VEC(struct bfo_deep_seg) deep;
	int in_inode;			/* the map stands in the inode alone */
	/*
	 * The caller's: of a map that is damaged in parts, findings say which, as where parts
	 * cannot be read; the inode is not marked.
	 */
	int by_parts;
};

/*
 * Takes the block map in raw inode RAW of record ROW: what stands in the inode itself becomes
 * segments at once, what stands in blocks is queued.
 */
errcode_t bfo_extent_scan_inode(struct bfo_extent_scan *s, bfo_row row,
				const struct ext2_inode *raw);

/*
 * Reads all queued blocks, level by level, each level in block order, and gives every inode its
 * segments, sorted by logical block.  Inodes whose map is damaged are marked and reported.
 */
errcode_t bfo_extent_scan_run(struct bfo_extent_scan *s);

void bfo_extent_scan_free(struct bfo_extent_scan *s);

#endif
