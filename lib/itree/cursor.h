/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cursor.h - reading a tree in the order of keys, from any place on, while it changes
 *
 * A position is a number of 64 bits that stays valid for as long as the tree, whatever happens to
 * it: "every entry with a key up to this one was read".  0 is the beginning, UINT64_MAX the end.
 *
 * Equal keys (hard links whose names have the same hash) have one position for all of them.  While
 * only some of them were read, the position is the key less one: whoever seeks there reads all of
 * them, so some twice, but misses none.  (The thesis delivers them all in one call for that reason;
 * a caller that does not want names twice does as well: it stops only where tell() has bit 0
 * clear.)
 *
 * Entries that are there all the time while a cursor reads from the beginning to the end are
 * delivered once; those that come or go meanwhile once or not at all.  The exception is a run of
 * equal keys: if the entry that was read last is deleted from the middle of it, what is left of the
 * run is delivered from its beginning.
 */
#ifndef ITREE_CURSOR_H
#define ITREE_CURSOR_H

#include "itree/descent.h"

struct itree_cursor {
	const struct itree *t;
	struct itree_path path;
	int placed;		/* the path leads to what comes next ... */
	uint64_t changes;	/* ... if this is still t->changes */
	uint64_t pos;
	itree_key to;		/* last key that is delivered */
	uint32_t leaves;	/* walked since the path was found */
	uint8_t run_len;	/* not 0: `run` was read last, and the rest of its run was not */
	char run[255];
};

/* At the beginning.  Allocates nothing yet; T stays open longer than the cursor. */
void itree_cursor_init(struct itree_cursor *c, const struct itree *t);
void itree_cursor_free(struct itree_cursor *c);

/* Only entries with keys FROM to TO (both included), or of inodes FROM to TO; goes to the first. */
void itree_cursor_keys(struct itree_cursor *c, itree_key from, itree_key to);
void itree_cursor_inodes(struct itree_cursor *c, uint32_t from, uint32_t to);

/*
 * Goes to a position; the end of the range stays.  Once the range was read, the position is
 * UINT64_MAX.
 */
void itree_cursor_seek(struct itree_cursor *c, uint64_t pos);
uint64_t itree_cursor_tell(const struct itree_cursor *c);

/*
 * The next entry; its name is NULL at the end, else valid until the next call.  Reads at most as
 * many leaves as the tree has: a tree whose blocks lead in circles is BFO_ET_ITREE.  After an
 * error, the cursor still is where it was.
 */
errcode_t itree_cursor_next(struct itree_cursor *c, struct itree_entry *e);

#endif
