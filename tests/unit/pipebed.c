// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pipebed.c - a pipe to a slow disk, and buffers filled with numbers
 */
#include <string.h>

#include "pipebed.h"

void pipebed_open(struct pipebed *b, uint32_t units, uint64_t memory, uint64_t total)
{
	struct bfo_data_progress *progress = b->progress;
	errcode_t (*begin)(void *priv) = b->begin, (*settle)(void *priv) = b->settle;

	memset(b, 0, sizeof(*b));
	b->progress = progress;
	b->begin = begin;
	b->settle = settle;
	slowdisk_reset();
	b->w = (struct bfo_writer) { .ctx = &b->ctx, .vol = slowdisk_volume() };
	b->units = units;
	b->drain = bfo_writer_drain(&b->w, 0);
	b->drain.begin = begin;
	b->drain.settle = settle;
	want_ok(bfo_pipe_open(&b->p, &b->drain, SLOWDISK_BS / units, memory * SLOWDISK_BS,
			      total * SLOWDISK_BS, b->progress));
}

struct bfo_buffer *pipebed_begin(struct pipebed *b)
{
	struct bfo_buffer *buffer = NULL;

	want_ok(bfo_pipe_begin(&b->p, &buffer));
	want_eq(buffer->used, 0);
	want_eq(buffer->writes.n, 0);
	return buffer;
}

static void fill(struct bfo_buffer *buffer, uint32_t at, uint64_t blk)
{
	memcpy(buffer->buf + (size_t) at * SLOWDISK_BS, &blk, sizeof(blk));
	memcpy(buffer->buf + (size_t) (at + 1) * SLOWDISK_BS - sizeof(blk), &blk, sizeof(blk));
}

void pipebed_add(struct pipebed *b, struct bfo_buffer *buffer, uint64_t blk, uint32_t len,
		 int later)
{
	uint32_t at = buffer->used / b->units, i;

	for (i = 0; i < len; i++)
		fill(buffer, at + i, later ? UINT64_MAX : blk + i);
	if (later)
		bfo_pipe_expect(&b->p, buffer, at * b->units, len * b->units);
	b->end += len;
	want_ok(bfo_pipe_add_write(&b->p, buffer, at * b->units, blk, len, b->end));
	buffer->used += len * b->units;
}

errcode_t pipebed_arrive(struct pipebed *b, struct bfo_buffer *buffer, uint32_t at, uint64_t blk,
			 uint32_t len)
{
	uint32_t i;

	for (i = 0; i < len; i++)
		fill(buffer, at + i, blk + i);
	return bfo_pipe_arrived(&b->p, buffer, at * b->units, len * b->units);
}

struct bfo_buffer *pipebed_publish(struct pipebed *b, uint64_t blk, uint32_t n)
{
	struct bfo_buffer *buffer = pipebed_begin(b);

	for (; n; n--, blk += 4)
		pipebed_add(b, buffer, blk, 2, 0);
	bfo_pipe_publish(&b->p, buffer);
	return buffer;
}
