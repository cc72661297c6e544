// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * raw_directory.c - getdents64(2)
 *
 *   ... | name, d_off | name, d_off | ...
 *              `-------^ where the kernel finds the next name again
 *
 * In an indexed directory these positions are hashes, and several names may share one.  Who begins
 * there gets all of them, so no part ends between them.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "raw_directory.h"

#define BUFFER 32768U		/* bytes: what readdir(3) uses */

/* A descriptor with a position of its own, or FD. */
static int open_again(int fd)
{
	int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (fcntl(fd, F_GETFL) & O_NOATIME), own;
	char path[32];

	own = openat(fd, ".", flags);
	if (own < 0) {		/* a directory that may be read, but not be passed through */
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		own = open(path, flags);
	}
	return own < 0 ? fd : own;
}

static int which_dot(const struct dirent64 *d)
{
	return !strcmp(d->d_name, ".") ? 0 : !strcmp(d->d_name, "..") ? 1 : -1;
}

struct reading {
	struct sorted *s;
	struct raw_dots *dots;
	size_t most;
	int64_t at, before;	/* positions of the next name, and of the one before it */
	size_t seen;
	struct raw_part *part;
};

static int is_dot(struct reading *r, const struct dirent64 *d)
{
	int i = r->dots ? which_dot(d) : -1;

	if (i < 0)
		return 0;
	r->dots->ino[i] = d->d_ino;
	r->dots->type[i] = d->d_type;
	return 1;
}

/* 1: the part ends before D.  (For want of memory the first one never does: it has taken all.) */
static int take(struct reading *r, const struct dirent64 *d)
{
	struct sorted_name name = { d->d_ino, d->d_type, strlen(d->d_name), d->d_name };
	int may_end = r->seen && r->at != r->before, err = 0;

	if (may_end && sorted_cost(r->s, name.len) > r->most)
		return 1;
	if (!is_dot(r, d))
		err = sorted_add(r->s, &name);
	if (err && may_end && r->s->n && !r->dots)
		return 1;
	r->part->err = err;
	r->before = r->at;
	r->at = d->d_off;
	r->seen++;
	return 0;
}

static void read_all(struct reading *r, int fd, char *buffer)
{
	struct raw_part *part = r->part;
	struct dirent64 *d;
	long n, at;

	for (;;) {
		n = syscall(SYS_getdents64, fd, buffer, BUFFER);
		if (n <= 0)
			break;
		for (at = 0; at < n && !part->err; at += d->d_reclen) {
			d = (struct dirent64 *) (buffer + at);
			if (take(r, d)) {
				part->next = r->at;
				part->is_last = 0;
				return;
			}
		}
		if (part->err)
			return;
	}
	/* A directory that was removed is at its end, as for readdir(3). */
	part->err = n < 0 && errno != ENOENT ? errno : 0;
}

void raw_directory_read(int fd, int64_t from, size_t most, struct sorted *s, struct raw_dots *dots,
			struct raw_part *part)
{
	struct reading r = { s, dots, most, from, from, 0, part };
	char *buffer = malloc(BUFFER);
	int own = buffer ? open_again(fd) : fd;

	sorted_clear(s);
	*part = (struct raw_part) { .is_last = 1 };
	if (!buffer)
		part->err = ENOMEM;
	else if (lseek(own, from, SEEK_SET) < 0)
		part->err = errno;
	else
		read_all(&r, own, buffer);
	if (own != fd)
		close(own);
	else
		lseek(fd, 0, SEEK_SET);
	free(buffer);
	sorted_finish(s);
}

int raw_directory_dots(int fd, struct raw_dots *dots)
{
	union {
		struct dirent64 d;
		char bytes[64];		/* two such names take 48 */
	} buffer;
	int own = open_again(fd), err = 0;
	struct dirent64 *d;
	long n, at;

	memset(dots, 0, sizeof(*dots));
	if (own == fd)
		return EMFILE;
	n = syscall(SYS_getdents64, own, &buffer, sizeof(buffer));
	if (n < 0)
		err = errno;
	for (at = 0; at < n; at += d->d_reclen) {
		struct reading r = { .dots = dots };

		d = (struct dirent64 *) (buffer.bytes + at);
		is_dot(&r, d);
	}
	close(own);
	return err;
}
