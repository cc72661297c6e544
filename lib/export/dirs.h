/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dirs.h - from a directory down into others, by descriptors
 *
 *   root ── a ── b ── c ── ... ── y ── z		enter, leave: at the right end
 *           lowest: always open    last: open
 *
 * A directory is opened by its name in the one above it, never by a path, never by "..": no link is
 * followed and no mount point is entered.  However deep it goes, few descriptors are open: those in
 * between are opened again when they are needed, and have to be the same as before.
 *
 * Errors: errno's; BFO_ET_CHANGED: a directory is no longer where it was.
 */
#ifndef BFO_EXPORT_DIRS_H
#define BFO_EXPORT_DIRS_H

#include "base/vec.h"

struct bfo_dirs_level {
	uint64_t dev, ino;
	size_t name;			/* where it begins in `names` */
	int fd;				/* -1: closed */
};

struct bfo_dirs {
	int root;			/* the caller's */
	BFO_VEC(struct bfo_dirs_level) levels;
	bfo_chars names;		/* a zero behind each */
	size_t low;			/* so many levels, the first ones, are always open */
	size_t high;			/* so many of the others */
	size_t first_high;		/* of these the first that is open, if the last one is */
};

/* Begins at ROOT, a descriptor that has to stay.  bfo_dirs_free() closes all others. */
void bfo_dirs_init(struct bfo_dirs *d, int root);
void bfo_dirs_free(struct bfo_dirs *d);

/* Goes down into NAME, of LEN bytes.  After an error it is where it was. */
errcode_t bfo_dirs_enter(struct bfo_dirs *d, const char *name, size_t len);

/* Goes up again, from a directory that was entered. */
void bfo_dirs_leave(struct bfo_dirs *d);

/*
 * The descriptor of where it is, which is for *at() calls only (O_PATH), and stays until the next
 * call.
 */
errcode_t bfo_dirs_fd(struct bfo_dirs *d, int *fd);

/* Goes to PATH, from the root: one slash between names, "" the root.  Then *FD as above. */
errcode_t bfo_dirs_go(struct bfo_dirs *d, const char *path, size_t len, int *fd);

/* True if it is in the directory with that number on that device. */
int bfo_dirs_is_at(const struct bfo_dirs *d, uint64_t dev, uint64_t ino);

/*
 * Opens NAME in directory AT (O_CLOEXEC is added): it is no link, and no mount point.  FD, or -1
 * and errno.
 */
int bfo_dirs_open(int at, const char *name, int flags);

#endif
