// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dir_fds.c - descriptors of directories, and opening what lies in them
 *
 * Nothing is ever opened by a path: each name by the descriptor of its directory, which is opened
 * by that of its own, up to the nearest that is still open.  So names may be as deep as they like,
 * and who renames a directory meanwhile leads us nowhere else: (device, inode) is compared.
 *
 * Open directories stand in slots by a hash of their rows; one that comes takes the place of the
 * one before.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/text.h"
#include "intake/dir_state.h"

#define SLOTS_MAX 256U
#define SLOTS_MIN 4U
#define SLOTS_SHARE 8U		/* of the process's descriptors, one in so many */
#define ALWAYS (O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

errcode_t bfo_dir_fds_init(struct bfo_dir *d)
{
	struct rlimit limit;
	rlim_t n = SLOTS_MAX;
	uint32_t i;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur / SLOTS_SHARE < n)
		n = limit.rlim_cur / SLOTS_SHARE;
	d->slots_n = n < SLOTS_MIN ? SLOTS_MIN : n;
	d->slots = calloc(d->slots_n, sizeof(*d->slots));
	if (!d->slots)
		return ENOMEM;
	for (i = 0; i < d->slots_n; i++)
		d->slots[i].row = BFO_NONE;
	return 0;
}

/* Closes all but the one whose descriptor is KEEP. */
static void close_slots(struct bfo_dir *d, int keep)
{
	uint32_t i;

	for (i = 0; d->slots && i < d->slots_n; i++) {
		if (d->slots[i].row == BFO_NONE || d->slots[i].fd == keep)
			continue;
		close(d->slots[i].fd);
		d->slots[i].row = BFO_NONE;
	}
}

void bfo_dir_fds_free(struct bfo_dir *d)
{
	close_slots(d, -1);
	free(d->slots);
	bfo_vec_free(&d->chain);
}

/* ---- opening ---- */

/* If the process has no descriptor left, we have some to spare. */
static int open_now(struct bfo_dir *d, int at, const char *name, int flags)
{
	int fd = openat(at, name, flags);

	if (fd < 0 && errno == EMFILE) {
		close_slots(d, at);
		fd = openat(at, name, flags);
	}
	return fd;
}

errcode_t bfo_dir_open_at(struct bfo_dir *d, int at, const char *name, int flags, int *fd,
			  int *touched)
{
	int quiet = flags & O_PATH || *touched ? 0 : O_NOATIME;

	*fd = open_now(d, at, name, ALWAYS | flags | quiet);
	if (*fd < 0 && errno == EPERM && quiet) {
		*fd = open_now(d, at, name, ALWAYS | flags);
		*touched = *fd >= 0;
	}
	return *fd < 0 ? errno : 0;
}

void bfo_dir_name(const struct bfo_dir *d, bfo_row row, char out[BFO_DIR_NAME_BYTES])
{
	uint64_t name = d->inodes.v[row].name;

	memcpy(out, d->in.tree->text.v + (name >> 8), name & 255);
	out[name & 255] = 0;
}

/* ---- directories ---- */

static struct bfo_dir_slot *slot_of(const struct bfo_dir *d, bfo_row row)
{
	return &d->slots[(row * 2654435761U >> 8) % d->slots_n];
}

void bfo_dir_fd_keep(struct bfo_dir *d, bfo_row row, int fd)
{
	struct bfo_dir_slot *slot = slot_of(d, row);

	if (slot->row != BFO_NONE)
		close(slot->fd);
	*slot = (struct bfo_dir_slot) { .row = row, .fd = fd };
}

int bfo_dir_is_same(const struct bfo_dir *d, bfo_row row, const struct statx *st)
{
	const struct bfo_dir_inode *mine = &d->inodes.v[row];
	const struct bfo_dir_device *dev = &d->devices.v[mine->device];

	return !((st->stx_mode ^ d->in.tree->inodes.v[row].mode) & S_IFMT) &&
	       st->stx_ino == mine->ino && st->stx_dev_major == dev->major &&
	       st->stx_dev_minor == dev->minor;
}

/* Opens ROW by AT, the descriptor of its parent. */
static errcode_t open_below(struct bfo_dir *d, bfo_row row, int at, int *fd)
{
	char name[BFO_DIR_NAME_BYTES];
	struct statx st;
	int touched = 0;
	errcode_t err;

	bfo_dir_name(d, row, name);
	err = bfo_dir_open_at(d, at, name, O_PATH | O_DIRECTORY, fd, &touched);
	if (err == ENOENT || err == ENOTDIR || err == ELOOP)
		return BFO_ET_CHANGED;
	if (err)
		return err;
	if (statx(*fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_INO, &st) ||
	    !bfo_dir_is_same(d, row, &st)) {
		close(*fd);
		return BFO_ET_CHANGED;
	}
	bfo_dir_fd_keep(d, row, *fd);
	return 0;
}

errcode_t bfo_dir_fd(struct bfo_dir *d, bfo_row row, int *fd)
{
	errcode_t err = 0;

	d->chain.n = 0;
	while (row && slot_of(d, row)->row != row && !err) {
		err = bfo_vec_push(&d->chain, row);
		row = d->inodes.v[row].parent;
	}
	*fd = row ? slot_of(d, row)->fd : d->root;
	while (d->chain.n && !err)
		err = open_below(d, d->chain.v[--d->chain.n], *fd, fd);
	return err;
}

/* ---- paths ---- */

#define PATH_TEXT 400U

/* Puts "/NAME" before what stands at *FROM in TEXT; what has no room is dropped, on the left. */
static void put_before(char *text, size_t *from, const char *name, size_t len)
{
	size_t take = len < *from ? len : *from;

	*from -= take;
	memcpy(text + *from, name + len - take, take);
	if (*from)
		text[--*from] = '/';
}

errcode_t bfo_dir_fail(struct bfo_dir *d, errcode_t err, const char *what, bfo_row row,
		       const char *name)
{
	char text[PATH_TEXT + 1], shown[PATH_TEXT + 1];
	size_t from = PATH_TEXT;

	text[from] = 0;
	if (name)
		put_before(text, &from, name, strlen(name));
	for (; row; row = d->inodes.v[row].parent) {
		uint64_t at = d->inodes.v[row].name;

		put_before(text, &from, d->in.tree->text.v + (at >> 8), at & 255);
	}
	bfo_text_escape(text + from, PATH_TEXT - from, shown, sizeof(shown));
	return bfo_fail(d->in.source.ctx, err, "%s %s%s", what, d->in.source.name, shown);
}
