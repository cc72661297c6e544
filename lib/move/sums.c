// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sums.c - digests of files, of data that go by on their way to a drain
 *
 *   blocks of the stem ── follow ── part of a file ── digest ── sums[row]
 *
 * What does not go by stands in its inode on either side, or there is nothing of it: these are read
 * when all others are done.
 */
#include <pthread.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/thread.h"
#include "gather/contents.h"
#include "move/follow.h"
#include "move/sums.h"
#include "tree/access.h"

#define ROUND_BYTES (16U << 20)		/* of contents that are read at once */
#define ZEROES_AT_ONCE (64U << 20)	/* of a hole, before somebody may cancel */

errcode_t bfo_file_sums_open(struct bfo_file_sums *s, const struct bfo_plan *plan,
			     unsigned int algorithms)
{
	size_t n = plan->tree->inodes.n;
	errcode_t err;

	*s = (struct bfo_file_sums) { .plan = plan, .row = BFO_NONE };
	err = bfo_vec_reserve(&s->sums, n + 1);
	if (!err)
		err = bfo_marks_init(&s->have, n);
	if (!err)
		err = bfo_hasher_open(&s->hasher, algorithms);
	return err ? bfo_fail(plan->ctx, err, "preparing digests") : 0;
}

/* A hole, which may be of terabytes.  BFO_ET_CANCELLED, without words. */
static errcode_t add_zeroes(struct bfo_file_sums *s, uint64_t len)
{
	uint64_t n;

	for (; len; len -= n) {
		if (bfo_cancelled(s->plan->ctx))
			return BFO_ET_CANCELLED;
		n = len < ZEROES_AT_ONCE ? len : ZEROES_AT_ONCE;
		bfo_hasher_add_zeroes(&s->hasher, n);
	}
	return 0;
}

/* The file whose data came is complete: what is left of it are zeroes. */
static errcode_t end_file(struct bfo_file_sums *s)
{
	bfo_row row = s->row;
	uint64_t met;
	errcode_t err;

	if (row == BFO_NONE)
		return 0;
	err = add_zeroes(s, s->plan->tree->inodes.v[row].size - s->at);
	if (err)
		return err;
	bfo_hasher_end(&s->hasher, &s->sums.v[row]);
	s->row = BFO_NONE;
	return bfo_marks_add(&s->have, row, 1, &met);
}

/*
 * LEN bytes at DATA are byte AT and following of ROW, perhaps behind its end.  Data of a file
 * ascend, and come without those of others between.
 */
static errcode_t add(struct bfo_file_sums *s, bfo_row row, uint64_t at, const void *data,
		     uint64_t len)
{
	const struct bfo_inode *rec = &s->plan->tree->inodes.v[row];
	errcode_t err = 0;

	if (!S_ISREG(rec->mode) || rec->flags & EXT4_EA_INODE_FL || at >= rec->size)
		return 0;
	if (len > rec->size - at)
		len = rec->size - at;
	if (s->row != row) {
		err = end_file(s);
		s->row = row;
		s->at = 0;
	}
	if (!err)
		err = add_zeroes(s, at - s->at);
	if (err)
		return err;
	bfo_hasher_add(&s->hasher, data, len);
	s->at = at + len;
	return 0;
}

/* ---- what did not go by ---- */

static int is_left(const struct bfo_file_sums *s, bfo_row row)
{
	const struct bfo_inode *rec = &s->plan->tree->inodes.v[row];

	return S_ISREG(rec->mode) && !(rec->flags & EXT4_EA_INODE_FL) &&
	       rec->state & BFO_INODE_PLACED && !bfo_marks_have(&s->have, row);
}

/*
 * Adds the next piece of what is left to ROUND; *ROW and *AT move behind it.  Only what is larger
 * than a whole round is cut, between blocks.
 */
static errcode_t add_piece(const struct bfo_file_sums *s, struct bfo_contents *round, bfo_row *row,
			   uint64_t *at, uint64_t *room)
{
	uint64_t left = s->plan->tree->inodes.v[*row].size - *at, len = left;
	errcode_t err;

	if (!is_left(s, *row)) {
		++*row;
		return 0;
	}
	if (len > *room)
		len = left <= ROUND_BYTES ? 0 : *room - *room % s->plan->tree->block_size;
	if (left && !len) {
		*room = 0;		/* in the next round */
		return 0;
	}
	err = bfo_contents_add(round, *row, *at, len, 0);
	*room -= len;
	*at += len;
	if (len == left) {
		++*row;
		*at = 0;
	}
	return err;
}

static errcode_t read_round(struct bfo_file_sums *s, struct bfo_source *source,
			    struct bfo_contents *round)
{
	errcode_t err = bfo_contents_read(round, source, s->plan->tree);
	size_t i;

	for (i = 0; i < round->files.n && !err; i++) {
		const struct bfo_content *f = &round->files.v[i];

		if (!f->from) {
			err = end_file(s);
			s->row = f->row;
			s->at = 0;
		}
		bfo_hasher_add(&s->hasher, bfo_contents_of(round, f), f->size);
		s->at += f->size;
	}
	return err;
}

/* All data have come; files of which none came are read from SOURCE, if they have any. */
static errcode_t finish(struct bfo_file_sums *s, struct bfo_source *source)
{
	struct bfo_contents round = { .files = { 0 } };
	errcode_t err = end_file(s);
	uint64_t at = 0, room;
	bfo_row row = 0;

	while (row < s->plan->tree->inodes.n && !err) {
		if (bfo_cancelled(s->plan->ctx))
			err = BFO_ET_CANCELLED;
		round.files.n = 0;
		for (room = ROUND_BYTES; row < s->plan->tree->inodes.n && room && !err; )
			err = add_piece(s, &round, &row, &at, &room);
		if (!err && round.files.n)
			err = read_round(s, source, &round);
	}
	if (!err)
		err = end_file(s);
	bfo_contents_free(&round);
	return err == BFO_ET_CANCELLED ? bfo_fail(s->plan->ctx, err, "computing digests") : err;
}

const struct bfo_sums *bfo_file_sums_of(const struct bfo_file_sums *s, bfo_row row)
{
	return bfo_marks_have(&s->have, row) ? &s->sums.v[row] : NULL;
}

void bfo_file_sums_free(struct bfo_file_sums *s)
{
	bfo_hasher_close(&s->hasher);
	bfo_marks_free(&s->have);
	bfo_vec_free(&s->sums);
}

/* ---- the tap ---- */

/* A drain in front of another one. */
struct tap {
	struct bfo_drain drain;		/* the one to be used */
	const struct bfo_drain *to;	/* NULL: nothing is written */
	struct bfo_file_sums *sums;
	struct bfo_follow follow;
	struct bfo_context *ctx;	/* of who calls, if there is no other drain */
	/* what the thread is to do: COUNT blocks at DATA, from BLK on */
	uint64_t blk;
	uint32_t count;
	const void *data;
	errcode_t err;
	int is_asked, is_ended;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t change;
};

static errcode_t add_blocks(struct tap *tap, uint64_t blk, uint32_t len, const void *data)
{
	uint64_t bs = tap->sums->plan->target->block_size;
	const char *at = data;
	errcode_t err = 0;

	while (len && !err) {
		struct bfo_followed f = bfo_follow(&tap->follow, blk, len);

		if (f.item != SIZE_MAX)
			err = add(tap->sums, tap->sums->plan->order.v[f.item], f.lblk * bs, at,
				  f.bytes);
		blk += f.blocks;
		len -= f.blocks;
		at += f.bytes;
	}
	return err;
}

static void *tap_main(void *arg)
{
	struct tap *tap = arg;

	pthread_mutex_lock(&tap->lock);
	for (;;) {
		while (!tap->is_asked && !tap->is_ended)
			pthread_cond_wait(&tap->change, &tap->lock);
		if (!tap->is_asked)
			break;
		pthread_mutex_unlock(&tap->lock);
		tap->err = add_blocks(tap, tap->blk, tap->count, tap->data);
		pthread_mutex_lock(&tap->lock);
		tap->is_asked = 0;
		pthread_cond_broadcast(&tap->change);
	}
	pthread_mutex_unlock(&tap->lock);
	return NULL;
}

static void ask(struct tap *tap, uint64_t blk, uint32_t len, const void *data)
{
	pthread_mutex_lock(&tap->lock);
	tap->blk = blk;
	tap->count = len;
	tap->data = data;
	tap->is_asked = 1;
	pthread_cond_broadcast(&tap->change);
	pthread_mutex_unlock(&tap->lock);
}

static errcode_t wait_done(struct tap *tap)
{
	pthread_mutex_lock(&tap->lock);
	while (tap->is_asked)
		pthread_cond_wait(&tap->change, &tap->lock);
	pthread_mutex_unlock(&tap->lock);
	return tap->err;
}

static errcode_t tap_settle(void *priv)
{
	const struct bfo_drain *to = ((struct tap *) priv)->to;

	return to->settle(to->priv);
}

/* For the drain: the other one's. */
static errcode_t tap_begin(void *priv)
{
	const struct bfo_drain *to = ((struct tap *) priv)->to;

	return to && to->begin ? to->begin(to->priv) : 0;
}

static errcode_t tap_write(void *priv, uint64_t blk, uint32_t len, const void *data)
{
	struct tap *tap = priv;
	errcode_t err, failed;

	if (tap->to)
		ask(tap, blk, len, data);
	err = tap->to ? tap->to->write(tap->to->priv, blk, len, data) : 0;
	failed = tap->to ? wait_done(tap) : add_blocks(tap, blk, len, data);
	if (err || !failed)
		return err;
	return bfo_fail(*tap->drain.ctx, failed, "computing digests");
}

static void tap_seal(void *priv, uint64_t blk, void *block)
{
	struct tap *tap = priv;

	tap->to->seal_attributes(tap->to->priv, blk, block);
}

static errcode_t tap_open(struct tap *tap, struct bfo_context *ctx, struct bfo_file_sums *sums,
			  const struct bfo_drain *to)
{
	*tap = (struct tap) { .to = to, .sums = sums, .ctx = ctx };
	tap->drain = (struct bfo_drain) { .block_size = sums->plan->target->block_size,
					  .is_packed = to ? to->is_packed : 1,
					  .begin = tap_begin, .write = tap_write, .priv = tap,
					  .settle = to && to->settle ? tap_settle : NULL,
					  .seal_attributes = tap_seal,
					  .ctx = to ? to->ctx : &tap->ctx };
	bfo_follow_begin(&tap->follow, sums->plan, tap->drain.is_packed);
	pthread_mutex_init(&tap->lock, NULL);
	pthread_cond_init(&tap->change, NULL);
	return to ? bfo_thread_start(&tap->thread, tap_main, tap) : 0;
}

static void tap_close(struct tap *tap)
{
	pthread_mutex_lock(&tap->lock);
	tap->is_ended = 1;
	pthread_cond_broadcast(&tap->change);
	pthread_mutex_unlock(&tap->lock);
	if (tap->to)
		pthread_join(tap->thread, NULL);
	pthread_cond_destroy(&tap->change);
	pthread_mutex_destroy(&tap->lock);
}

errcode_t bfo_sums_data(struct bfo_plan *plan, struct bfo_source *source,
			struct bfo_file_sums *sums, const struct bfo_drain *drain, uint64_t memory,
			struct bfo_data_progress *p)
{
	struct tap tap;
	errcode_t err;

	if (!sums)
		return bfo_data_write(plan, source, drain, memory, p);
	err = tap_open(&tap, plan->ctx, sums, drain);
	if (err)
		return bfo_fail(plan->ctx, err, "starting to compute digests");
	err = bfo_data_write(plan, source, &tap.drain, memory, p);
	tap_close(&tap);
	return err ? err : finish(sums, source);
}
