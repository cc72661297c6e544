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
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/bfo_err.h"
#include "base/clock.h"
#include "base/crc32c.h"
#include "base/hasher.h"
#include "base/thread.h"
#include "export/packed.h"

enum slot_state { FREE, READY, BUSY, DONE };

struct slot {
	enum slot_state state;
	char *raw, *packed;
	unsigned int tag;
	int level;
	size_t len;			/* of raw */
	size_t packed_len;		/* or zstd's error */
	struct bfo_packed_chunk chunk;	/* once it is done */
};

struct worker {
	struct bfo_packed *of;
	ZSTD_CCtx *codec;
	struct bfo_hasher hasher;
	pthread_t thread;
	int is_running;
};

struct bfo_packed {
	struct bfo_packed_options opt;
	struct slot *slots;
	struct worker *workers;
	unsigned int n_slots, n_workers;
	unsigned int filling, oldest;	/* the caller's */
	unsigned int next;
	double waited;			/* seconds that the caller waited for threads */
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

/* SLOT, compressed; or as it is, where that saves less than one in 32 and frames can say so. */
static void pack(struct worker *w, struct slot *slot)
{
	const struct bfo_packed_options *opt = &w->of->opt;
	const int is_raw = slot->level == BFO_PACKED_NONE;
	struct bfo_sums sums;

	slot->packed_len = is_raw ? slot->len : 0;
	if (!is_raw)
		slot->packed_len = ZSTD_CCtx_setParameter(w->codec, ZSTD_c_compressionLevel,
							  slot->level);
	if (!is_raw && !ZSTD_isError(slot->packed_len))
		slot->packed_len = ZSTD_compress2(w->codec, slot->packed,
						  ZSTD_compressBound(opt->chunk), slot->raw,
						  slot->len);
	if (ZSTD_isError(slot->packed_len))
		return;
	slot->chunk = (struct bfo_packed_chunk) { .tag = slot->tag, .len = slot->len,
						  .stored = slot->packed,
						  .stored_len = slot->packed_len, .is_packed = 1 };
	if (!opt->is_framed)
		return;
	if (is_raw || slot->packed_len > slot->len - slot->len / 32) {
		slot->chunk.stored = slot->raw;
		slot->chunk.stored_len = slot->len;
		slot->chunk.is_packed = 0;
	}
	slot->chunk.crc = bfo_crc32c(~0U, slot->chunk.stored, slot->chunk.stored_len);
	if (slot->tag != opt->digested)
		return;
	bfo_hasher_add(&w->hasher, slot->raw, slot->len);
	bfo_hasher_end(&w->hasher, &sums);
	memcpy(slot->chunk.digest, sums.sha256, sizeof(slot->chunk.digest));
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct bfo_packed *p = w->of;
	struct slot *slot;

	while ((slot = take_ready(p))) {
		pack(w, slot);
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

static errcode_t start(struct bfo_packed *p)
{
	errcode_t err = 0;
	unsigned int i;

	for (i = 0; !err && i < p->n_workers; i++) {
		struct worker *w = &p->workers[i];

		err = bfo_thread_start(&w->thread, worker_main, w);
		w->is_running = !err;
	}
	return err;
}

static errcode_t alloc_all(struct bfo_packed *p)
{
	errcode_t err = 0;
	unsigned int i;

	p->slots = calloc(p->n_slots, sizeof(*p->slots));
	p->workers = calloc(p->n_workers, sizeof(*p->workers));
	if (!p->slots || !p->workers)
		return ENOMEM;
	for (i = 0; i < p->n_slots; i++) {
		p->slots[i].raw = malloc(p->opt.chunk);
		p->slots[i].packed = malloc(ZSTD_compressBound(p->opt.chunk));
		if (!p->slots[i].raw || !p->slots[i].packed)
			return ENOMEM;
	}
	for (i = 0; !err && i < p->n_workers; i++) {
		struct worker *w = &p->workers[i];

		w->of = p;
		w->codec = ZSTD_createCCtx();
		if (!w->codec || ZSTD_isError(ZSTD_CCtx_setParameter(w->codec, ZSTD_c_checksumFlag,
								     !p->opt.is_framed)))
			return ENOMEM;
		if (p->opt.is_framed)
			err = bfo_hasher_open(&w->hasher, BFO_SUM_SHA256);
	}
	return err;
}

errcode_t bfo_packed_begin(struct bfo_context *ctx, const struct bfo_packed_options *opt,
			   struct bfo_packed **packed)
{
	struct bfo_packed *p = calloc(1, sizeof(*p));
	errcode_t err;

	*packed = NULL;
	if (!p)
		return bfo_fail(ctx, ENOMEM, "compressing %s", opt->name);
	p->opt = *opt;
	p->n_workers = opt->threads ? opt->threads : processors();
	p->n_slots = p->n_workers + 2;		/* one that is filled, one that is written */
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->is_ready, NULL);
	pthread_cond_init(&p->is_done, NULL);
	err = alloc_all(p);
	if (!err)
		err = start(p);
	if (err) {
		bfo_packed_free(p);
		return bfo_fail(ctx, err, "compressing %s", opt->name);
	}
	p->slots[0].level = opt->level;
	*packed = p;
	return 0;
}

static errcode_t put_bytes(void *priv, struct bfo_context *ctx, const struct bfo_packed_chunk *c)
{
	return bfo_output_write(ctx, priv, c->stored, c->stored_len);
}

errcode_t bfo_packed_open(struct bfo_context *ctx, struct bfo_output *out, int level,
			  unsigned int threads, struct bfo_packed **packed)
{
	const struct bfo_packed_options opt = {
		.chunk = BFO_PACKED_CHUNK, .level = level, .threads = threads, .put = put_bytes,
		.priv = out, .name = out->name,
	};

	return bfo_packed_begin(ctx, &opt, packed);
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
		bfo_hasher_close(&p->workers[i].hasher);
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
static void wait_done(struct bfo_packed *p, struct slot *slot, const struct bfo_timer *timer)
{
	const double began = timer->now(timer->priv);

	pthread_mutex_lock(&p->lock);
	while (slot->state != DONE)
		pthread_cond_wait(&p->is_done, &p->lock);
	pthread_mutex_unlock(&p->lock);
	p->waited += timer->now(timer->priv) - began;
}

static errcode_t write_oldest(struct bfo_context *ctx, struct bfo_packed *p)
{
	struct slot *slot = &p->slots[p->oldest];
	errcode_t err;

	wait_done(p, slot, bfo_timer_of(ctx));
	if (ZSTD_isError(slot->packed_len))
		return bfo_fail(ctx, ENOMEM, "compressing %s", p->opt.name);
	err = p->opt.put(p->opt.priv, ctx, &slot->chunk);
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
	const unsigned int tag = p->slots[p->filling].tag;
	const int level = p->slots[p->filling].level;
	errcode_t err = 0;

	set_state(p, &p->slots[p->filling], READY);
	pthread_cond_signal(&p->is_ready);
	p->filling = (p->filling + 1) % p->n_slots;
	while (!err && (state_of(p, &p->slots[p->filling]) != FREE ||
			state_of(p, &p->slots[p->oldest]) == DONE))
		err = write_oldest(ctx, p);
	p->slots[p->filling].tag = tag;
	p->slots[p->filling].level = level;
	return err;
}

errcode_t bfo_packed_write(struct bfo_context *ctx, struct bfo_packed *p, const void *data,
			   size_t len)
{
	errcode_t err = 0;

	while (!err && len) {
		struct slot *slot = &p->slots[p->filling];
		size_t n = p->opt.chunk - slot->len;

		if (n > len)
			n = len;
		memcpy(slot->raw + slot->len, data, n);
		slot->len += n;
		data = (const char *) data + n;
		len -= n;
		if (slot->len == p->opt.chunk)
			err = submit(ctx, p);
	}
	return err;
}

errcode_t bfo_packed_cut(struct bfo_context *ctx, struct bfo_packed *p)
{
	return p->slots[p->filling].len ? submit(ctx, p) : 0;
}

void bfo_packed_tag(struct bfo_packed *p, unsigned int tag)
{
	p->slots[p->filling].tag = tag;
}

void bfo_packed_set_level(struct bfo_packed *p, int level)
{
	p->slots[p->filling].level = level;
}

double bfo_packed_waited(struct bfo_packed *p)
{
	double waited = p->waited;

	p->waited = 0;
	return waited;
}

errcode_t bfo_packed_end(struct bfo_context *ctx, struct bfo_packed *p)
{
	errcode_t err = bfo_packed_cut(ctx, p);

	while (!err && p->oldest != p->filling)
		err = write_oldest(ctx, p);
	return err;
}
