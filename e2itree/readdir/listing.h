/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listing.h - one directory, being listed in the order of inode numbers
 *
 *   by index     |names of some inodes|names of some more|...      a few KB at a time
 *   sorted       |all names                              |
 *   in runs      |a run      |the next run|...                     each as large as allowed
 *
 * Which way it is, is decided when the first name is asked for.  A position says after which name
 * it is, not where that lies in memory, so it stays right when names come or go, when the way
 * changes, and in another listing of the directory that goes the same way:
 *
 *   0, 1, 2          the beginning, behind ".", behind ".."
 *   bit 48 ...       number of the run, from 1; 0: all names are in one order
 *   bit 16 to 47     inode number
 *   bit 0 to 15      how many names of this inode were given out
 *
 * Of names that come or go while the directory is listed, some are listed; all others once.  An
 * index and all names in memory are as of the first name.  Runs go on where the kernel would.
 */
#ifndef READDIR_LISTING_H
#define READDIR_LISTING_H

#include <dirent.h>

#include "mounted_index.h"
#include "raw_directory.h"

enum listing_state { LISTING_NEW, LISTING_INDEX, LISTING_SORTED, LISTING_RUNS, LISTING_PASSED };

struct listing {
	int fd;				/* of the directory, never moved */
	enum listing_state state;
	struct mounted_index index;
	struct raw_dots dots;
	struct sorted names;		/* what is in memory, in order */
	size_t at;			/* the next of them */
	struct raw_part part;		/* of sorted, in runs: how NAMES were read */
	uint32_t run;			/* in runs: which one that is, from 1 */
	int64_t *starts;		/* kernel's positions of runs, from 1 */
	size_t starts_n, starts_room;
	uint64_t pos;			/* behind the last name */
	int err;			/* of a seek, for the next name */
	struct dirent out;
};

void listing_init(struct listing *l, int fd);
void listing_free(struct listing *l);

/* True if there is no memory to sort in: the kernel's order has to do, from the beginning. */
int listing_is_passed(struct listing *l);

/* The next name, valid until the next call; NULL at the end, or with *ERR set. */
struct dirent *listing_next(struct listing *l, int *err);

/* The position, or -1: there are more runs than have numbers. */
int64_t listing_tell(const struct listing *l);
void listing_seek(struct listing *l, int64_t pos);

/* Once more from the beginning, as the directory is then. */
void listing_rewind(struct listing *l);

#endif
