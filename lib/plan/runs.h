/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runs.h - where the blocks of a file are on the target
 *
 * The source's segments count the source's blocks, and those of the target may be larger or
 * smaller.  A run is a piece of a file or directory in blocks of the target, all of it written or
 * all of it unwritten:
 *
 *   segments, 1k   |w w|u u u u u u|    |w|        runs, 4k   |w |u  |w |
 *
 *  - a block that holds anything written is written, and zero where it holds nothing;
 *  - smaller blocks behind the end of the file are left out, unless they were preallocated;
 *  - where the target has no extents there is nothing unwritten: it becomes a hole;
 *  - with clusters (bigalloc), a block's number in the file and on the device agree modulo the
 *    cluster, so a run begins as far into a cluster of the stem as it does into one of the file;
 *  - what is kept where it lies on the target is a run of its own, and takes nothing of the stem.
 */
#ifndef BFO_PLAN_RUNS_H
#define BFO_PLAN_RUNS_H

#include "plan/plan.h"

struct bfo_run {
	uint64_t lblk;		/* first logical block, in blocks of the target */
	uint64_t at;		/* its place in the stem, counted from the item's own; or */
	uint64_t kept;		/* where it lies on the target, and stays; 0: in the stem */
	uint32_t len;		/* blocks, > 0 */
	int unwritten;
};

/* A walk over the runs of one record; begins with bfo_runs_begin(). */
struct bfo_run_walk {
	const struct bfo_plan *plan;
	const struct bfo_inode *rec;
	uint8_t block_bits, cluster_bits;	/* of sizes, which are powers of two */
	uint32_t seg;			/* next segment */
	int more;			/* `carry` is the next run's beginning */
	struct bfo_run carry;
	uint64_t last_cluster;		/* logical, of the run before in the stem */
	uint64_t end;			/* of it there */
	uint64_t last_kept;		/* logical cluster of the kept run before */
	uint64_t kept;			/* clusters of kept runs */
};

void bfo_runs_begin(struct bfo_run_walk *w, const struct bfo_plan *plan,
		    const struct bfo_inode *rec);

/* The next run, ascending; 0 if there is none. */
int bfo_runs_next(struct bfo_run_walk *w, struct bfo_run *run);

/*
 * Bytes of REC, a file, in front of which its data are copied: its size; whole blocks of where it
 * comes from, if it is encrypted; UINT64_MAX: all that there are, also behind its end (a verity
 * file's Merkle tree).
 */
uint64_t bfo_runs_data_end(const struct bfo_plan *plan, const struct bfo_inode *rec);

/* Blocks of the stem that the runs so far take: whole clusters. */
uint64_t bfo_runs_taken(const struct bfo_run_walk *w);

/* Blocks of the kept runs so far: whole clusters. */
uint64_t bfo_runs_kept(const struct bfo_run_walk *w);

#endif
