/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * itree.h - one tree of the container: where its blocks are, looking for a name in it
 *
 * Whoever has the blocks (a container on a volume, a test's memory) gives them out through a store;
 * this library decides what is in them.  Cursors are in cursor.h, changes in change.h, the check of
 * a whole tree in check.h.  A tree and its cursors serve one thread at a time.
 */
#ifndef ITREE_H
#define ITREE_H

#include "itree/format.h"

/*
 * Blocks are numbered from the tree's first on.  READ is only asked for blocks below dir.blocks and
 * for those that ALLOC gave.  WRITE, ALLOC and RELEASE are NULL for a tree that is only read.
 * RELEASE is called when all that pointed at the block has been written.  Whether the blocks that
 * one change writes become durable together is the store's business.
 */
struct itree_store {
	uint32_t block_size;		/* bytes */
	void *priv;
	errcode_t (*read)(void *priv, uint32_t blk, void *block);
	errcode_t (*write)(void *priv, uint32_t blk, const void *block);
	errcode_t (*alloc)(void *priv, uint32_t *blk);
	void (*release)(void *priv, uint32_t blk);
};

struct itree_change;

struct itree {
	const struct itree_store *store;	/* the caller's */
	struct itree_dir dir;		/* changes keep it up to date, but for what inodes say */
	uint32_t seed;			/* of this tree's checksums */
	uint64_t changes;		/* made since it was opened: tells cursors to look again */
	uint32_t merge;			/* fullness of two that may become one, see change.h */
	struct itree_change *change;	/* memory that changes work in; NULL before the first */
};

/*
 * CONTAINER_SEED is the header's, DIR is copied.  BFO_ET_ITREE if no tree can be as DIR says; no
 * block is read.
 */
errcode_t itree_open(struct itree *t, const struct itree_store *store, uint32_t container_seed,
		     const struct itree_dir *dir);
void itree_close(struct itree *t);

/*
 * Looks for the entry with this key and this name (equal keys: all of them, in however many
 * leaves). E may be NULL; its name is the caller's.  BFO_ET_NO_PATH if there is none, BFO_ET_ITREE
 * if a block on the way is damaged.
 */
errcode_t itree_search(const struct itree *t, itree_key key, const char *name, uint8_t name_len,
		       struct itree_entry *e);

#endif
