/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.h - is a whole tree as it should be?
 *
 * Reads every block once, in the order of keys, leaves of a bulk-loaded tree so in ascending order,
 * each level 0 node before its leaves.  Takes a bit for every block of the tree and one block for
 * every level.
 */
#ifndef ITREE_CHECK_H
#define ITREE_CHECK_H

#include "itree/descent.h"

struct itree_checked {
	enum itree_damage what;		/* if BFO_ET_ITREE was returned: what is wrong first ... */
	uint32_t blk;			/* ... with this block (with counts: the root) */
	uint64_t entries, set_hash;	/* of what was walked */
	uint32_t leaves, nodes;
};

/*
 * Checks all that path.h says of blocks, that no block is used twice, fullness, and numbers and set
 * hash in t->dir; of a tree that is only read (no store->alloc) also that no block of it is unused.
 * What it cannot know is for TAKE to compare: types, whether a hash is that of its name, whether a
 * name comes twice.  Every entry is handed to TAKE (may be NULL) in the order of keys, those before
 * damage too; its name is valid during the call; its error ends the walk.  BFO_ET_ITREE if the tree
 * is damaged.
 */
errcode_t itree_check(const struct itree *t,
		      errcode_t (*take)(void *priv, const struct itree_entry *e), void *priv,
		      struct itree_checked *out);

/* "block is used twice"; says what is wrong with the block. */
const char *itree_damage_text(enum itree_damage what);

#endif
