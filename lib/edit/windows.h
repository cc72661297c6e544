/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * windows.h - metadata blocks as they stand on the volume, read some at a time
 *
 * Inodes and directories lie together, so what is next to a block is likely to be wanted, too: one
 * request reads a window of 32 blocks.  Where a second window of a region is wanted, the next
 * request reads all of the region, which is as large as reading it costs no more than a seek: so
 * operations in any order cost at most twice what they would if all were known beforehand.  When
 * there are too many windows, all are dropped.
 *
 * Errors: ENOMEM; those of reading (gather/batch.h).
 */
#ifndef BFO_EDIT_WINDOWS_H
#define BFO_EDIT_WINDOWS_H

#include "base/vec.h"
#include "volume/volume.h"

struct bfo_window;

struct bfo_windows {
	struct bfo_context *ctx;
	struct bfo_volume *vol;
	uint64_t region;		/* blocks */
	struct bfo_window **table;	/* by number of the region: WINDOW_SLOTS */
	uint64_t bytes;			/* of all */
};

/* SEEK: what a seek costs, in blocks (bfo_reader_seek()). */
errcode_t bfo_windows_init(struct bfo_windows *w, struct bfo_context *ctx, struct bfo_volume *vol,
			   uint64_t seek);

/* Block BLK, valid until the next one is asked for. */
errcode_t bfo_windows_block(struct bfo_windows *w, uint64_t blk, const void **data);

/* The volume has changed. */
void bfo_windows_drop(struct bfo_windows *w);
void bfo_windows_free(struct bfo_windows *w);

#endif
