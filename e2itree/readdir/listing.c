// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * listing.c - by index, sorted, or in runs
 *
 * An index that turns out to be damaged is left at once: all names are sorted, and the position
 * says where to go on.  That is right if the directory is still as it was.  If it is not, a name
 * may have moved to another inode, to the other side of that position; then the end is an error,
 * not a list that lacks it.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "listing.h"
#include "settings.h"

#define INO_SHIFT 16
#define RUN_SHIFT 48
#define MOST_RUNS 32767U
#define BEHIND_DOTS 2U

void listing_init(struct listing *l, int fd)
{
	memset(l, 0, offsetof(struct listing, out));
	l->fd = fd;
	l->index.fd = -1;
}

void listing_free(struct listing *l)
{
	mounted_index_close(&l->index);
	sorted_free(&l->names);
	free(l->starts);
	listing_init(l, l->fd);
}

void listing_rewind(struct listing *l)
{
	listing_free(l);
}

/* ---- what is in memory ---- */

/* Run number l->run, from where it begins. */
static void read_run(struct listing *l)
{
	raw_directory_read(l->fd, l->starts[l->run - 1], readdir_settings()->memory, &l->names,
			   l->run == 1 ? &l->dots : NULL, &l->part);
	l->at = 0;
}

static int note_start(struct listing *l, int64_t start)
{
	size_t more = l->starts_room ? l->starts_room * 2 : 4;
	int64_t *grown;

	if (l->starts_n == l->starts_room) {
		grown = realloc(l->starts, more * sizeof(*grown));
		if (!grown)
			return ENOMEM;
		l->starts = grown;
		l->starts_room = more;
	}
	l->starts[l->starts_n++] = start;
	return 0;
}

static void sort(struct listing *l)
{
	enum readdir_way way;

	if (note_start(l, 0)) {
		l->part = (struct raw_part) { .is_last = 1, .err = ENOMEM };
	} else {
		l->run = 1;
		read_run(l);
	}
	l->state = l->part.err == ENOMEM ? LISTING_PASSED : l->part.is_last ? LISTING_SORTED :
		   LISTING_RUNS;
	if (l->state == LISTING_PASSED)
		sorted_free(&l->names);		/* the program wants some, too */
	way = l->state == LISTING_PASSED ? READDIR_PASSED : l->state == LISTING_SORTED ?
	      READDIR_SORTED : READDIR_IN_RUNS;
	readdir_count(way);
}

static void begin(struct listing *l)
{
	if (l->state != LISTING_NEW)
		return;
	if (!readdir_settings()->no_index && mounted_index_open(&l->index, l->fd)) {
		if (!raw_directory_dots(l->fd, &l->dots) &&
		    !index_reader_next(l->index.reader, &l->names)) {
			l->state = LISTING_INDEX;
			readdir_count(READDIR_BY_INDEX);
			return;
		}
		mounted_index_close(&l->index);
	}
	sort(l);
}

int listing_is_passed(struct listing *l)
{
	begin(l);
	return l->state == LISTING_PASSED;
}

/* ---- positions ---- */

static uint32_t pos_ino(uint64_t pos)
{
	return pos >> INO_SHIFT;
}

static uint32_t pos_nth(uint64_t pos)
{
	return pos & ((1U << INO_SHIFT) - 1);
}

/* To the name behind l->pos, among those in memory. */
static void find(struct listing *l)
{
	l->at = l->pos <= BEHIND_DOTS ? 0 :
		sorted_find(&l->names, pos_ino(l->pos), pos_nth(l->pos));
}

/* The index was damaged from l->pos on.  Whatever memory all names take. */
static int leave_index(struct listing *l)
{
	mounted_index_close(&l->index);
	raw_directory_read(l->fd, 0, SIZE_MAX, &l->names, &l->dots, &l->part);
	l->state = LISTING_SORTED;
	readdir_count(READDIR_LEFT_INDEX);
	if (!l->part.err && !mounted_index_is_current(&l->index, l->fd))
		l->part.err = EIO;
	find(l);
	return l->part.err;
}

/* Into memory, what follows what is there; *MORE is 0 if nothing does. */
static int go_on(struct listing *l, int *more)
{
	*more = 0;
	if (l->state == LISTING_INDEX) {
		l->at = 0;
		if (index_reader_next(l->index.reader, &l->names) && leave_index(l))
			return l->part.err;
		*more = l->at < l->names.n;
		return 0;
	}
	if (l->part.is_last)
		return l->part.err;
	if (l->run == l->starts_n && note_start(l, l->part.next))
		return ENOMEM;
	l->run++;
	read_run(l);
	*more = 1;
	return 0;
}

/* A listing that has not come so far yet goes there; there may be fewer runs by now. */
static void seek_run(struct listing *l, uint32_t run)
{
	int more = 1;

	run = run ? run : 1;
	if (run != l->run && l->run != l->starts_n) {
		l->run = run < l->starts_n ? run : l->starts_n;
		read_run(l);
	} else if (run < l->run) {
		l->run = run;
		read_run(l);
	}
	while (l->run < run && more && !l->err)
		l->err = go_on(l, &more);
}

void listing_seek(struct listing *l, int64_t pos)
{
	begin(l);
	l->err = 0;
	l->pos = pos < 0 ? 0 : pos;
	if (l->state == LISTING_INDEX) {
		index_reader_seek(l->index.reader, l->pos <= BEHIND_DOTS ? 0 : pos_ino(l->pos));
		if (index_reader_next(l->index.reader, &l->names)) {
			l->err = leave_index(l);
			return;
		}
	} else if (l->state == LISTING_RUNS) {
		seek_run(l, l->pos >> RUN_SHIFT);
	}
	find(l);
}

int64_t listing_tell(const struct listing *l)
{
	return l->state == LISTING_RUNS && l->run > MOST_RUNS ? -1 : (int64_t) l->pos;
}

/* ---- names ---- */

static struct dirent *put(struct listing *l, uint64_t ino, uint8_t type, const char *name,
			  size_t len)
{
	struct dirent *d = &l->out;

	d->d_ino = ino;
	d->d_off = listing_tell(l);
	d->d_type = type;
	memcpy(d->d_name, name, len);
	d->d_name[len] = 0;
	/* as the kernel does: a multiple of 8 */
	d->d_reclen = (offsetof(struct dirent, d_name) + len + 1 + 7) / 8 * 8;
	return d;
}

static struct dirent *next_dot(struct listing *l)
{
	while (l->pos < BEHIND_DOTS) {
		size_t i = l->pos++;

		if (l->dots.ino[i])
			return put(l, l->dots.ino[i], l->dots.type[i], "..", i + 1);
	}
	return NULL;
}

static struct dirent *next_name(struct listing *l)
{
	uint64_t run = l->state == LISTING_RUNS ? l->run : 0;
	struct sorted_name name;
	uint32_t nth = 1;

	sorted_get(&l->names, l->at, &name);
	if (l->pos > BEHIND_DOTS && pos_ino(l->pos) == name.ino && l->pos >> RUN_SHIFT == run)
		nth = pos_nth(l->pos) + 1;
	l->at++;
	l->pos = run << RUN_SHIFT | (uint64_t) name.ino << INO_SHIFT | nth;
	return put(l, name.ino, name.type, name.name, name.len);
}

struct dirent *listing_next(struct listing *l, int *err)
{
	struct dirent *d;
	int more = 1;

	begin(l);
	*err = l->err;
	if (*err)
		return NULL;
	d = next_dot(l);
	if (d)
		return d;
	while (l->at == l->names.n && more) {
		*err = go_on(l, &more);
		if (*err)
			return NULL;
	}
	return more ? next_name(l) : NULL;
}
