/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * writeback.h - has the kernel write to the device early, while more is made
 *
 * A kernel keeps what is written for many seconds, and whoever syncs in the end waits for all of
 * it.  A thread of its own syncs now and then, so device and processor work at the same time.  It
 * is a help and no promise: what it is told of errors is told again to who syncs by a descriptor
 * that was opened before (syncfs(2)).
 */
#ifndef BFO_EXPORT_WRITEBACK_H
#define BFO_EXPORT_WRITEBACK_H

#include <pthread.h>
#include <stdint.h>

/* A zeroed one does nothing yet. */
struct bfo_writeback {
	uint64_t bytes;			/* since the thread was asked last */
	int fd;				/* its own, while it runs */
	int is_running, is_asked, is_ended;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t change;
};

/* LEN bytes more were written to the filesystem of directory DIR, a descriptor, or -1. */
void bfo_writeback_note(struct bfo_writeback *w, int dir, uint64_t len);

/* Waits for the thread, if there is one. */
void bfo_writeback_end(struct bfo_writeback *w);

#endif
