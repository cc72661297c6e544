/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arrive.h - data of a source that come once, into a target's free blocks
 *
 *   open ── [begin ── part* ── end]* ── close ── the plan, with kept segments ── commit
 *
 * They are written as they come, contiguous in that order, while more is read (move/pipe.h).
 * Nothing is marked: until the plan is committed, the blocks are free, and whatever happens the
 * target is as before.  A plan that is refused, or a file that is not part of it in the end, needs
 * no undoing.
 *
 * Memory: two buffers, 16 bytes per free range, and 16 per extent of the file at hand.
 */
#ifndef BFO_COMMIT_ARRIVE_H
#define BFO_COMMIT_ARRIVE_H

#include "gather/arrival.h"
#include "gather/target.h"
#include "volume/volume.h"

struct bfo_arrive;

struct bfo_arrive_options {
	uint64_t memory;		/* bytes that buffers may take; it needs little */
	enum bfo_direct_use direct;	/* bulk goes around the page cache */
	int verify;			/* reads back what was written, in the end */
};

struct bfo_arrive_stats {
	uint64_t files, bytes;		/* that were announced, and have come */
	uint64_t requests, blocks;	/* written */
};

/*
 * Begins: *A.  VOL is opened for writing, TARGET is what is free there; both have to stay.  ENOMEM,
 * errors of reading the superblock.
 */
errcode_t bfo_arrive_open(struct bfo_arrive **a, struct bfo_context *ctx, struct bfo_volume *vol,
			  const struct bfo_target *target, const struct bfo_arrive_options *opt);

/*
 * Where a source's data go: A has to stay open.  Errors: BFO_ET_NO_SPACE, BFO_ET_DAMAGED,
 * BFO_ET_CANCELLED, ENOMEM; those of writing, perhaps of what came earlier.
 */
const struct bfo_arrival *bfo_arrive_where(const struct bfo_arrive *a);

/*
 * Ends: with ERR 0 all is written, and read back if that was asked for; else as soon as possible.
 * Returns the first error of reading or writing, which ctx->what is about.  STATS may be NULL.
 * NULL is fine as A.
 */
errcode_t bfo_arrive_close(struct bfo_arrive *a, errcode_t err, struct bfo_arrive_stats *stats);

#endif
