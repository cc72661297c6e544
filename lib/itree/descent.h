/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * descent.h - the way from the root to a leaf, every block of it in memory and checked
 *
 *   at[levels]  root                idx: which child is next on the way
 *   ...         index nodes
 *   at[0]       leaf                idx: a byte, where the user of the path is
 *
 * Checked means: itree_node_check() or itree_leaf_check() with the level that belongs there, first
 * key and CONT flag as the parent says, last key not beyond the child that follows.  So a path is
 * at most ITREE_MAX_LEVELS + 1 blocks long and leads downwards, whatever is on disk.  (That no two
 * paths meet in one block is for those to see who walk a whole tree.)
 *
 * A path owns the blocks of its steps until itree_path_free().
 *
 * Errors: BFO_ET_ITREE if a block is not as it must be (p->what says what is wrong), or a run of
 * equal keys has no end; BFO_ET_NO_PATH; ENOMEM; those of the store's read.
 *
 * Internal to itree/.
 */
#ifndef ITREE_DESCENT_H
#define ITREE_DESCENT_H

#include "itree/itree.h"

/* What can be wrong with a tree; texts are in check.c. */
enum itree_damage {
	ITREE_SOUND,
	ITREE_BAD_NODE,		/* checksum, count, limit, level, children that cannot be */
	ITREE_BAD_LEAF,		/* checksum, lengths, order of keys */
	ITREE_BAD_EMPTY,	/* a leaf without entries that is not the root */
	ITREE_BAD_KEY,		/* the parent says another first key */
	ITREE_BAD_ORDER,	/* keys beyond those of the block that follows */
	ITREE_BAD_CONT,		/* continues a run of equal keys, or does not, unlike its flag */
	ITREE_BAD_FULLNESS,
	ITREE_BAD_TWICE,	/* a block that is used twice */
	ITREE_BAD_LEAVES,	/* counts and hash are not as the catalogue says */
	ITREE_BAD_ENTRIES,
	ITREE_BAD_SET,
};

struct itree_step {
	uint8_t *block;		/* allocated with the first use */
	uint32_t blk, idx;
	int dirty;		/* changed in memory only */
	int has_end;
	struct itree_child end;	/* what follows below the parents, if has_end: key and flags */
};

struct itree_path {
	struct itree_step at[ITREE_MAX_LEVELS + 1];
	enum itree_damage what;	/* of the last load that failed with BFO_ET_ITREE */
	uint32_t bad;		/* its block */
};

void itree_path_free(struct itree_path *p);

/* The first entry's or child's key; of a leaf: there is one. */
itree_key itree_block_first(const void *block, uint32_t level);
/* The last entry's key; there is one. */
itree_key itree_leaf_last(const void *block);

/*
 * Loads step LEVEL: the root, or the child that the step above is at.  Steps below are then those
 * of another way.  The step's idx becomes the first child, or the first entry.
 */
errcode_t itree_path_load(const struct itree *t, struct itree_path *p, uint32_t level);

/*
 * To the leaf where the first entry with a key not below KEY is, or behind whose last it would be.
 */
errcode_t itree_path_lower(const struct itree *t, struct itree_path *p, itree_key key);
/* To the last leaf that begins with KEY or below: where another KEY goes. */
errcode_t itree_path_upper(const struct itree *t, struct itree_path *p, itree_key key);

/* To the next leaf; *MORE is 0 and the path unchanged if there is none. */
errcode_t itree_path_next(const struct itree *t, struct itree_path *p, int *more);

/*
 * From the leaf's idx on (where KEY is, or nothing with KEY), to the entry of that name; its byte
 * is the leaf's idx then.  BFO_ET_NO_PATH if the run of equal keys has no such name.
 */
errcode_t itree_path_find(const struct itree *t, struct itree_path *p, itree_key key,
			  const char *name, uint8_t name_len, struct itree_entry *e);

/* Loads block BLK that CHILD (NULL: root) leads to, before END (may be NULL), and checks it. */
errcode_t itree_block_load(const struct itree *t, uint32_t level, uint32_t blk,
			   const struct itree_child *child, const struct itree_child *end,
			   void *block, enum itree_damage *what);

#endif
