/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure.h - how a file tree lies on its volume: fragments, orders, fill, what reading it costs
 *
 *   inode scan ── name scan ── bfo_tables_add_dirs ── bfo_names_list ── bfo_walk ─┬─ volume
 *                                                                                ├─ each directory
 *                                                                                └─ pictures
 *
 * Pure: computes from a gathered tree, does no I/O.  Only what the walk meets is measured. Memory
 * beside P7: 4 bytes per inode for the walk, 4 per name of the directories on the way, 16 per inode
 * while orders are compared, 16 per run of a directory and per block of a block map.
 */
#ifndef BFO_LAYOUT_MEASURE_H
#define BFO_LAYOUT_MEASURE_H

#include "base/range.h"
#include "layout/histogram.h"
#include "layout/reader.h"
#include "layout/steps.h"
#include "layout/walk.h"

#define BFO_LAYOUT_WORST 20

/* A file in many pieces. */
struct bfo_fragmented {
	bfo_row row;
	uint32_t fragments;
	uint64_t blocks;
};

/* Files and their pieces. */
struct bfo_pieces {
	uint64_t files;		/* regular ones */
	uint64_t contiguous;	/* of those with blocks */
	uint64_t blocks;
	struct bfo_histogram fragments;		/* of the files with blocks */
};

/* Room in directories, bytes: all blocks, and entries with names ("." and ".." too). */
struct bfo_fill {
	uint64_t used, room;
};

struct bfo_layout {
	struct bfo_tree *t;		/* names as bfo_names_list() leaves them */
	struct bfo_tables *tables;
	uint32_t read_bytes;		/* of a read(2) */
	bfo_rows items;		/* the walk in readdir order */

	/* measured, of all items: */
	struct bfo_pieces pieces;
	uint64_t directories, others;	/* others: symbolic links, devices ... */
	struct bfo_fill fill;
	struct bfo_fragmented worst[BFO_LAYOUT_WORST];	/* files, most fragments first */
	uint32_t n_worst;
	struct bfo_agreement inodes;	/* of inodes to the walk */
	struct bfo_agreement data;	/* of first data blocks to inodes */
	struct bfo_cost cost_data[BFO_WALK_ORDERS], cost_all[BFO_WALK_ORDERS];
};

/* One directory, without what is below it; of its files those that have no other name. */
struct bfo_layout_dir {
	bfo_row row;
	uint64_t names;
	struct bfo_pieces pieces;
	struct bfo_fill fill;
	struct bfo_agreement inodes, data;
	struct bfo_cost cost[BFO_WALK_ORDERS];	/* of the files' contents alone */
};

/* Pieces of record REC on the disk: runs of blocks that do not continue the one before. */
uint32_t bfo_layout_fragments(const struct bfo_tree *t, const struct bfo_inode *rec);

/* The first block of record REC, or 0; not of directories. */
uint64_t bfo_layout_first_block(const struct bfo_tree *t, const struct bfo_inode *rec);

/*
 * Measures what the N records ROOTS and all below them come to.  L begins as zeroes but for t,
 * tables and read_bytes.  Release with bfo_layout_free(), which leaves these alone, also after an
 * error.
 */
errcode_t bfo_layout_measure(struct bfo_layout *l, const uint32_t *roots, size_t n);
void bfo_layout_free(struct bfo_layout *l);

/* Measures directory record ROW, after the above. */
errcode_t bfo_layout_measure_dir(const struct bfo_layout *l, bfo_row row,
				 struct bfo_layout_dir *d);

#endif
