// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pipe.c - one or two buffers between a thread that reads and a thread that writes
 *
 * The lock guards `published`, `missing[]`, `err`, `failed` and `ended`; a batch's writes and bytes
 * belong to the reader until it is published, then its writes belong to the writer, and bytes do
 * once their chunk misses nothing.
 *
 * Both sides may fail at once, so the writer notes what it was doing in a context of its own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "base/thread.h"
#include "move/pipe.h"

#define WRITE_BYTES (8U << 20)		/* longest write */
#define NO_MORE ((errcode_t) -1)	/* the reader has ended before all of a buffer came */

static uint32_t chunks_of(const struct bfo_pipe *p)
{
	return p->capacity / p->chunk + 1;
}

static size_t buffer_bytes(const struct bfo_pipe *p)
{
	return (size_t) p->capacity * p->unit;
}

static errcode_t alloc_buffer(struct bfo_pipe *p, struct bfo_buffer *b)
{
	b->buf = bfo_pages_alloc(buffer_bytes(p));
	b->missing = calloc(chunks_of(p), sizeof(*b->missing));
	return b->buf && b->missing ? 0 : ENOMEM;
}

static void free_buffer(struct bfo_pipe *p, struct bfo_buffer *b)
{
	bfo_pages_free(b->buf, buffer_bytes(p));
	free(b->missing);
	bfo_vec_free(&b->writes);
}

/* One more chunk. */
static void touch_memory(const struct bfo_pipe *p, struct bfo_buffer *b)
{
	bfo_pages_touch(b->buf + (size_t) b->touched * p->unit, BFO_CHUNK_BYTES);
	b->touched += p->chunk;
}

/* With the lock; what is done meanwhile, without. */
static void wait_for_change(struct bfo_pipe *p, struct bfo_buffer *b)
{
	if (b->touched + p->chunk > b->used) {
		pthread_cond_wait(&p->change, &p->lock);
		return;
	}
	pthread_mutex_unlock(&p->lock);
	touch_memory(p, b);
	pthread_mutex_lock(&p->lock);
}

/* The first chunk of FIRST to LAST of which something is missing; else LAST + 1. */
static uint32_t first_missing(const struct bfo_buffer *b, uint32_t first, uint32_t last)
{
	while (first <= last && !b->missing[first])
		first++;
	return first;
}

/*
 * Waits until LEAST units from AT on are there; returns how many are, of LEN, or 0 if they will not
 * come.
 */
static uint32_t wait_for(struct bfo_pipe *p, struct bfo_buffer *b, uint32_t at, uint32_t least,
			 uint32_t len)
{
	uint32_t first = at / p->chunk, need = (at + least - 1) / p->chunk;
	uint32_t last = (at + len - 1) / p->chunk, missing;

	pthread_mutex_lock(&p->lock);
	while (first_missing(b, first, need) <= need && !p->err && !p->ended)
		wait_for_change(p, b);
	missing = first_missing(b, first, last);
	if (p->err || missing <= need)
		len = 0;
	pthread_mutex_unlock(&p->lock);
	if (missing <= last && len)
		len = missing * p->chunk - at;
	return len;
}

static double now(const struct bfo_pipe *p)
{
	const struct bfo_timer *timer = p->progress && p->progress->timer ? p->progress->timer :
					&bfo_real_time;

	return timer->now(timer->priv);
}

/* The stem up to END was written. */
static errcode_t tell(struct bfo_pipe *p, uint64_t end)
{
	errcode_t err;

	if (!p->progress)
		return 0;
	p->progress->done = end;
	if (!p->progress->note || now(p) < p->told + p->progress->interval)
		return 0;
	err = p->progress->note(p->progress->priv, end);
	p->told = now(p);
	return err;
}

/*
 * Waits for blocks of RUN from its block DONE on: how many are there, 0 if none will come.  Only
 * what is even is cut.
 */
static uint32_t wait_for_blocks(struct bfo_pipe *p, struct bfo_buffer *b,
				const struct bfo_buffer_write *run, uint32_t done)
{
	uint32_t max = WRITE_BYTES / p->drain->block_size, blocks = run->len - done, got;
	uint32_t from = done * p->block_units, units = run->units - from, least = units;

	if (run->is_even && blocks > max) {
		blocks = max;
		units = max * p->block_units;
	}
	if (run->is_even && units > p->block_units)
		least = p->block_units;
	got = wait_for(p, b, run->at + from, least, units);
	return got == units ? blocks : got / p->block_units;
}

static errcode_t write_run(struct bfo_pipe *p, struct bfo_buffer *b,
			   const struct bfo_buffer_write *run)
{
	uint32_t done, len, at;
	errcode_t err = 0;

	for (done = 0; done < run->len && !err; done += len) {
		at = run->at + done * p->block_units;
		len = wait_for_blocks(p, b, run, done);
		if (!len)
			return p->err ? p->err : NO_MORE;
		err = p->drain->write(p->drain->priv, run->blk + done, len,
				      b->buf + (size_t) at * p->unit);
		if (!err)
			err = tell(p, run->end - run->len + done + len);
	}
	return err;
}

/* Of one disk: all of it is read first, as far as it comes, and all is there at the end. */
static errcode_t write_buffer(struct bfo_pipe *p, struct bfo_buffer *b)
{
	const struct bfo_drain *drain = p->drain;
	errcode_t err = 0;
	size_t i;

	if (drain->settle && b->used)
		wait_for(p, b, 0, b->used, b->used);
	for (i = 0; i < b->writes.n && !err; i++)
		err = write_run(p, b, &b->writes.v[i]);
	return err || !drain->settle ? err : drain->settle(drain->priv);
}

/* CTX, the reader's or the writer's, is about ERR. */
static void set_error(struct bfo_pipe *p, errcode_t err, struct bfo_context *ctx)
{
	pthread_mutex_lock(&p->lock);
	if (err && !p->err) {
		p->err = err;
		p->failed = ctx;
	}
	pthread_cond_broadcast(&p->change);
	pthread_mutex_unlock(&p->lock);
}

/* Waits for buffer B to be published; 0 if none will come. */
static int wait_published(struct bfo_pipe *p, const struct bfo_buffer *b)
{
	int go;

	pthread_mutex_lock(&p->lock);
	while (!b->published && !p->ended && !p->err)
		pthread_cond_wait(&p->change, &p->lock);
	go = b->published && !p->err;
	pthread_mutex_unlock(&p->lock);
	return go;
}

static int other(const struct bfo_pipe *p, int buffer)
{
	return (buffer + 1) % p->buffers;
}

static void *writer_main(void *arg)
{
	struct bfo_pipe *p = arg;
	errcode_t err = p->drain->begin ? p->drain->begin(p->drain->priv) : 0;
	int turn = 0;

	set_error(p, err, &p->writers);
	for (; wait_published(p, &p->buffer[turn]); turn = other(p, turn)) {
		err = write_buffer(p, &p->buffer[turn]);
		if (err) {
			set_error(p, err == NO_MORE ? 0 : err, &p->writers);
			break;
		}
		pthread_mutex_lock(&p->lock);
		p->buffer[turn].published = 0;
		pthread_cond_broadcast(&p->change);
		pthread_mutex_unlock(&p->lock);
	}
	return NULL;
}

errcode_t bfo_pipe_open(struct bfo_pipe *p, const struct bfo_drain *drain, uint32_t unit,
			uint64_t memory, uint64_t total, struct bfo_data_progress *progress)
{
	uint64_t units;
	errcode_t err;

	memset(p, 0, sizeof(*p));
	p->drain = drain;
	p->readers = *drain->ctx;
	p->writers.cancel = p->readers->cancel;
	*drain->ctx = &p->writers;
	p->progress = progress;
	p->told = now(p);
	p->unit = unit;
	p->block_units = drain->block_size / unit;
	p->chunk = BFO_CHUNK_BYTES / unit;
	p->buffers = drain->settle ? 1 : 2;
	units = (total <= memory ? total : memory / p->buffers) / unit;
	p->capacity = units < p->chunk ? p->chunk : units > INT32_MAX ? INT32_MAX : units;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->change, NULL);
	err = alloc_buffer(p, &p->buffer[0]);
	if (!err && p->buffers > 1)
		err = alloc_buffer(p, &p->buffer[1]);
	if (!err)
		err = bfo_thread_start(&p->thread, writer_main, p);
	p->running = !err;
	if (err)
		bfo_pipe_close(p, err);
	return err;
}

errcode_t bfo_pipe_begin(struct bfo_pipe *p, struct bfo_buffer **buffer)
{
	struct bfo_buffer *b = &p->buffer[p->filling];
	errcode_t err;

	pthread_mutex_lock(&p->lock);
	while (b->published && !p->err)
		pthread_cond_wait(&p->change, &p->lock);
	err = p->err;
	pthread_mutex_unlock(&p->lock);
	b->used = 0;
	b->writes.n = 0;
	p->filling = other(p, p->filling);
	*buffer = b;
	return err;
}

void bfo_pipe_expect(struct bfo_pipe *p, struct bfo_buffer *b, uint32_t at, uint32_t len)
{
	uint32_t part;

	for (; len; at += part, len -= part) {
		part = p->chunk - at % p->chunk;
		if (part > len)
			part = len;
		b->missing[at / p->chunk] += part;
	}
}

static int has_whole_blocks(const struct bfo_pipe *p, const struct bfo_buffer_write *run)
{
	return run->units == (uint64_t) run->len * p->block_units;
}

/* Whether RUN goes on where LAST ends, there and in the buffer, and may be written with it. */
static int joins(const struct bfo_pipe *p, const struct bfo_buffer_write *last,
		 const struct bfo_buffer_write *run)
{
	return last->blk + last->len == run->blk && last->at + last->units == run->at &&
	       last->end + run->len == run->end &&
	       (has_whole_blocks(p, last) || last->units + run->units <= p->chunk);
}

errcode_t bfo_pipe_add_packed(struct bfo_pipe *p, struct bfo_buffer *b, uint32_t at, uint32_t units,
			      uint64_t blk, uint32_t len, uint64_t end)
{
	struct bfo_buffer_write *last = b->writes.n ? &b->writes.v[b->writes.n - 1] : NULL;
	struct bfo_buffer_write run = { .blk = blk, .at = at, .len = len, .end = end,
					.units = units, .is_even = 1 };

	if (!last || !joins(p, last, &run))
		return bfo_vec_push(&b->writes, run);
	last->is_even = has_whole_blocks(p, last);
	last->len += len;
	last->units += units;
	last->end = end;
	return 0;
}

errcode_t bfo_pipe_add_write(struct bfo_pipe *p, struct bfo_buffer *b, uint32_t at, uint64_t blk,
			     uint32_t len, uint64_t end)
{
	return bfo_pipe_add_packed(p, b, at, len * p->block_units, blk, len, end);
}

void bfo_pipe_publish(struct bfo_pipe *p, struct bfo_buffer *b)
{
	pthread_mutex_lock(&p->lock);
	b->published = 1;
	pthread_cond_broadcast(&p->change);
	pthread_mutex_unlock(&p->lock);
}

errcode_t bfo_pipe_arrived(struct bfo_pipe *p, struct bfo_buffer *b, uint32_t at, uint32_t len)
{
	int complete = 0;
	errcode_t err;
	uint32_t part;

	pthread_mutex_lock(&p->lock);
	for (; len; at += part, len -= part) {
		part = p->chunk - at % p->chunk;
		if (part > len)
			part = len;
		b->missing[at / p->chunk] -= part;
		complete |= !b->missing[at / p->chunk];
	}
	if (complete)
		pthread_cond_broadcast(&p->change);
	err = p->err;
	pthread_mutex_unlock(&p->lock);
	return err;
}

void bfo_pipe_finish(struct bfo_pipe *p)
{
	pthread_mutex_lock(&p->lock);
	p->ended = 1;
	pthread_cond_broadcast(&p->change);
	pthread_mutex_unlock(&p->lock);
	if (p->running)
		pthread_join(p->thread, NULL);
	p->running = 0;
}

errcode_t bfo_pipe_close(struct bfo_pipe *p, errcode_t err)
{
	set_error(p, err, p->readers);
	bfo_pipe_finish(p);
	*p->drain->ctx = p->readers;
	if (p->failed == &p->writers)
		memcpy(p->readers->what, p->writers.what, sizeof(p->writers.what));
	free_buffer(p, &p->buffer[0]);
	free_buffer(p, &p->buffer[1]);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->change);
	return p->err;
}
