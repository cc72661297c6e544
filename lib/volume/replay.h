/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay.h - what a journal's replay would change, without doing it
 *
 * The same blocks with the same content as jbd2 would write; where jbd2 would refuse to mount,
 * this is an error.  The content stays in the journal: 16 bytes of memory per block replayed (24
 * while it is found out).
 */
#ifndef BFO_VOLUME_REPLAY_H
#define BFO_VOLUME_REPLAY_H

#include "volume/journal.h"

/* A block of the filesystem whose content stands in the journal. */
struct bfo_replayed {
	uint64_t blk;
	uint32_t at;		/* in the journal */
	uint32_t escaped;	/* begins with the journal's magic, which is missing there */
};

struct bfo_replay {
	BFO_VEC(struct bfo_replayed) blocks;	/* ascending by blk, each once */
	uint32_t transactions;			/* committed and not yet written back */
};

/*
 * Scans J.  Blocks must be below LIMIT, where the filesystem's device ends.  Returns
 * BFO_ET_JOURNAL if the journal is damaged in a way that jbd2 does not forgive, or
 * BFO_ET_RECOVERY if it has fast commits, which are not replayed here.  R must be zeroed; free it
 * also after a failure.
 */
errcode_t bfo_replay_scan(struct bfo_context *ctx, const struct bfo_journal *j, uint64_t limit,
			  struct bfo_replay *r);

/* The first of R in block BLK or behind it; NULL if there is none. */
const struct bfo_replayed *bfo_replay_from(const struct bfo_replay *r, uint64_t blk);

/* Reads into BLOCK what B has in journal J. */
errcode_t bfo_replay_read(struct bfo_context *ctx, const struct bfo_journal *j,
			  const struct bfo_replayed *b, void *block);

void bfo_replay_free(struct bfo_replay *r);

/* True if any of COUNT blocks from BLK is replayed. */
int bfo_replay_touches(const struct bfo_replay *r, uint64_t blk, uint64_t count);

#endif
