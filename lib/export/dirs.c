// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dirs.c - from a directory down into others, by descriptors
 *
 * Open levels are two runs: the lowest, and the last.  Who enters closes the first of the last run
 * when it gets too long.  Who leaves shortens that run from its end; when nothing is left of it, it
 * is walked again from the lowest run, so for a chain of N directories with a run of H the kernel
 * opens N * N / (2 * H).
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/openat2.h>

#include "base/bfo_err.h"
#include "export/dirs.h"

#define RUN_MAX 64U
#define RUN_MIN 2U
#define RUN_SHARE 16U		/* of the process's descriptors, one in so many */

void bfo_dirs_init(struct bfo_dirs *d, int root)
{
	struct rlimit limit;
	rlim_t n = RUN_MAX;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur / RUN_SHARE < n)
		n = limit.rlim_cur / RUN_SHARE;
	memset(d, 0, sizeof(*d));
	d->root = root;
	d->low = d->high = n < RUN_MIN ? RUN_MIN : n;
}

void bfo_dirs_free(struct bfo_dirs *d)
{
	while (d->levels.n)
		bfo_dirs_leave(d);
	bfo_vec_free(&d->levels);
	bfo_vec_free(&d->names);
}

int bfo_dirs_open(int at, const char *name, int flags)
{
	struct open_how how = {
		.flags = flags | O_CLOEXEC | O_NOFOLLOW,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV |
			   RESOLVE_NO_MAGICLINKS,
	};

	return syscall(SYS_openat2, at, name, &how, sizeof(how));
}

static void close_level(struct bfo_dirs_level *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}

/* Opens level I, which the level before it, at AT, has. */
static errcode_t open_level(struct bfo_dirs *d, size_t i, int at, struct stat *st)
{
	struct bfo_dirs_level *l = &d->levels.v[i];
	errcode_t err;

	close_level(l);			/* left open by a walk that failed */
	l->fd = bfo_dirs_open(at, d->names.v + l->name, O_PATH | O_DIRECTORY);
	if (l->fd < 0)
		return errno;
	if (fstat(l->fd, st)) {
		err = errno;
		close_level(l);
		return err;
	}
	if (i < d->low)
		return 0;
	if (i == d->low)
		d->first_high = i;
	else if (i - d->first_high >= d->high)
		close_level(&d->levels.v[d->first_high++]);
	return 0;
}

/* Opens levels up to END again, the first of which was open never or is closed. */
static errcode_t reopen(struct bfo_dirs *d)
{
	size_t i = d->levels.n < d->low ? d->levels.n : d->low;
	struct stat st;
	errcode_t err;

	for (; i < d->levels.n; i++) {
		struct bfo_dirs_level *l = &d->levels.v[i];

		err = open_level(d, i, i ? l[-1].fd : d->root, &st);
		if (err == ENOENT || err == ENOTDIR || err == ELOOP || err == EXDEV)
			return BFO_ET_CHANGED;
		if (err)
			return err;
		if (st.st_dev != l->dev || st.st_ino != l->ino) {
			close_level(l);
			return BFO_ET_CHANGED;
		}
	}
	return 0;
}

errcode_t bfo_dirs_fd(struct bfo_dirs *d, int *fd)
{
	errcode_t err = 0;

	*fd = d->root;
	if (!d->levels.n)
		return 0;
	if (d->levels.v[d->levels.n - 1].fd < 0)
		err = reopen(d);
	*fd = d->levels.v[d->levels.n - 1].fd;
	return err;
}

/* Appends a level for NAME, not yet open. */
static errcode_t add_level(struct bfo_dirs *d, const char *name, size_t len)
{
	errcode_t err = bfo_vec_reserve(&d->names, len + 1);

	if (!err)
		err = bfo_vec_push(&d->levels,
				   (struct bfo_dirs_level) { .name = d->names.n, .fd = -1 });
	if (err)
		return err;
	memcpy(d->names.v + d->names.n, name, len);
	d->names.v[d->names.n + len] = 0;
	d->names.n += len + 1;
	return 0;
}

errcode_t bfo_dirs_enter(struct bfo_dirs *d, const char *name, size_t len)
{
	struct stat st;
	errcode_t err;
	int at;

	err = bfo_dirs_fd(d, &at);
	if (!err)
		err = add_level(d, name, len);
	if (err)
		return err;
	err = open_level(d, d->levels.n - 1, at, &st);
	if (err) {
		bfo_dirs_leave(d);
		return err;
	}
	d->levels.v[d->levels.n - 1].dev = st.st_dev;
	d->levels.v[d->levels.n - 1].ino = st.st_ino;
	return 0;
}

void bfo_dirs_leave(struct bfo_dirs *d)
{
	struct bfo_dirs_level *l = &d->levels.v[--d->levels.n];

	close_level(l);
	d->names.n = l->name;
}

/* How much of PATH, in bytes, are levels that were entered; those behind them are left. */
static size_t keep_common(struct bfo_dirs *d, const char *path, size_t len)
{
	size_t at = 0, n, i;

	for (i = 0; i < d->levels.n; i++) {
		const char *name = d->names.v + d->levels.v[i].name;

		n = strlen(name);
		if (n > len - at || memcmp(path + at, name, n) ||
		    (at + n < len && path[at + n] != '/'))
			break;
		at += n + (at + n < len);
	}
	while (d->levels.n > i)
		bfo_dirs_leave(d);
	return at;
}

errcode_t bfo_dirs_go(struct bfo_dirs *d, const char *path, size_t len, int *fd)
{
	size_t at = keep_common(d, path, len), n;
	errcode_t err = 0;

	for (; at < len && !err; at += n + 1) {
		n = strcspn(path + at, "/");
		n = n > len - at ? len - at : n;
		err = bfo_dirs_enter(d, path + at, n);
	}
	return err ? err : bfo_dirs_fd(d, fd);
}

int bfo_dirs_is_at(const struct bfo_dirs *d, uint64_t dev, uint64_t ino)
{
	const struct bfo_dirs_level *l;
	struct stat st;

	if (d->levels.n) {
		l = &d->levels.v[d->levels.n - 1];
		return l->dev == dev && l->ino == ino;
	}
	return !fstat(d->root, &st) && st.st_dev == dev && st.st_ino == ino;
}
