// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * packed.c - bytes that are compressed by several threads
 *
 * Chunks are slots of a ring.  The caller fills one after the other and writes them out in the same
 * order; threads take those between, each the oldest that nobody has.
 *
 *      oldest          next             filling
 *        v              v                  v
 *   ... DONE BUSY DONE READY READY READY [FREE] FREE ...
 *
 *   FREE ── caller: full ──> READY ── thread ──> BUSY ── thread ──> DONE ── caller: written ─> FREE
 *
 * The state of a slot, `next` and `ending` change under the lock.  What else is in a slot belongs
 * to the caller while it is FREE or DONE, and to the thread while it is BUSY.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/bfo_err.h"
#include "export/packed.h"

enum slot_state { FREE, READY, BUSY, DONE };

struct slot {
	enum slot_state state;
	char *raw, *packed;
	size_t len;			/* of raw */
	size_t packed_len;		/* or zstd's error */
};

struct worker {
	struct bfo_packed *of;
	ZSTD_CCtx *codec;
	pthread_t thread;
	int is_running;
};

struct bfo_packed {
	struct bfo_output *out;
	struct slot *slots;
	struct worker *workers;
	unsigned int n_slots, n_workers;
	unsigned int filling, oldest;	/* the caller's */
	unsigned int next;
	int ending;
	pthread_mutex_t lock;
	pthread_cond_t is_ready, is_done;
};

static enum slot_state state_of(struct bfo_packed *p, struct slot *slot)
{
	enum slot_state state;

	pthread_mutex_lock(&p->lock);
	state = slot->state;
	pthread_mutex_unlock(&p->lock);
	return state;
}

static void set_state(struct bfo_packed *p, struct slot *slot, enum slot_state state)
{
	pthread_mutex_lock(&p->lock);
	slot->state = state;
	pthread_mutex_unlock(&p->lock);
}

static struct slot *take_ready(struct bfo_packed *p)
{
	struct slot *slot = NULL;

	pthread_mutex_lock(&p->lock);
	while (!p->ending && p->slots[p->next].state != READY)
		pthread_cond_wait(&p->is_ready, &p->lock);
	if (!p->ending) {
		slot = &p->slots[p->next];
		slot->state = BUSY;
		p->next = (p->next + 1) % p->n_slots;
	}
	pthread_mutex_unlock(&p->lock);
	return slot;
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct bfo_packed *p = w->of;
	struct slot *slot;

	while ((slot = take_ready(p))) {
		slot->packed_len = ZSTD_compress2(w->codec, slot->packed,
						  ZSTD_compressBound(BFO_PACKED_CHUNK), slot->raw,
						  slot->len);
		set_state(p, slot, DONE);
		pthread_cond_signal(&p->is_done);
	}
	return NULL;
}

static unsigned int processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
}

/* Signals are for the threads that the program knows. */
static errcode_t start(struct bfo_packed *p)
{
	sigset_t all, before;
	errcode_t err = 0;
	unsigned int i;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	for (i = 0; !err && i < p->n_workers; i++) {
		struct worker *w = &p->workers[i];

		err = pthread_create(&w->thread, NULL, worker_main, w);
		w->is_running = !err;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

static int set_parameter(ZSTD_CCtx *codec, ZSTD_cParameter which, int value)
{
	return ZSTD_isError(ZSTD_CCtx_setParameter(codec, which, value));
}

static errcode_t alloc_all(struct bfo_packed *p, int level)
{
	unsigned int i;

	p->slots = calloc(p->n_slots, sizeof(*p->slots));
	p->workers = calloc(p->n_workers, sizeof(*p->workers));
	if (!p->slots || !p->workers)
		return ENOMEM;
	for (i = 0; i < p->n_slots; i++) {
		p->slots[i].raw = malloc(BFO_PACKED_CHUNK);
		p->slots[i].packed = malloc(ZSTD_compressBound(BFO_PACKED_CHUNK));
		if (!p->slots[i].raw || !p->slots[i].packed)
			return ENOMEM;
	}
	for (i = 0; i < p->n_workers; i++) {
		struct worker *w = &p->workers[i];

		w->of = p;
		w->codec = ZSTD_createCCtx();
		if (!w->codec ||
		    set_parameter(w->codec, ZSTD_c_compressionLevel, level) ||
		    set_parameter(w->codec, ZSTD_c_checksumFlag, 1))
			return ENOMEM;
	}
	return 0;
}

errcode_t bfo_packed_open(struct bfo_context *ctx, struct bfo_output *out, int level,
			  unsigned int threads, struct bfo_packed **packed)
{
	struct bfo_packed *p = calloc(1, sizeof(*p));
	errcode_t err;

	*packed = NULL;
	if (!p)
		return bfo_fail(ctx, ENOMEM, "compressing %s", out->name);
	p->out = out;
	p->n_workers = threads ? threads : processors();
	p->n_slots = p->n_workers + 2;		/* one that is filled, one that is written */
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->is_ready, NULL);
	pthread_cond_init(&p->is_done, NULL);
	err = alloc_all(p, level);
	if (!err)
		err = start(p);
	if (err) {
		bfo_packed_free(p);
		return bfo_fail(ctx, err, "compressing %s", out->name);
	}
	*packed = p;
	return 0;
}

void bfo_packed_free(struct bfo_packed *p)
{
	unsigned int i;

	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->ending = 1;
	pthread_cond_broadcast(&p->is_ready);
	pthread_mutex_unlock(&p->lock);
	for (i = 0; p->workers && i < p->n_workers; i++) {
		if (p->workers[i].is_running)
			pthread_join(p->workers[i].thread, NULL);
		ZSTD_freeCCtx(p->workers[i].codec);
	}
	for (i = 0; p->slots && i < p->n_slots; i++) {
		free(p->slots[i].raw);
		free(p->slots[i].packed);
	}
	pthread_cond_destroy(&p->is_done);
	pthread_cond_destroy(&p->is_ready);
	pthread_mutex_destroy(&p->lock);
	free(p->workers);
	free(p->slots);
	free(p);
}

/* Waits until SLOT, which was ready once, is done. */
static void wait_done(struct bfo_packed *p, struct slot *slot)
{
	pthread_mutex_lock(&p->lock);
	while (slot->state != DONE)
		pthread_cond_wait(&p->is_done, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

static errcode_t write_oldest(struct bfo_context *ctx, struct bfo_packed *p)
{
	struct slot *slot = &p->slots[p->oldest];
	errcode_t err;

	wait_done(p, slot);
	if (ZSTD_isError(slot->packed_len))
		return bfo_fail(ctx, ENOMEM, "compressing %s", p->out->name);
	err = bfo_output_write(ctx, p->out, slot->packed, slot->packed_len);
	if (err)
		return err;
	slot->len = 0;
	set_state(p, slot, FREE);
	p->oldest = (p->oldest + 1) % p->n_slots;
	return 0;
}

/*
 * Hands the slot that was filled to the threads and writes what is done.  The next slot is to be
 * filled: if it is not free the ring is full, and it is the oldest.
 */
static errcode_t submit(struct bfo_context *ctx, struct bfo_packed *p)
{
	errcode_t err = 0;

	set_state(p, &p->slots[p->filling], READY);
	pthread_cond_signal(&p->is_ready);
	p->filling = (p->filling + 1) % p->n_slots;
	while (!err && (state_of(p, &p->slots[p->filling]) != FREE ||
			state_of(p, &p->slots[p->oldest]) == DONE))
		err = write_oldest(ctx, p);
	return err;
}

errcode_t bfo_packed_write(struct bfo_context *ctx, struct bfo_packed *p, const void *data,
			   size_t len)
{
	errcode_t err = 0;

	while (!err && len) {
		struct slot *slot = &p->slots[p->filling];
		size_t n = BFO_PACKED_CHUNK - slot->len;

		if (n > len)
			n = len;
		memcpy(slot->raw + slot->len, data, n);
		slot->len += n;
		data = (const char *) data + n;
		len -= n;
		if (slot->len == BFO_PACKED_CHUNK)
			err = submit(ctx, p);
	}
	return err;
}

errcode_t bfo_packed_end(struct bfo_context *ctx, struct bfo_packed *p)
{
	errcode_t err = 0;

	if (p->slots[p->filling].len)
		err = submit(ctx, p);
	while (!err && p->oldest != p->filling)
		err = write_oldest(ctx, p);
	return err;
}
