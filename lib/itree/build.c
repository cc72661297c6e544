// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * build.c - bulk load: trees from sorted entries
 *
 * Children are spread evenly over the nodes of a level, so that no node but the root has few.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "itree/build.h"

errcode_t itree_builder_init(struct itree_builder *b, uint32_t block_size, uint32_t fill,
			     uint32_t seed,
			     errcode_t (*emit)(void *priv, uint32_t blk, const void *block),
			     void *priv)
{
	memset(b, 0, sizeof(*b));
	b->block_size = block_size;
	b->fill = fill;
	b->seed = seed;
	b->emit = emit;
	b->priv = priv;
	b->leaf = malloc(block_size);
	return b->leaf ? 0 : ENOMEM;
}

void itree_builder_free(struct itree_builder *b)
{
	free(b->leaf);
	bfo_vec_free(&b->children);
	memset(b, 0, sizeof(*b));
}

static void begin_leaf(struct itree_builder *b)
{
	b->used = ITREE_LEAF_HEAD;
	b->cont = 0;
	if (b->emit)
		itree_leaf_init(b->leaf, b->block_size);
}

void itree_builder_begin(struct itree_builder *b, uint32_t ino, uint32_t generation)
{
	b->ino = ino;
	b->generation = generation;
	b->tree_seed = itree_tree_seed(b->seed, ino, generation);
	b->blk = 0;
	b->entries = b->set_hash = 0;
	b->first = b->last = 0;
	b->children.n = 0;
	begin_leaf(b);
}

static errcode_t next_block(struct itree_builder *b)
{
	return ++b->blk == UINT32_MAX ? BFO_ET_OVERFLOW : 0;
}

static errcode_t end_leaf(struct itree_builder *b)
{
	struct itree_child child = { .key = b->first, .block = b->blk,
		.fullness = itree_fullness(b->used - ITREE_LEAF_HEAD,
					   b->block_size - ITREE_LEAF_HEAD),
		.flags = b->cont ? ITREE_CHILD_CONT : 0 };
	errcode_t err = bfo_vec_push(&b->children, child);

	if (!err && b->emit) {
		itree_leaf_set_used(b->leaf, b->used);
		itree_leaf_seal(b->leaf, b->block_size, b->tree_seed, b->blk);
		err = b->emit(b->priv, b->blk, b->leaf);
	}
	return err ? err : next_block(b);
}

errcode_t itree_builder_add(struct itree_builder *b, const struct itree_entry *e)
{
	uint32_t bytes = itree_entry_bytes(e->name_len);
	uint32_t all = b->block_size - ITREE_LEAF_HEAD;
	uint32_t room = ITREE_LEAF_HEAD + all * b->fill / 100;
	errcode_t err = 0;

	if (b->used > ITREE_LEAF_HEAD && b->used + bytes > room) {
		err = end_leaf(b);
		begin_leaf(b);
		b->cont = e->key == b->last;
	}
	if (b->used == ITREE_LEAF_HEAD)
		b->first = e->key;
	if (!err && b->emit)
		itree_leaf_put(b->leaf, b->used, e, bytes);
	b->used += bytes;
	b->last = e->key;
	b->entries++;
	b->set_hash += itree_name_digest(itree_key_ino(e->key), e->name, e->name_len);
	return err;
}

/* A node of level LEVEL over N children from FIRST on; CHILD is how it is known above. */
static errcode_t make_node(struct itree_builder *b, uint32_t level, const struct itree_child *first,
			   uint32_t n, struct itree_child *child)
{
	errcode_t err = 0;
	uint32_t i;

	*child = (struct itree_child) { .key = first->key, .block = b->blk,
		.fullness = itree_fullness(n, itree_node_limit(b->block_size)),
		.flags = first->flags };
	if (b->emit) {
		itree_node_init(b->leaf, b->block_size, level);
		for (i = 0; i < n; i++)
			itree_node_put(b->leaf, i, &first[i]);
		itree_node_set_count(b->leaf, n);
		itree_node_seal(b->leaf, b->block_size, b->tree_seed, b->blk);
		err = b->emit(b->priv, b->blk, b->leaf);
	}
	return err ? err : next_block(b);
}

/* The nodes over all children, which they replace. */
static errcode_t make_level(struct itree_builder *b, uint32_t level)
{
	uint32_t limit = itree_node_limit(b->block_size) * b->fill / 100;
	size_t n = b->children.n, nodes = (n + limit - 1) / limit, i, from, to;
	struct itree_child child;
	errcode_t err = 0;

	for (i = 0; i < nodes && !err; i++) {
		from = n * i / nodes;
		to = n * (i + 1) / nodes;
		err = make_node(b, level, &b->children.v[from], to - from, &child);
		b->children.v[i] = child;
	}
	b->children.n = nodes;
	return err;
}

errcode_t itree_builder_end(struct itree_builder *b, struct itree_dir *dir)
{
	errcode_t err = end_leaf(b);
	uint32_t level = 0;

	dir->leaves = b->blk;
	while (!err && b->children.n > 1) {
		if (level == ITREE_MAX_LEVELS)
			return BFO_ET_OVERFLOW;
		err = make_level(b, level++);
	}
	dir->levels = level;
	dir->blocks = b->blk;
	dir->root = b->blk - 1;
	dir->entries = b->entries;
	dir->set_hash = b->set_hash;
	return err;
}
