// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * streams.c - a table by address
 */
#include <errno.h>
#include <stdlib.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include "settings.h"
#include "streams.h"

#define SLOTS 64U

static struct slot {
	pthread_mutex_t lock;
	struct stream *first;
} slots[SLOTS] = { [0 ... SLOTS - 1] = { PTHREAD_MUTEX_INITIALIZER, NULL } };

static struct slot *slot_of(const DIR *dir)
{
	uintptr_t address = (uintptr_t) dir;

	/* memory that was allocated one after the other differs in some bits from the fourth on */
	return &slots[(address >> 4 ^ address >> 10 ^ address >> 16) % SLOTS];
}

/* Takes the stream of DIR out of its slot, which is locked. */
static struct stream *take_out(struct slot *slot, const DIR *dir)
{
	struct stream **at = &slot->first, *s;

	while (*at && (*at)->dir != dir)
		at = &(*at)->next;
	s = *at;
	if (s)
		*at = s->next;
	return s;
}

static void release(struct stream *s)
{
	int err = errno;

	if (!s)
		return;
	listing_free(&s->listing);
	pthread_mutex_destroy(&s->lock);
	free(s);
	errno = err;
}

void stream_begin(DIR *dir, int is_read)
{
	struct slot *slot = slot_of(dir);
	struct stream *s = NULL, *old;
	int err = errno, fd = dirfd(dir);
	struct statfs fs;

	if (!is_read && !fstatfs(fd, &fs) && fs.f_type == EXT4_SUPER_MAGIC)
		s = malloc(sizeof(*s));
	if (s) {
		s->dir = dir;
		pthread_mutex_init(&s->lock, NULL);
		listing_init(&s->listing, fd);
	} else {
		readdir_count(READDIR_PASSED);
	}
	pthread_mutex_lock(&slot->lock);
	/* (Somebody may have closed a DIR at this address without us.) */
	old = take_out(slot, dir);
	if (s) {
		s->next = slot->first;
		slot->first = s;
	}
	pthread_mutex_unlock(&slot->lock);
	release(old);
	errno = err;
}

struct stream *stream_of(const DIR *dir)
{
	struct slot *slot = slot_of(dir);
	struct stream *s;

	pthread_mutex_lock(&slot->lock);
	for (s = slot->first; s && s->dir != dir; s = s->next)
		;
	pthread_mutex_unlock(&slot->lock);
	return s;
}

void stream_end(const DIR *dir)
{
	struct slot *slot = slot_of(dir);
	struct stream *s;

	pthread_mutex_lock(&slot->lock);
	s = take_out(slot, dir);
	pthread_mutex_unlock(&slot->lock);
	release(s);
}

int stream_lock(struct stream *s)
{
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_lock(&s->lock);
	s->cancel = cancel;
	s->err = errno;
	return 1;
}

void stream_unlock(struct stream *s)
{
	int cancel = s->cancel;

	errno = s->err;
	pthread_mutex_unlock(&s->lock);
	pthread_setcancelstate(cancel, NULL);
}

/* A child of fork(2) has one thread, and needs the locks that others had. */
static void lock_all(void)
{
	size_t i;

	for (i = 0; i < SLOTS; i++)
		pthread_mutex_lock(&slots[i].lock);
}

static void unlock_all(void)
{
	size_t i;

	for (i = SLOTS; i; i--)
		pthread_mutex_unlock(&slots[i - 1].lock);
}

__attribute__((constructor)) static void begin(void)
{
	pthread_atfork(lock_all, unlock_all, unlock_all);
}
