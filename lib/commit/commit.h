/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commit.h - carrying out a plan: the only part of the library that writes to a volume
 *
 *   mark     the target's superblock says "not clean"                    flush
 *   stem     data, directories, attribute blocks; then extent blocks     ascending, each once
 *   tables   inode table blocks that nobody looks at yet                 ascending, each once
 *   quota    files anew, to places in the stem                           each once
 *                                                                        flush
 *   (verify  all of that is read back from the medium)
 *   transaction  bitmaps, descriptors, shared table blocks               flush
 *            superblock: counts, "clean" again                           flush
 *
 * Up to the transaction nothing that is live has changed, so that until then a failure or a
 * cancellation puts the first superblock back and leaves the target as it was.
 */
#ifndef BFO_COMMIT_COMMIT_H
#define BFO_COMMIT_COMMIT_H

#include "gather/batch.h"
#include "plan/plan.h"

struct bfo_commit_options {
	uint64_t memory;	/* bytes of batch buffer */
	int verify;		/* read back what was written, before and after it goes live */
};

struct bfo_commit_stats {
	uint64_t read_requests, read_blocks;	/* from the source, for data */
	uint64_t write_requests, write_blocks;	/* to the target, all */
	int unclean;			/* after a failure: the target is not what it was */
};

/*
 * Carries out PLAN; READER reads the source.  If the target could not be put back after a
 * failure, ctx->what says so, and stats->unclean.
 */
errcode_t bfo_commit(struct bfo_plan *plan, struct bfo_reader *reader, struct bfo_volume *target,
		     const struct bfo_commit_options *opt, struct bfo_commit_stats *stats);

#endif
