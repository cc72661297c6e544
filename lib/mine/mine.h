/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mine.h - groups of files that are used together, from a trace of accesses
 *
 *   open    add  add  add ...    finish: struct bfo_groups    close
 *
 * After S. Zhang, H. Catanese, A. A. Wang: "The Composite-file File System", FAST 2016, which
 * takes a variant of Apriori: count the files and keep those above a threshold, extend pairs of
 * successive accesses to longer sequences only from sequences that are frequent themselves, with
 * a support of 5 %, in batches of 50,000 references; sets that overlap: more members first, then
 * higher support, then the newer one.  Here this means:
 *
 *  - A batch is the next `batch` calls of add, of all streams.  Nothing reaches across batches.
 *  - In a batch, a stream's accesses stand one after the other.  One to the same file as the one
 *    before it is no access of its own: read again at once, it comes from memory.  Files with fewer
 *    than `least` accesses are taken out.
 *  - Two accesses that are now next to each other in a stream are successive if the second was
 *    among the `window` that followed the first before files were taken out.
 *  - A sequence is a list of 2 to `most` different files, and occurs where they are accessed in
 *    this order, one successive to the other.  It is frequent if it occurs `least` times or
 *    more, and if these are at least the share `support` of the accesses to each of its members
 *    in the batch (all-confidence; E. Omiecinski, 2003).  Parts of frequent sequences are
 *    frequent, which Apriori needs.  Those of 2 are looked for first, then those of 3, and so on;
 *    when there are `limit` or more, longer ones are not looked for.
 *  - Groups are taken from all frequent sequences of the batch, the longest first, of these the
 *    most frequent, of these the one that was seen last; from files that are in no group yet or
 *    only in groups of earlier batches that are not better (longer, or as long and more
 *    frequent).  Such a group loses these files, and what is left of it, where that is two or
 *    more neighbours, stays in groups with the support that it had.
 *
 * Decided here, where the paper leaves it open or it does not fit: 5 % are of the accesses to a
 * file, not of the batch, which in trees of thousands of files no file reaches (set `least` to
 * batch * 0.05 for that); sequences are of successive accesses, so there are at most as many of
 * them as accesses, whatever the trace; `most`, for the same reason; and what losers leave.
 *
 * Deterministic: the same calls, the same groups.
 *
 * Memory: at most 24 MiB, 12 bytes * (limit + batch / least), which only traces of long repetitions
 * come near to, and 12 bytes per call of add, which only those come near to where every file
 * belongs to a pair.  With ids from 0 on, that is; the highest costs 6 bytes.  15 million calls
 * take less than 200 MB, as the worst of both do not meet (tests/unit/t_mine.c).
 * Time: O(batch) for every length that frequent sequences have.  Measured: 0.1 us per call, and
 * 1.2 us if all that there is is one long repetition, so that every batch has all lengths.
 *
 * Errors are ENOMEM and BFO_ET_OVERFLOW; after one only close is allowed.
 */
#ifndef BFO_MINE_MINE_H
#define BFO_MINE_MINE_H

#include "mine/groups.h"

struct bfo_mine_options {
	double support;			/* share, 0 to 1 */
	uint32_t window;		/* accesses */
	uint32_t least;			/* occurrences in a batch; less than 2 is taken as 2 */
	uint32_t most;			/* members of a group */
	uint32_t batch;			/* references */
	uint32_t limit;			/* frequent sequences of a batch, about */
};

#define BFO_MINE_DEFAULTS \
	{ .support = 0.05, .window = 8, .least = 2, .most = 256, .batch = 50000, \
	  .limit = 3000000 }

struct bfo_mine;

/* OPTIONS: NULL for the defaults; so are those of its numbers that are 0, but for support. */
errcode_t bfo_mine_open(struct bfo_mine **out, const struct bfo_mine_options *options);
void bfo_mine_close(struct bfo_mine *m);		/* NULL is fine */

/*
 * The next access, in order of time.  STREAM: the process or client, any number.  FILE: its id,
 * below UINT32_MAX.
 */
errcode_t bfo_mine_add(struct bfo_mine *m, uint32_t stream, uint32_t file);

/*
 * No more accesses: the groups, in the order of preference (more members, higher support, newer
 * batch; then by first member).  OUT was zeroed; the caller frees it.  Once.
 */
errcode_t bfo_mine_finish(struct bfo_mine *m, struct bfo_groups *out);

struct bfo_mine_stat {
	uint64_t references;		/* calls of add */
	uint64_t batches;		/* mined so far */
	uint64_t sequences;		/* that were frequent in their batch */
	uint32_t longest;		/* members of the longest of these */
	uint64_t peak;			/* bytes: the most that was allocated at a time */
};

void bfo_mine_stat(const struct bfo_mine *m, struct bfo_mine_stat *stat);

#endif
