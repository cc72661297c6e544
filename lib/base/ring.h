/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.h - bytes that come out of a pipe, read ahead by a thread
 *
 *   start ── [take]* ── stop
 *
 * So whoever writes to the pipe does not wait while this end does something else.
 */
#ifndef BFO_BASE_RING_H
#define BFO_BASE_RING_H

#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/context.h"

/* A zeroed one has nothing, and may be stopped. */
struct bfo_ring {
	const struct bfo_context *ctx;
	int fd;
	char *bytes;			/* SIZE of them; NULL: there is no ring */
	size_t size;
	uint64_t put, taken;		/* bytes, of all that came */
	int err;			/* of reading; -1: its end */
	int stop;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t change;
};

/*
 * Begins to read FD, which has to stay until the ring is stopped, as far as SIZE bytes ahead of
 * what is taken.  ENOMEM, and what a thread fails with.
 */
errcode_t bfo_ring_start(struct bfo_ring *r, const struct bfo_context *ctx, int fd, size_t size);

/*
 * Takes up to LEN bytes, at least one; waits for it.  0: FD is at its end; negative: an errno,
 * ECANCELED if CTX wants to stop.
 */
ssize_t bfo_ring_take(struct bfo_ring *r, void *to, size_t len);

/* Whatever is there, or comes, is not wanted. */
void bfo_ring_stop(struct bfo_ring *r);

#endif
