/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * streams.h - what goes with a DIR that is listed here
 *
 * Several threads may have streams of their own, or share one: a stream has a lock, as a DIR has,
 * and what finds it another one, which is never held while a directory is read.
 */
#ifndef READDIR_STREAMS_H
#define READDIR_STREAMS_H

#include <dirent.h>
#include <pthread.h>

#include "listing.h"

struct stream {
	const DIR *dir;
	struct stream *next;
	pthread_mutex_t lock;
	int cancel;		/* while it is locked: may its thread be cancelled? */
	int err;		/* and what errno was */
	struct listing listing;
};

/*
 * DIR has been opened; IS_READ: its descriptor is not at the beginning.  It gets a stream if it is
 * listed here.  Leaves errno alone, as all of these do.
 */
void stream_begin(DIR *dir, int is_read);

/* NULL: it has none. */
struct stream *stream_of(const DIR *dir);

/* DIR is about to be closed. */
void stream_end(const DIR *dir);

/* Returns 1.  Reading is no point at which threads are cancelled. */
int stream_lock(struct stream *s);
void stream_unlock(struct stream *s);

#endif
