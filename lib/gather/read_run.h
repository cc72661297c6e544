/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read_run.h - which nodes the batch reader reads in one request
 *
 *   nodes     [a][b]   [c]          [d d d d d d d d d d]   [e]
 *   runs      `--------'            `-------------------'   `-'
 *             merged                alone                   merged
 *
 * Errors: those of reading (gather/batch.h), and of the sink.
 */
#ifndef BFO_GATHER_READ_RUN_H
#define BFO_GATHER_READ_RUN_H

#include "gather/batch.h"

#define BFO_SEEK_BYTES (1U << 20)	/* a disk reads so many in the time of one seek */
#define BFO_SEEK_GAPS 4		/* a gap is read over for less than what a seek costs */

struct bfo_read_run {
	size_t first, last;	/* nodes [first, last) */
	uint64_t blk;
	uint64_t len;
	int alone;		/* one node that is read for itself */
};

/*
 * The run that begins with node FIRST of N sorted ones.  A node of half a merge buffer or more is
 * read for itself, and so is one of which a block is known to be bad; a run ends before such a
 * block.
 */
struct bfo_read_run bfo_read_run_next(const struct bfo_reader *r, const struct bfo_node *nodes,
				      size_t n, size_t first);

/* Reads RUN, to SINK. */
errcode_t bfo_read_run(struct bfo_reader *r, const struct bfo_node *nodes,
		       const struct bfo_read_run *run, const struct bfo_sink *sink);

#endif
