/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build.h - bulk load: trees from sorted entries, every block made once, in ascending order
 *
 *   entries  k k k | k k k | k k k      leaves are filled and emitted as entries come
 *   level 0        n   n   n            what is known of them is kept: 24 bytes a leaf
 *   root               r                and index nodes are emitted level by level at the end
 *
 * Bulk loading bottom-up is what the thesis does not have (it inserts one by one); xfsprogs does
 * it.
 */
#ifndef ITREE_BUILD_H
#define ITREE_BUILD_H

#include "base/vec.h"
#include "itree/format.h"

/* Percent of leaves and nodes that are filled: what is left takes names that come one by one. */
#define ITREE_FILL 94U

struct itree_builder {
	uint32_t block_size, fill, seed;
	/* Takes block BLK (from 0 on, ascending by one), sealed.  NULL: only sizes. */
	errcode_t (*emit)(void *priv, uint32_t blk, const void *block);
	void *priv;

	/* the tree under construction */
	uint32_t ino, generation, tree_seed;
	uint32_t blk;			/* next block */
	uint64_t entries, set_hash;
	itree_key first, last;		/* of the leaf; of all so far */
	uint32_t used;			/* bytes of the leaf */
	int cont;			/* the leaf continues a run of equal keys */
	void *leaf;
	BFO_VEC(struct itree_child) children;
};

/* SEED is the container's.  FILL: 50 to 100 percent. */
errcode_t itree_builder_init(struct itree_builder *b, uint32_t block_size, uint32_t fill,
			     uint32_t seed,
			     errcode_t (*emit)(void *priv, uint32_t blk, const void *block),
			     void *priv);
void itree_builder_free(struct itree_builder *b);

/* Begins the tree of a directory. */
void itree_builder_begin(struct itree_builder *b, uint32_t ino, uint32_t generation);

/* The next entry: its key is not below that of the one before. */
errcode_t itree_builder_add(struct itree_builder *b, const struct itree_entry *e);

/*
 * Ends the tree: sets levels, root, leaves, blocks, entries and set_hash of DIR.  A directory
 * without names gets one empty leaf.  BFO_ET_OVERFLOW if there are more than 2^32 blocks.
 */
errcode_t itree_builder_end(struct itree_builder *b, struct itree_dir *dir);

#endif
