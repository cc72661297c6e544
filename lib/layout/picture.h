/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture.h - a layout in few numbers, however large it is: for drawing
 */
#ifndef BFO_LAYOUT_PICTURE_H
#define BFO_LAYOUT_PICTURE_H

#include "layout/measure.h"

#define BFO_PLOT_SIDE 160	/* cells */

/* Points of two orders against each other, counted in cells; both axes from lowest to highest. */
struct bfo_plot {
	uint64_t x_min, x_max, y_min, y_max;
	uint64_t points;
	uint32_t most;				/* in one cell */
	uint32_t cell[BFO_PLOT_SIDE][BFO_PLOT_SIDE];	/* [y][x] */
};

/* Readdir position against inode number; inode number against first block. */
void bfo_plot_inodes(const struct bfo_layout *l, struct bfo_plot *p);
void bfo_plot_data(const struct bfo_layout *l, struct bfo_plot *p);

enum bfo_block_use {
	BFO_USE_FREE,
	BFO_USE_CONTIGUOUS,	/* files in one piece */
	BFO_USE_FRAGMENTED,	/* others */
	BFO_USE_DIRECTORY,
	BFO_USE_OTHER,		/* the filesystem's own, and files that were not asked for */
	BFO_USES
};

#define BFO_MAP_CELLS 4096

struct bfo_block_map {
	uint64_t blocks;	/* of the volume */
	uint64_t cell_blocks;	/* of each cell but perhaps the last */
	uint32_t cells;
	uint64_t cell[BFO_MAP_CELLS][BFO_USES];		/* blocks of each use */
};

/* FREE: free blocks.  The volume has BLOCKS > 0. */
void bfo_block_map(const struct bfo_layout *l, const bfo_ranges *free, uint64_t blocks,
		   struct bfo_block_map *map);

#endif
