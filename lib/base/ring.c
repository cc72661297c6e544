// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ring.c - bytes that come out of a pipe, read ahead by a thread
 *
 *   pipe ── thread ──> taken │ what is there │ put      counted since the beginning;
 *                                                       a byte stands at the remainder by `size`
 *
 * The thread writes where nothing is, the other reads what is there: only the two counts are
 * shared, and how it ended.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ring.h"
#include "base/thread.h"

#define WAIT 200			/* ms until somebody looks whether to go on */
#define AT_ONCE (1U << 20)		/* bytes of a read */

/* ---- the thread ---- */

static int may_go_on(struct bfo_ring *r)
{
	int go;

	pthread_mutex_lock(&r->lock);
	while (!r->stop && r->put - r->taken == r->size)
		pthread_cond_wait(&r->change, &r->lock);
	go = !r->stop;
	pthread_mutex_unlock(&r->lock);
	return go;
}

static int is_stopped(struct bfo_ring *r)
{
	int stop;

	pthread_mutex_lock(&r->lock);
	stop = r->stop;
	pthread_mutex_unlock(&r->lock);
	return stop;
}

/* Bytes that can be put behind those that are there, in one piece. */
static size_t room_of(struct bfo_ring *r)
{
	size_t at = r->put % r->size, room = r->size - at, left;

	pthread_mutex_lock(&r->lock);
	left = r->size - (r->put - r->taken);
	pthread_mutex_unlock(&r->lock);
	room = room < left ? room : left;
	return room < AT_ONCE ? room : AT_ONCE;
}

static void tell(struct bfo_ring *r, ssize_t got, int err)
{
	pthread_mutex_lock(&r->lock);
	r->put += got > 0 ? got : 0;
	r->err = got > 0 ? 0 : got ? err : -1;
	pthread_cond_broadcast(&r->change);
	pthread_mutex_unlock(&r->lock);
}

/* Reads until the end, or until nobody wants more. */
static void *ring_main(void *arg)
{
	struct bfo_ring *r = arg;
	struct pollfd p = { .fd = r->fd, .events = POLLIN };
	ssize_t got = 1;

	while (got > 0 && may_go_on(r)) {
		while (!bfo_cancelled(r->ctx) && !is_stopped(r) && poll(&p, 1, WAIT) <= 0)
			;
		if (is_stopped(r))
			break;
		if (bfo_cancelled(r->ctx)) {
			tell(r, -1, ECANCELED);
			break;
		}
		do
			got = read(r->fd, r->bytes + r->put % r->size, room_of(r));
		while (got < 0 && errno == EINTR);
		tell(r, got, errno);
	}
	return NULL;
}

/* ---- the other side ---- */

errcode_t bfo_ring_start(struct bfo_ring *r, const struct bfo_context *ctx, int fd, size_t size)
{
	int err;

	*r = (struct bfo_ring) { .ctx = ctx, .fd = fd, .bytes = malloc(size), .size = size };
	if (!r->bytes)
		return ENOMEM;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->change, NULL);
	err = bfo_thread_start(&r->thread, ring_main, r);
	if (err) {
		free(r->bytes);
		r->bytes = NULL;
	}
	return err;
}

ssize_t bfo_ring_take(struct bfo_ring *r, void *to, size_t len)
{
	size_t at = r->taken % r->size, n = r->size - at;
	uint64_t have;
	int err;

	pthread_mutex_lock(&r->lock);
	while (r->put == r->taken && !r->err)
		pthread_cond_wait(&r->change, &r->lock);
	have = r->put - r->taken;
	err = r->err;
	pthread_mutex_unlock(&r->lock);
	if (!have)
		return err < 0 ? 0 : -err;
	n = n < have ? n : have;
	n = n < len ? n : len;
	memcpy(to, r->bytes + at, n);
	pthread_mutex_lock(&r->lock);
	r->taken += n;
	pthread_cond_broadcast(&r->change);
	pthread_mutex_unlock(&r->lock);
	return n;
}

void bfo_ring_stop(struct bfo_ring *r)
{
	if (!r->bytes)
		return;
	pthread_mutex_lock(&r->lock);
	r->stop = 1;
	pthread_cond_broadcast(&r->change);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	pthread_cond_destroy(&r->change);
	pthread_mutex_destroy(&r->lock);
	free(r->bytes);
	r->bytes = NULL;
}
