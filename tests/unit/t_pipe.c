// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_pipe.c - move/pipe: the writer follows the reader, never overtakes it, and stops when told
 *
 * The target is a disk in memory (slowdisk.h), buffers are filled with what shows whether the
 * writer took it too early (pipebed.h).
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pipebed.h"

#define BS SLOWDISK_BS
#define BLOCKS SLOWDISK_BLOCKS
#define CHUNK (BFO_CHUNK_BYTES / BS)	/* 64 blocks */
#define LONGEST ((8U << 20) / BS)	/* blocks of a write: 128 */

/* A random number of writes, neighbours or not; *NEXT: the lowest block not yet used. */
static void add_random(struct pipebed *b, struct chance *c, struct bfo_buffer *buffer,
		       uint64_t *next)
{
	uint32_t left, len;

	while ((left = b->p.capacity / b->units - buffer->used / b->units) && chance_below(c, 30)) {
		len = chance_between(c, 1, chance_below(c, 5) ? 9 : 200);
		len = len < left ? len : left;
		if (len < left && !chance_below(c, 4))	/* a block that nobody wants */
			buffer->used += b->units;
		*next += chance_below(c, 2);
		pipebed_add(b, buffer, *next, len, chance_below(c, 4));
		*next += len;
	}
}

/* The target block that block AT of the buffer goes to. */
static uint64_t goes_to(const struct pipebed *b, const struct bfo_buffer *buffer, uint32_t at)
{
	const struct bfo_buffer_write *w = buffer->writes.v;

	while (at >= w->at / b->units + w->len)
		w++;
	return w->blk + (at - w->at / b->units);
}

/* Which blocks of the buffer are still to come, in pieces that arrive in any order. */
static void arrive_random(struct pipebed *b, struct chance *c, struct bfo_buffer *buffer)
{
	uint32_t blocks = buffer->used / b->units, n = 0, i, k, swap;
	uint32_t *order = unit_alloc(blocks * sizeof(*order));
	uint64_t first;

	for (i = 0; i < blocks; i++) {
		memcpy(&first, buffer->buf + (size_t) i * BS, sizeof(first));
		if (first == UINT64_MAX)
			order[n++] = i;
	}
	for (i = 0; i < n; i++) {
		k = chance_between(c, i, n - 1);
		swap = order[k];
		order[k] = order[i];
		order[i] = swap;
		want_ok(pipebed_arrive(b, buffer, swap, goes_to(b, buffer, swap), 1));
	}
	free(order);
}

/* Everything in the order in which it was added, once, as it was read.  _i: in which unit. */
START_TEST(writes_in_order)
{
	uint64_t next = 1, at = 0, added = 0, written = 0, blk;
	struct bfo_buffer *buffer;
	struct chance c;
	struct pipebed b = { .progress = NULL };
	uint32_t len;
	size_t i;
	int k;

	chance_init(&c, 9400 + _i);
	pipebed_open(&b, 1 << 2 * (_i % 3), 2 * (CHUNK + chance_below(&c, 200)), BLOCKS);
	for (k = 0; k < 12; k++) {
		buffer = pipebed_begin(&b);
		want(buffer == &b.p.buffer[k % 2]);
		add_random(&b, &c, buffer, &next);
		bfo_pipe_publish(&b.p, buffer);
		for (i = 0; i < buffer->writes.n; i++)
			added += buffer->writes.v[i].len;
		arrive_random(&b, &c, buffer);
	}
	want_ok(bfo_pipe_close(&b.p, 0));
	want(next < BLOCKS);
	for (i = 0; i < slowdisk_requests(); i++, written += len) {
		blk = slowdisk_request(i, &len);
		want(blk >= at && len <= LONGEST);
		at = blk + len;
		slowdisk_holds(blk, len);
	}
	want_eq(at, next);
	want_eq(written, added);
	want_eq(b.w.requests, slowdisk_requests());
}
END_TEST

/* True if all threads but this one sleep, as only those do that wait for others. */
static int others_sleep(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *d;
	int asleep = 1;

	want(tasks);
	while ((d = readdir(tasks)) && asleep) {
		char path[300], state = 'S';
		FILE *f;

		if (*d->d_name == '.' || atoi(d->d_name) == gettid())
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/stat", d->d_name);
		f = fopen(path, "re");
		if (f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1)
			asleep = state == 'S';
		if (f)
			fclose(f);
	}
	closedir(tasks);
	return asleep;
}

/* Waits until the writer can do nothing but wait. */
static void settle(void)
{
	while (!others_sleep())
		sched_yield();
}

/* COUNT requests were made, and no more follow. */
static void want_quiet(size_t count)
{
	if (count)
		slowdisk_wait(count);
	settle();
	want_eq(slowdisk_requests(), count);
}

/* Nothing of a chunk is written before all of it is there; what is there is written at once. */
START_TEST(waits_for_chunks)
{
	struct bfo_buffer *buffer;
	struct pipebed b = { .progress = NULL };

	pipebed_open(&b, _i ? 16 : 1, 8 * CHUNK, BLOCKS);
	buffer = pipebed_begin(&b);
	pipebed_add(&b, buffer, 1000, 4 * CHUNK, 1);
	bfo_pipe_publish(&b.p, buffer);
	want_quiet(0);
	want_ok(pipebed_arrive(&b, buffer, CHUNK, 1000 + CHUNK, CHUNK));
	want_quiet(0);
	want_ok(pipebed_arrive(&b, buffer, 0, 1000, CHUNK - 1));
	want_quiet(0);
	want_ok(pipebed_arrive(&b, buffer, CHUNK - 1, 1000 + CHUNK - 1, 1));
	slowdisk_want(0, 1000, 2 * CHUNK);
	want_ok(pipebed_arrive(&b, buffer, 2 * CHUNK, 1000 + 2 * CHUNK, 32));
	want_quiet(1);
	want_ok(pipebed_arrive(&b, buffer, 2 * CHUNK + 32, 1000 + 2 * CHUNK + 32, CHUNK));
	slowdisk_want(1, 1000 + 2 * CHUNK, CHUNK);
	want_quiet(2);
	want_ok(pipebed_arrive(&b, buffer, 3 * CHUNK + 32, 1000 + 3 * CHUNK + 32, CHUNK - 32));
	slowdisk_want(2, 1000 + 3 * CHUNK, CHUNK);
	want_ok(bfo_pipe_close(&b.p, 0));
	want_eq(slowdisk_requests(), 3);
	slowdisk_holds(1000, 4 * CHUNK);
}
END_TEST

/* A write that begins inside a chunk goes as far as chunks are complete. */
START_TEST(cuts_at_chunks)
{
	struct bfo_buffer *buffer;
	struct pipebed b = { .progress = NULL };

	pipebed_open(&b, _i ? 16 : 1, 8 * CHUNK, BLOCKS);
	buffer = pipebed_begin(&b);
	pipebed_add(&b, buffer, 500, 10, 0);
	pipebed_add(&b, buffer, 1000, 30, 1);		/* both are one write */
	pipebed_add(&b, buffer, 1030, 70, 1);
	bfo_pipe_publish(&b.p, buffer);
	want_ok(pipebed_arrive(&b, buffer, 10, 1000, CHUNK - 10));
	slowdisk_want(0, 500, 10);
	slowdisk_want(1, 1000, CHUNK - 10);
	want_quiet(2);
	want_ok(pipebed_arrive(&b, buffer, CHUNK, 1000 + CHUNK - 10, 100 - (CHUNK - 10)));
	slowdisk_want(2, 1000 + CHUNK - 10, 100 - (CHUNK - 10));
	want_ok(bfo_pipe_close(&b.p, 0));
	want_eq(slowdisk_requests(), 3);
	slowdisk_holds(500, 10);
	slowdisk_holds(1000, 100);
}
END_TEST

/* The reader fails: what came is written, up to the first chunk that is missing. */
START_TEST(finishes_what_came)
{
	struct bfo_data_progress progress = { .done = 7 };
	struct bfo_buffer *buffer;
	struct pipebed b = { .progress = &progress };

	pipebed_open(&b, _i ? 16 : 1, 8 * CHUNK, BLOCKS);
	slowdisk_hold(1);
	buffer = pipebed_begin(&b);
	pipebed_add(&b, buffer, 1000, 4 * CHUNK, 1);
	bfo_pipe_publish(&b.p, buffer);
	want_ok(pipebed_arrive(&b, buffer, 0, 1000, CHUNK));
	slowdisk_want(0, 1000, CHUNK);
	want_ok(pipebed_arrive(&b, buffer, CHUNK, 1000 + CHUNK, CHUNK));
	want_ok(pipebed_arrive(&b, buffer, 3 * CHUNK, 1000 + 3 * CHUNK, CHUNK));
	slowdisk_hold(0);
	bfo_pipe_finish(&b.p);
	want_err(bfo_pipe_close(&b.p, BFO_ET_CHANGED), BFO_ET_CHANGED);
	want_eq(slowdisk_requests(), 2);
	slowdisk_holds(1000, 2 * CHUNK);
	want_eq(progress.done, 2 * CHUNK);
}
END_TEST

/* A reader's call that has to wait: in a thread of its own. */
struct waiter {
	struct pipebed *b;
	struct bfo_buffer *buffer;
	errcode_t err;
	int done;
	pthread_t thread;
};

static void *wait_begin(void *arg)
{
	struct waiter *w = arg;

	w->err = bfo_pipe_begin(&w->b->p, &w->buffer);
	__atomic_store_n(&w->done, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void *wait_close(void *arg)
{
	struct waiter *w = arg;

	w->err = bfo_pipe_close(&w->b->p, BFO_ET_CANCELLED);
	return NULL;
}

/* A third buffer is the first one again, and there only once that is written. */
START_TEST(alternates_two_buffers)
{
	struct bfo_buffer *first, *second;
	struct pipebed b = { .progress = NULL };
	struct waiter w = { .b = &b };

	pipebed_open(&b, 1, 2 * CHUNK, BLOCKS);
	slowdisk_hold(1);
	first = pipebed_publish(&b, 100, 3);
	second = pipebed_publish(&b, 200, 2);
	want(first != second && first->buf != second->buf);
	want(!pthread_create(&w.thread, NULL, wait_begin, &w));
	slowdisk_want(0, 100, 2);
	want_quiet(1);
	want(!__atomic_load_n(&w.done, __ATOMIC_SEQ_CST));
	slowdisk_hold(0);
	want(!pthread_join(w.thread, NULL));
	want_ok(w.err);
	want(w.buffer == first);
	want_eq(first->used, 0);
	want_eq(first->writes.n, 0);
	want(slowdisk_requests() >= 3);
	slowdisk_holds(108, 2);
	pipebed_add(&b, first, 300, 2, 0);
	bfo_pipe_publish(&b.p, first);
	want(pipebed_publish(&b, 400, 1) == second);
	want_ok(bfo_pipe_close(&b.p, 0));
	want_eq(slowdisk_requests(), 3 + 2 + 1 + 1);
	slowdisk_holds(204, 2);
	slowdisk_holds(300, 2);
	slowdisk_holds(400, 2);
}
END_TEST

/* How many requests there were when all was to be on the disk; 0: it was not to be. */
static size_t settled;

static errcode_t note_settled(void *priv)
{
	(void) priv;
	__atomic_store_n(&settled, slowdisk_requests(), __ATOMIC_SEQ_CST);
	return 0;
}

/* Of one disk: all of the memory is read, then all of it written, and only then more is read. */
START_TEST(takes_turns_on_one_disk)
{
	struct pipebed b = { .settle = note_settled };
	struct waiter w = { .b = &b };
	struct bfo_buffer *buffer;

	settled = 0;
	pipebed_open(&b, _i ? 16 : 1, 8 * CHUNK, BLOCKS);
	want_eq(b.p.capacity / b.units, 8 * CHUNK);
	buffer = pipebed_begin(&b);
	pipebed_add(&b, buffer, 1000, CHUNK, 0);
	pipebed_add(&b, buffer, 3000, 2 * CHUNK, 1);
	bfo_pipe_publish(&b.p, buffer);
	want(!pthread_create(&w.thread, NULL, wait_begin, &w));
	want_ok(pipebed_arrive(&b, buffer, CHUNK, 3000, 2 * CHUNK - 1));
	want_quiet(0);
	slowdisk_hold(1);
	want_ok(pipebed_arrive(&b, buffer, 3 * CHUNK - 1, 3000 + 2 * CHUNK - 1, 1));
	slowdisk_want(0, 1000, CHUNK);
	want_quiet(1);
	want(!__atomic_load_n(&w.done, __ATOMIC_SEQ_CST));
	want_eq(settled, 0);
	slowdisk_hold(0);
	want(!pthread_join(w.thread, NULL));
	want_eq(settled, 2);
	want(w.buffer == buffer && !buffer->used);
	pipebed_add(&b, buffer, 5000, 2, 0);
	bfo_pipe_publish(&b.p, buffer);
	want_ok(bfo_pipe_close(&b.p, 0));
	want_eq(settled, 3);
	slowdisk_holds(3000, 2 * CHUNK);
	slowdisk_holds(5000, 2);
}
END_TEST

/* One buffer takes everything if it fits into the memory of both; none is below a chunk. */
START_TEST(sizes_buffers)
{
	static const uint32_t cases[][3] = {	/* memory, total, capacity: blocks */
		{ 200, 200, 200 }, { 200, 201, 100 }, { 200, 199, 199 }, { 200, 10, CHUNK },
		{ 2 * CHUNK + 1, 5000, CHUNK }, { 0, 0, CHUNK }, { 1, 300, CHUNK },
	};
	uint32_t capacity = cases[_i][2];
	struct bfo_buffer *buffer;
	struct pipebed b = { .progress = NULL };

	pipebed_open(&b, 4, cases[_i][0], cases[_i][1]);
	want_eq(b.p.capacity / b.units, capacity);
	buffer = pipebed_begin(&b);
	pipebed_add(&b, buffer, 1000, capacity - 1, 1);
	pipebed_add(&b, buffer, 3000, 1, 1);
	bfo_pipe_publish(&b.p, buffer);
	want_ok(pipebed_arrive(&b, buffer, capacity - 1, 3000, 1));
	want_ok(pipebed_arrive(&b, buffer, 0, 1000, capacity - 1));
	want_ok(bfo_pipe_close(&b.p, 0));
	slowdisk_holds(1000, capacity - 1);
	slowdisk_holds(3000, 1);
	want_eq(b.w.blocks, capacity);
}
END_TEST

/* The writer's error reaches the reader wherever it is, and outlives its own.  _i: it has one. */
START_TEST(hands_errors_to_the_reader)
{
	struct bfo_buffer *buffer;
	struct pipebed b = { .progress = NULL };
	struct waiter w = { .b = &b };

	pipebed_open(&b, 1, 2 * CHUNK, BLOCKS);
	slowdisk_fail(3);
	slowdisk_hold(1);
	pipebed_publish(&b, 100, 5);
	buffer = pipebed_publish(&b, 200, 5);
	want(!pthread_create(&w.thread, NULL, wait_begin, &w));
	want_quiet(1);
	want_ok(bfo_pipe_arrived(&b.p, buffer, 0, 0));
	slowdisk_hold(0);
	want(!pthread_join(w.thread, NULL));		/* was waiting for the first buffer */
	want_err(w.err, EIO);
	want_err(bfo_pipe_arrived(&b.p, buffer, 0, 0), EIO);
	want_err(bfo_pipe_begin(&b.p, &buffer), EIO);
	want_err(bfo_pipe_close(&b.p, _i ? BFO_ET_CANCELLED : 0), EIO);
	want(!strcmp(b.ctx.what, "writing 2 blocks at block 108 of disk"));
	want_eq(slowdisk_requests(), 3);
}
END_TEST

/* The pipe's error. */
static errcode_t error_of(struct bfo_pipe *p)
{
	errcode_t err;

	pthread_mutex_lock(&p->lock);
	err = p->err;
	pthread_mutex_unlock(&p->lock);
	return err;
}

/* Both sides fail: the error is that of the side that failed first, and ctx->what is about it. */
START_TEST(says_what_failed_first)
{
	struct pipebed b = { .progress = NULL };
	struct waiter w = { .b = &b };

	pipebed_open(&b, 1, 2 * CHUNK, BLOCKS);
	slowdisk_fail(1);
	pipebed_publish(&b, 100, 1);
	while (!error_of(&b.p))
		sched_yield();
	want_err(bfo_pipe_close(&b.p, bfo_fail(&b.ctx, BFO_ET_CANCELLED, "reading")), EIO);
	want(!strcmp(b.ctx.what, "writing 2 blocks at block 100 of disk"));

	pipebed_open(&b, 1, 2 * CHUNK, BLOCKS);
	slowdisk_fail(1);
	slowdisk_hold(1);
	pipebed_publish(&b, 100, 1);
	slowdisk_wait(1);
	bfo_fail(&b.ctx, BFO_ET_CANCELLED, "reading");
	want(!pthread_create(&w.thread, NULL, wait_close, &w));
	while (!error_of(&b.p))
		sched_yield();
	slowdisk_hold(0);
	want(!pthread_join(w.thread, NULL));
	want_err(w.err, BFO_ET_CANCELLED);
	want(!strcmp(b.ctx.what, "reading"));
}
END_TEST

/* The same at once, whoever is first: for the thread sanitizer (tests/race) above all. */
START_TEST(fails_on_both_sides_at_once)
{
	struct pipebed b = { .progress = NULL };
	errcode_t err;

	pipebed_open(&b, 1, 2 * CHUNK, BLOCKS);
	slowdisk_fail(1);
	pipebed_publish(&b, 100, 1);
	bfo_fail(&b.ctx, BFO_ET_CANCELLED, "reading");
	err = bfo_pipe_close(&b.p, BFO_ET_CANCELLED);
	if (err == BFO_ET_CANCELLED)
		want(!strcmp(b.ctx.what, "reading"));
	else
		want(!strcmp(b.ctx.what, "writing 2 blocks at block 100 of disk"));
	want(b.w.ctx == &b.ctx);
}
END_TEST

/* The reader's error stops a writer that waits for blocks, and one amid its writes. */
START_TEST(stops_when_told)
{
	struct bfo_buffer *buffer;
	struct pipebed b = { .progress = NULL };
	struct waiter w = { .b = &b };

	pipebed_open(&b, 1, 2 * CHUNK, BLOCKS);
	buffer = pipebed_begin(&b);
	pipebed_add(&b, buffer, 100, 10, 1);
	bfo_pipe_publish(&b.p, buffer);
	settle();
	want_err(bfo_pipe_close(&b.p, BFO_ET_CANCELLED), BFO_ET_CANCELLED);
	want_eq(slowdisk_requests(), 0);

	pipebed_open(&b, 1, 2 * CHUNK, BLOCKS);
	slowdisk_hold(1);
	pipebed_publish(&b, 100, 5);
	pipebed_publish(&b, 200, 5);
	slowdisk_wait(1);
	want(!pthread_create(&w.thread, NULL, wait_close, &w));
	while (!error_of(&b.p))
		sched_yield();
	slowdisk_hold(0);
	want(!pthread_join(w.thread, NULL));
	want_err(w.err, BFO_ET_CANCELLED);
	want_eq(slowdisk_requests(), 1);
}
END_TEST

/* _i: how many buffers were published before the one that is not. */
START_TEST(writes_what_is_published)
{
	struct bfo_buffer *buffer;
	struct pipebed b = { .progress = NULL };
	int i;

	pipebed_open(&b, 1, 2 * CHUNK, BLOCKS);
	for (i = 0; i < _i; i++)
		pipebed_publish(&b, 100 * (i + 1), 3);
	buffer = pipebed_begin(&b);
	pipebed_add(&b, buffer, 1000, 10, 0);
	want_ok(bfo_pipe_close(&b.p, 0));
	want_eq(slowdisk_requests(), 3 * _i);
	want_eq(b.w.blocks, 6 * _i);
}
END_TEST

/* ---- beginning ---- */

static sem_t has_begun, may_go;
static errcode_t begin_err;

/* From the writer's thread. */
static errcode_t begin_when_told(void *priv)
{
	const struct bfo_writer *w = priv;

	sem_post(&has_begun);
	while (sem_wait(&may_go))
		;
	return begin_err ? bfo_fail(w->ctx, begin_err, "beginning") : 0;
}

/* The drain begins before anything is read, and meanwhile all of it is.  _i: beginning fails. */
START_TEST(begins_while_the_first_are_read)
{
	struct pipebed b = { .begin = begin_when_told };

	begin_err = _i ? ENOSPC : 0;
	want(!sem_init(&has_begun, 0, 0) && !sem_init(&may_go, 0, 0));
	pipebed_open(&b, 1, 2 * CHUNK, BLOCKS);
	while (sem_wait(&has_begun))
		;
	pipebed_publish(&b, 100, 3);
	pipebed_publish(&b, 200, 2);
	want_quiet(0);
	want(!sem_post(&may_go));
	want_err(bfo_pipe_close(&b.p, 0), begin_err);
	want_eq(slowdisk_requests(), _i ? 0 : 5);
	want(!_i || !strcmp(b.ctx.what, "beginning"));
}
END_TEST

/* ---- progress ---- */

/* What note() was told, and whether that was true. */
struct notes {
	struct pipebed *b;
	uint64_t told[8], first;	/* FIRST: block where the stem begins */
	uint32_t n;
	errcode_t err;			/* of the first note */
};

/* From the writer's thread: nothing is under way, all before DONE is on the disk, no more. */
static errcode_t note(void *priv, uint64_t done)
{
	struct notes *notes = priv;
	uint64_t written = 0;
	uint32_t len;
	size_t i;

	for (i = 0; i < slowdisk_requests(); i++, written += len)
		slowdisk_request(i, &len);
	if (notes->n >= 8 || written != done)
		abort();
	slowdisk_holds(notes->first, done);
	notes->told[notes->n++] = done;
	return notes->n == 1 ? notes->err : 0;
}

/* After every write, if there is no interval.  _i: 1: with gaps in the buffer; else one run. */
START_TEST(tells_progress)
{
	struct notes notes = { .first = 100 };
	struct bfo_data_progress progress = { .note = note, .priv = &notes };
	struct pipebed b = { .progress = &progress };
	uint32_t len = _i ? 48 : 2 * CHUNK, i;
	struct bfo_buffer *buffer;

	pipebed_open(&b, 1, 4 * CHUNK, BLOCKS);
	for (i = 0; i < 7; i++) {
		buffer = pipebed_begin(&b);
		buffer->used += _i;
		pipebed_add(&b, buffer, 100 + i * len, len, 0);
		bfo_pipe_publish(&b.p, buffer);
	}
	want_ok(bfo_pipe_close(&b.p, 0));
	want_eq(notes.n, 7);
	for (i = 0; i < 7; i++)
		want_eq(notes.told[i], (i + 1) * len);
	want_eq(progress.done, 7 * len);
}
END_TEST

/* The third write takes two seconds, the others none. */
static double time_of_writes(void *priv)
{
	(void) priv;
	return slowdisk_requests() < 3 ? 1000 : 1002;
}

/* Not before the interval has passed, not even for the first time, and not at once again. */
START_TEST(tells_progress_now_and_then)
{
	struct notes notes = { .first = 100 };
	const struct bfo_timer timer = { .now = time_of_writes };
	struct bfo_data_progress progress = { .note = note, .priv = &notes, .interval = 2,
					      .timer = &timer };
	struct pipebed b = { .progress = &progress };
	struct bfo_buffer *buffer;
	uint32_t i;

	pipebed_open(&b, 1, 4 * CHUNK, BLOCKS);
	for (i = 0; i < 4; i++) {
		buffer = pipebed_begin(&b);
		pipebed_add(&b, buffer, 100 + i * 8, 8, 0);
		bfo_pipe_publish(&b.p, buffer);
	}
	want_ok(bfo_pipe_close(&b.p, 0));
	want_eq(notes.n, 1);
	want_eq(notes.told[0], 24);
	want_eq(progress.done, 32);
}
END_TEST

/* A run of several writes: each is told with its own end, not with that of the run. */
START_TEST(tells_progress_within_runs)
{
	struct notes notes = { .first = 100 };
	struct bfo_data_progress progress = { .note = note, .priv = &notes };
	struct pipebed b = { .progress = &progress };
	uint32_t all = 3 * LONGEST, i;
	struct bfo_buffer *buffer;

	pipebed_open(&b, 1, all, all);
	buffer = pipebed_begin(&b);
	for (i = 0; i < all; i += 4)
		pipebed_add(&b, buffer, 100 + i, 4, 0);
	want_eq(buffer->writes.n, 1);
	bfo_pipe_publish(&b.p, buffer);
	want_ok(bfo_pipe_close(&b.p, 0));
	want_eq(notes.n, 3);
	for (i = 0; i < 3; i++)
		want_eq(notes.told[i], (i + 1) * LONGEST);
	want_eq(progress.done, all);
}
END_TEST

/* A write that fails does not count; what note() returns ends the pipe, with the write done. */
START_TEST(ends_progress_with_errors)
{
	struct notes notes = { .first = 100, .err = _i ? 0 : BFO_ET_CHANGED };
	struct bfo_data_progress progress = { .note = note, .priv = &notes, .done = 12345 };
	struct pipebed b = { .progress = &progress };
	uint32_t writes = _i ? 3 : 1;
	struct bfo_buffer *buffer;

	pipebed_open(&b, 1, 4 * LONGEST, 4 * LONGEST);
	slowdisk_fail(_i ? 3 : 0);
	buffer = pipebed_begin(&b);
	pipebed_add(&b, buffer, 100, 4 * LONGEST, 0);
	bfo_pipe_publish(&b.p, buffer);
	slowdisk_wait(writes);
	want_err(bfo_pipe_close(&b.p, 0), _i ? EIO : BFO_ET_CHANGED);
	want_eq(progress.done, _i ? 2 * LONGEST : LONGEST);
	want_eq(slowdisk_requests(), writes);
	want_eq(notes.n, _i ? 2 : 1);
}
END_TEST

/* Neighbours on the disk that are not neighbours in the stem are two writes. */
START_TEST(keeps_stem_gaps_apart)
{
	struct bfo_data_progress progress = { .note = note, .interval = 1e9 };
	struct pipebed b = { .progress = &progress };
	struct bfo_buffer *buffer;

	pipebed_open(&b, 1, 4 * CHUNK, BLOCKS);
	buffer = pipebed_begin(&b);
	pipebed_add(&b, buffer, 100, 4, 0);
	b.end += 7;			/* unwritten blocks */
	pipebed_add(&b, buffer, 104, 5, 0);
	bfo_pipe_publish(&b.p, buffer);
	want_ok(bfo_pipe_close(&b.p, 0));
	slowdisk_want(0, 100, 4);
	slowdisk_want(1, 104, 5);
	want_eq(progress.done, 16);
}
END_TEST

/* Bytes of a buffer that have memory. */
static size_t resident(const struct bfo_buffer *buffer, size_t bytes)
{
	size_t page = sysconf(_SC_PAGESIZE), i, n = 0;
	unsigned char *in = unit_alloc(bytes / page);

	want(!mincore(buffer->buf, bytes, in));
	for (i = 0; i < bytes / page; i++)
		n += in[i] & 1;
	free(in);
	return n * page;
}

/* While it waits, the writer takes memory for all chunks of a buffer, and not for more. */
START_TEST(touches_memory_while_it_waits)
{
	size_t bytes = 5 * BFO_CHUNK_BYTES, spare = 4 * BFO_CHUNK_BYTES;
	struct pipebed b = { .progress = NULL };
	struct bfo_buffer *buffer;

	pipebed_open(&b, 1, 9 * CHUNK, 9 * CHUNK);
	buffer = pipebed_begin(&b);
	buffer->used = 5 * CHUNK + 3;
	bfo_pipe_expect(&b.p, buffer, 0, buffer->used);
	want_ok(bfo_pipe_add_write(&b.p, buffer, 0, 100, buffer->used, buffer->used));
	want_eq(resident(buffer, bytes + spare), 0);
	bfo_pipe_publish(&b.p, buffer);
	while (resident(buffer, bytes) < bytes)		/* the test's time limit ends that */
		sched_yield();
	settle();
	want(resident(buffer, bytes + spare) < bytes + BFO_CHUNK_BYTES);
	want_eq(slowdisk_requests(), 0);
	want_err(bfo_pipe_close(&b.p, BFO_ET_CHANGED), BFO_ET_CHANGED);
}
END_TEST

Suite *pipe_suite(void)
{
	Suite *s = suite_create("pipe");

	unit_case(s, "writes_in_order", writes_in_order, 6);
	unit_case(s, "waits_for_chunks", waits_for_chunks, 2);
	unit_case(s, "cuts_at_chunks", cuts_at_chunks, 2);
	unit_case(s, "finishes_what_came", finishes_what_came, 2);
	unit_case(s, "alternates_two_buffers", alternates_two_buffers, 0);
	unit_case(s, "takes_turns_on_one_disk", takes_turns_on_one_disk, 2);
	unit_case(s, "sizes_buffers", sizes_buffers, 7);
	unit_case(s, "hands_errors_to_the_reader", hands_errors_to_the_reader, 2);
	unit_case(s, "says_what_failed_first", says_what_failed_first, 0);
	unit_case(s, "fails_on_both_sides_at_once", fails_on_both_sides_at_once, 20);
	unit_case(s, "stops_when_told", stops_when_told, 0);
	unit_case(s, "writes_what_is_published", writes_what_is_published, 4);
	unit_case(s, "begins_while_the_first_are_read", begins_while_the_first_are_read, 2);
	unit_case(s, "tells_progress", tells_progress, 2);
	unit_case(s, "tells_progress_now_and_then", tells_progress_now_and_then, 0);
	unit_case(s, "tells_progress_within_runs", tells_progress_within_runs, 0);
	unit_case(s, "ends_progress_with_errors", ends_progress_with_errors, 2);
	unit_case(s, "keeps_stem_gaps_apart", keeps_stem_gaps_apart, 0);
	unit_case(s, "touches_memory_while_it_waits", touches_memory_while_it_waits, 0);
	return s;
}
