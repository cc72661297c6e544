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
 * hash in t->dir.  Blocks that nothing leads to are no damage: changes leave some.
 * What it cannot know is for TAKE to compare: types, whether a hash is that of its name, whether a
 * name comes twice.  Every entry is handed to TAKE (may be NULL) in the order of keys, those before
 * damage too; its name is valid during the call; its error ends the walk.  BFO_ET_ITREE if the tree
 * is damaged.
 */
errcode_t itree_check(const struct itree *t,
		      errcode_t (*take)(void *priv, const struct itree_entry *e), void *priv,
		      struct itree_checked *out);

/*
 * The same, and which blocks the tree uses: a bit each in USED, which has itree_used_words() zeroed
 * words.  What they say after an error is not all.
 */
errcode_t itree_check_blocks(const struct itree *t,
			     errcode_t (*take)(void *priv, const struct itree_entry *e), void *priv,
			     struct itree_checked *out, uint64_t *used);

static inline size_t itree_used_words(uint32_t blocks)
{
	return blocks / 64 + 1;
}

static inline int itree_is_used(const uint64_t *used, uint32_t blk)
{
	return used[blk / 64] >> blk % 64 & 1;
}

/* "block is used twice"; says what is wrong with the block. */
const char *itree_damage_text(enum itree_damage what);

#endif
