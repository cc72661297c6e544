/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pipebed.h - a pipe to a slow disk, and buffers filled with numbers
 *
 * A buffer's block holds the number of the target block it goes to, in its first and last word,
 * but only once it is read: what is written too early holds something else.  All places and lengths
 * here are in blocks of the target, whatever the unit of the pipe.
 */
#ifndef UNIT_PIPEBED_H
#define UNIT_PIPEBED_H

#include "commit/writer.h"
#include "move/pipe.h"
#include "slowdisk.h"
#include "unit.h"

struct pipebed {
	struct bfo_context ctx;
	struct bfo_writer w;
	struct bfo_drain drain;		/* of the writer */
	struct bfo_pipe p;
	uint32_t units;			/* of a block */
	uint64_t end;			/* blocks added: the stem */
	struct bfo_data_progress *progress;	/* for the pipe; set before it is opened, or NULL */
	errcode_t (*begin)(void *priv), (*settle)(void *priv);	/* the drain's; the same */
};

/* UNITS make a block.  The disk is reset; bfo_pipe_close() is all there is to closing. */
void pipebed_open(struct pipebed *b, uint32_t units, uint64_t memory, uint64_t total);

/* A buffer, which must be empty. */
struct bfo_buffer *pipebed_begin(struct pipebed *b);

/* The next LEN blocks go to BLK and following; they are made here, or come later. */
void pipebed_add(struct pipebed *b, struct bfo_buffer *buffer, uint64_t blk, uint32_t len,
		 int later);

/* LEN blocks at AT, which go to BLK and following, have been read. */
errcode_t pipebed_arrive(struct pipebed *b, struct bfo_buffer *buffer, uint32_t at, uint64_t blk,
			 uint32_t len);

/* Publishes a buffer with N writes of two blocks each, from BLK on at every fourth block. */
struct bfo_buffer *pipebed_publish(struct pipebed *b, uint64_t blk, uint32_t n);

#endif
