/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pipe.h - one or two buffers between a thread that reads and a thread that writes
 *
 * The reader fills a buffer in the order of the source, the writer empties it in the order of
 * the target, beginning before all of it is read: a buffer is cut into chunks, and each chunk
 * counts the blocks that are still to come.
 *
 *   reader:  pipe_begin ── add nodes and writes ── pipe_publish ── pipe_arrived ...
 *   writer:  waits for a published buffer ── for each write waits for its chunks ── hands it back
 *
 * Where both are one disk there is one buffer, of all the memory: its writer begins when all of it
 * is read, and the reader goes on when all of it is on the disk.
 *
 * A writer that has to wait touches the memory of what is read to places all over the buffer: to
 * find and clear so much takes as long as to read it, where memory was not used before.
 *
 * Places in a buffer are counted in units: the smaller of the source's and the drain's blocks, or
 * BFO_PACK_BYTES for a drain that is packed.
 */
#ifndef BFO_MOVE_PIPE_H
#define BFO_MOVE_PIPE_H

#include <pthread.h>

#include "base/clock.h"
#include "base/vec.h"
#include "move/drain.h"

#define BFO_CHUNK_BYTES (4U << 20)

/* How far the stem is filled, for who may go on with it one day. */
struct bfo_data_progress {
	/* Blocks of the stem before DONE were written; from the thread that writes.  Or NULL. */
	errcode_t (*note)(void *priv, uint64_t done);
	void *priv;
	double interval;	/* seconds that pass before it is called, and called again */
	const struct bfo_timer *timer;	/* whose seconds; NULL: the machine's */
	uint64_t from;		/* blocks of the stem before this one are there already */
	uint64_t done;		/* returned: were written, whatever came of the rest */
};

/* A run of blocks to be written. */
struct bfo_buffer_write {
	uint64_t blk;		/* on the target */
	uint32_t at;		/* units, from the start of the buffer */
	uint32_t len;		/* blocks */
	uint64_t end;		/* all of the stem before this is written once the run is */
	uint32_t units;		/* that the blocks take in the buffer */
	int is_even;		/* all of its blocks but the last one are whole */
};

struct bfo_buffer {
	char *buf;
	uint32_t used;			/* units of buf that have an owner */
	uint32_t touched;		/* the writer's: units before this one have memory */
	BFO_VEC(struct bfo_buffer_write) writes;
	uint32_t *missing;		/* per chunk: units still to be read */
	int published;			/* the writer may take it */
};

struct bfo_pipe {
	const struct bfo_drain *drain;
	struct bfo_context *readers;		/* the caller's */
	struct bfo_context writers;		/* the drain's while the writer's thread runs */
	struct bfo_data_progress *progress;	/* told by the writer */
	double told;			/* seconds: when it was told, or the pipe opened */
	uint32_t unit;			/* bytes */
	uint32_t block_units;		/* units of a block of the target */
	uint32_t capacity;		/* units of one buffer */
	uint32_t chunk;			/* units of one chunk */
	struct bfo_buffer buffer[2];
	int buffers;			/* 1 or 2 of them */
	int filling;			/* the reader's */
	errcode_t err;			/* first error of either side */
	struct bfo_context *failed;	/* whose that is: readers, &writers; or NULL */
	int ended;			/* no buffer will follow */
	pthread_mutex_t lock;
	pthread_cond_t change;
	pthread_t thread;
	int running;
};

/*
 * One or two buffers of together MEMORY bytes; or, if all TOTAL bytes fit into that, one that takes
 * them at once (what is never touched takes no memory).  UNIT is in bytes.  DRAIN has to stay;
 * PROGRESS may be NULL.  Starts the writer.
 */
errcode_t bfo_pipe_open(struct bfo_pipe *p, const struct bfo_drain *drain, uint32_t unit,
			uint64_t memory, uint64_t total, struct bfo_data_progress *progress);

/* Waits until a buffer is free and returns it, emptied. */
errcode_t bfo_pipe_begin(struct bfo_pipe *p, struct bfo_buffer **buffer);

/* LEN units of the buffer will be filled by reading: counts them as missing. */
void bfo_pipe_expect(struct bfo_pipe *p, struct bfo_buffer *b, uint32_t at, uint32_t len);

/*
 * The LEN blocks from unit AT of the buffer on go to target block BLK; in the stem they end at END.
 */
errcode_t bfo_pipe_add_write(struct bfo_pipe *p, struct bfo_buffer *b, uint32_t at, uint64_t blk,
			     uint32_t len, uint64_t end);

/*
 * In its place, for a drain that is packed: the blocks, of which the last one need not be whole,
 * take UNITS of the buffer.
 */
errcode_t bfo_pipe_add_packed(struct bfo_pipe *p, struct bfo_buffer *b, uint32_t at, uint32_t units,
			      uint64_t blk, uint32_t len, uint64_t end);

/* All nodes and writes of the buffer are known: the writer may begin. */
void bfo_pipe_publish(struct bfo_pipe *p, struct bfo_buffer *b);

/* LEN units that were expected at AT have been read; returns the writer's error, if any. */
errcode_t bfo_pipe_arrived(struct bfo_pipe *p, struct bfo_buffer *b, uint32_t at, uint32_t len);

/*
 * No more will be read: waits until all that is there is written, as far as nothing before it is
 * missing.  To be closed afterwards.
 */
void bfo_pipe_finish(struct bfo_pipe *p);

/*
 * Ends: waits for the writer, or stops it if ERR is set.  Returns the first error of either side;
 * the caller's context is about that one then.
 */
errcode_t bfo_pipe_close(struct bfo_pipe *p, errcode_t err);

#endif
