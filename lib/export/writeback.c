// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * writeback.c - has the kernel write to the device early
 */
#include <fcntl.h>
#include <unistd.h>

#include "base/thread.h"
#include "export/writeback.h"

#define EVERY_BYTES (32U << 20)	/* so much makes a sync worth its price */

static void *sync_main(void *arg)
{
	struct bfo_writeback *w = arg;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (!w->is_asked && !w->is_ended)
			pthread_cond_wait(&w->change, &w->lock);
		if (w->is_ended)
			break;
		w->is_asked = 0;
		pthread_mutex_unlock(&w->lock);
		syncfs(w->fd);
		pthread_mutex_lock(&w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* Without a thread everything takes longer, and nothing else. */
static void start(struct bfo_writeback *w, int dir)
{
	w->fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->fd < 0)
		return;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->change, NULL);
	w->is_running = !bfo_thread_start(&w->thread, sync_main, w);
	if (w->is_running)
		return;
	pthread_cond_destroy(&w->change);
	pthread_mutex_destroy(&w->lock);
	close(w->fd);
}

void bfo_writeback_note(struct bfo_writeback *w, int dir, uint64_t len)
{
	w->bytes += len;
	if (w->bytes < EVERY_BYTES || dir < 0)
		return;
	w->bytes = 0;
	if (!w->is_running)
		start(w, dir);
	if (!w->is_running)
		return;
	pthread_mutex_lock(&w->lock);
	w->is_asked = 1;
	pthread_cond_signal(&w->change);
	pthread_mutex_unlock(&w->lock);
}

void bfo_writeback_end(struct bfo_writeback *w)
{
	if (!w->is_running)
		return;
	pthread_mutex_lock(&w->lock);
	w->is_ended = 1;
	pthread_cond_signal(&w->change);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->change);
	pthread_mutex_destroy(&w->lock);
	close(w->fd);
	w->is_running = 0;
}
