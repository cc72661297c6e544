/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.h - all that users have on a volume, as sums, to be compared with that of another time
 *
 * The fast judge: one pass of libext2fs over an image of a few hundred files.  Content, names and
 * every attribute count; inode and block numbers, and where attributes lie, do not.
 */
#ifndef FAULT_STATE_H
#define FAULT_STATE_H

#include <stddef.h>
#include <stdint.h>
#include "../oracle/judge.h"

struct path {
	char *name;
	struct sum core;	/* all that no neighbour changes: not the link count, nor times of
				   directories */
	struct sum all;
	int dir;
};

struct state {
	struct path *paths;	/* sorted */
	size_t n, room;
	uint64_t free_blocks, free_inodes;
	char *damage;		/* the first thing that could not be read, or NULL */
};

void state_read(struct state *s, const char *image);

void state_free(struct state *s);

/* NULL if A and B are the same, free space included; else the first difference, to be freed. */
char *state_differs(const struct state *a, const struct state *b);

/*
 * The weaker promise, kept by R?  All of BEFORE is there, but that what AFTER changes may be
 * either, or, of directories and of counts of links, between; what is new is as in AFTER, or in
 * lost+found.  The container of indexes, which can be made again, may be anything.  Result as
 * above.
 */
char *state_harmed(const struct state *r, const struct state *before, const struct state *after);

/* NULL if NOW has what BEFORE has, whatever the container of indexes is, and has become. */
char *state_kept(const struct state *before, const struct state *now);

#endif
