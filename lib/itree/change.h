/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * change.h - inserting and deleting names, one at a time
 *
 * Leaves are split where they are full, and so are nodes, up to the root.  A leaf that becomes
 * empty goes away at once; one that has become poor is merged with a neighbour below the same node
 * when `fullness` says that both together take no more than half of a block (ITREE_MERGE), and so
 * are nodes; a root with one child is replaced by that child.  Half, as halves are what a split
 * leaves: whatever was merged takes many inserts to split, and what was split many deletes to
 * merge.
 *
 * What it costs to be more eager, in blocks of 4 KiB: 1,000,000 names are deleted; of 200,000 names
 * two fifths go and come back, 20 times (t_itree_change has the same in small):
 *
 *                  all, in order        all, at random       go and come back
 *   itree.merge    merges     writes    merges     writes    merges     writes  leaves then
 *     0                 0  2,976,471         0  2,000,239         0  3,954,349        1,177
 *   127 (half)          0  2,976,471     8,422  2,008,299         1  3,954,350        1,176
 *   191             5,485  2,977,568     8,422  2,008,143     5,174  3,969,866        1,175
 *   255 (eager)     8,339  2,974,045     8,422  2,008,009     9,385  3,982,293        1,115
 *
 * Eager merging moves whole leaves for nothing (deleting all takes a sixth longer in memory), and
 * leaves behind full ones, which the next insert splits.
 *
 * After a failure that is not BFO_ET_NO_PATH, EINVAL, EROFS, or the store's when asked for a
 * block, blocks may have been written in part; every later change then fails with the same error.
 */
#ifndef ITREE_CHANGE_H
#define ITREE_CHANGE_H

#include "itree/descent.h"

#define ITREE_MERGE 127U	/* default of itree.merge: two leaves that are half of one */

/*
 * Inserts E behind entries with the same key; that its name is not there yet is the caller's
 * promise. EINVAL if it is no entry, EROFS if the tree can only be read, BFO_ET_OVERFLOW if the
 * tree would get more than ITREE_MAX_LEVELS.
 */
errcode_t itree_insert(struct itree *t, const struct itree_entry *e);

/* Deletes the entry with this key and this name, or BFO_ET_NO_PATH. */
errcode_t itree_delete(struct itree *t, itree_key key, const char *name, uint8_t name_len);

/* ---- internal to itree/ ---- */

#define ITREE_CHANGE_BLOCKS (2 * ITREE_MAX_LEVELS + 2)	/* made, or given back, by one change */

/* What changes work in, kept from one to the next. */
struct itree_change {
	struct itree_path path;
	uint8_t *spare, *copy;		/* a block each */
	uint32_t blk[ITREE_CHANGE_BLOCKS];	/* insert: to be used; delete: to be released */
	uint32_t n, taken;
	errcode_t failed;		/* sticks */
	uint64_t writes, merges;	/* for those who measure */
};

/* Makes t->change if need be. */
errcode_t itree_change_begin(struct itree *t);
/* Writes what is dirty on the path if ERR is 0, counts the change, keeps an error. */
errcode_t itree_change_end(struct itree *t, errcode_t err);
void itree_change_free(struct itree *t);

/* Seals and writes BLOCK of LEVEL (0: a leaf). */
errcode_t itree_block_write(struct itree *t, uint32_t level, uint32_t blk, void *block);

/* How BLOCK, not empty, is known above; the flags of a leaf stay as CHILD has them. */
void itree_block_describe(const struct itree *t, uint32_t level, uint32_t blk, const void *block,
			  struct itree_child *child);
/* The step above LEVEL says of it what is so now. */
void itree_change_refresh(struct itree *t, uint32_t level);

/* Makes room for, or closes the gap of, N children at I; the count is changed too. */
void itree_node_open(void *block, uint32_t i, uint32_t n);
void itree_node_close(void *block, uint32_t i, uint32_t n);
/* Moves the children from FROM on to the end of another node. */
void itree_node_move(void *block, uint32_t from, void *to);

#endif
