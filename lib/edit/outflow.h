/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outflow.h - contents on their way to free blocks, in large writes
 *
 * Blocks are given in the order in which they were taken from the supply, so most lie behind each
 * other and leave together.
 *
 *   old blocks   |ooo.....|   |oo......|        read together, ascending, before the new ones leave
 *                  `owed        `owed
 *   new blocks   |...nnnn.||..nn.....|
 *
 * Bytes of old blocks that stay in new ones are owed: who appends to many files in any order would
 * seek for each of them otherwise.
 *
 * Errors: those of writing (commit/writer.h); of reading what is owed (gather/batch.h): then all of
 * it stays, and so does the error.
 */
#ifndef BFO_EDIT_OUTFLOW_H
#define BFO_EDIT_OUTFLOW_H

#include "commit/writer.h"
#include "gather/batch.h"

/* LEN bytes from AT on of block BLK, which are to stand at TO. */
struct bfo_owed {
	uint64_t blk;
	char *to;
	uint32_t at, len;
};

struct bfo_outflow {
	struct bfo_writer *w;
	struct bfo_reader *r;
	char *buf;
	uint64_t first;		/* block that buf begins with */
	uint32_t n, most;	/* blocks in it, blocks that fit */
	uint64_t bytes;		/* that came since it began */
	BFO_VEC(struct bfo_owed) owed;
};

/* MEMORY: bytes of the buffer, at least a block.  ENOMEM. */
errcode_t bfo_outflow_init(struct bfo_outflow *o, struct bfo_writer *w, struct bfo_reader *r,
			   uint64_t memory);
void bfo_outflow_free(struct bfo_outflow *o);

/*
 * Where up to N blocks from BLK on are to be put, before the next call: *ROOM of them at *TO.  What
 * is in them before is not defined.
 */
errcode_t bfo_outflow_room(struct bfo_outflow *o, uint64_t blk, uint64_t n, void **to,
			   uint32_t *room);

/*
 * LEN bytes from AT on of block BLK of the volume, which stays what it is until all has left, are
 * to stand at TO, in what bfo_outflow_room() has given last.  ENOMEM.
 */
errcode_t bfo_outflow_owe(struct bfo_outflow *o, uint64_t blk, uint32_t at, uint32_t len, void *to);

/* All that was given leaves. */
errcode_t bfo_outflow_flush(struct bfo_outflow *o);

/* Block BLK, if it has not left yet, to be changed; or NULL. */
void *bfo_outflow_block(const struct bfo_outflow *o, uint64_t blk);

/* True if it has some of N blocks from BLK on: these cannot be read from the volume yet. */
int bfo_outflow_has(const struct bfo_outflow *o, uint64_t blk, uint64_t n);

#endif
