// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * change.c - what inserting and deleting have in common
 *
 * A change is made on the path in memory and written when it is complete; only blocks that nothing
 * pointed at before, and the flags of a leaf that follows below another node, are written earlier.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "itree/change.h"
#include "itree/leaf.h"

errcode_t itree_change_begin(struct itree *t)
{
	struct itree_change *c = t->change;

	if (!t->store->write || !t->store->alloc || !t->store->release)
		return EROFS;
	if (!c) {
		c = t->change = calloc(1, sizeof(*c));
		if (!c)
			return ENOMEM;
	}
	if (!c->spare)
		c->spare = malloc(t->store->block_size);
	if (!c->copy)
		c->copy = malloc(t->store->block_size);
	c->n = c->taken = 0;
	return c->spare && c->copy ? c->failed : ENOMEM;
}

void itree_change_free(struct itree *t)
{
	if (!t->change)
		return;
	itree_path_free(&t->change->path);
	free(t->change->spare);
	free(t->change->copy);
	free(t->change);
	t->change = NULL;
}

errcode_t itree_change_end(struct itree *t, errcode_t err)
{
	struct itree_change *c = t->change;
	struct itree_step *step;
	uint32_t level;

	for (level = 0; level <= ITREE_MAX_LEVELS; level++) {
		step = &c->path.at[level];
		if (!err && step->dirty)
			err = itree_block_write(t, level, step->blk, step->block);
		step->dirty = 0;
	}
	t->changes++;
	c->failed = err;
	return err;
}

errcode_t itree_block_write(struct itree *t, uint32_t level, uint32_t blk, void *block)
{
	uint32_t size = t->store->block_size;

	if (level)
		itree_node_seal(block, size, t->seed, blk);
	else
		itree_leaf_seal(block, size, t->seed, blk);
	t->change->writes++;
	return t->store->write(t->store->priv, blk, block);
}

void itree_block_describe(const struct itree *t, uint32_t level, uint32_t blk, const void *block,
			  struct itree_child *child)
{
	uint32_t size = t->store->block_size;
	struct itree_child first;

	child->key = itree_block_first(block, level);
	child->block = blk;
	if (!level) {
		child->fullness = itree_fullness(itree_leaf_live(block), size - ITREE_LEAF_HEAD);
		return;
	}
	itree_node_get(block, 0, &first);
	child->flags = first.flags;
	child->fullness = itree_fullness(itree_node_count(block), itree_node_limit(size));
}

void itree_change_refresh(struct itree *t, uint32_t level)
{
	struct itree_step *step = &t->change->path.at[level], *up = step + 1;
	struct itree_child was, is;

	itree_node_get(up->block, up->idx, &was);
	is = was;
	itree_block_describe(t, level, step->blk, step->block, &is);
	if (is.key == was.key && is.fullness == was.fullness && is.flags == was.flags &&
	    is.block == was.block)
		return;
	itree_node_put(up->block, up->idx, &is);
	up->dirty = 1;
}

static uint8_t *child_at(void *block, uint32_t i)
{
	return (uint8_t *) block + ITREE_NODE_HEAD + (size_t) i * ITREE_CHILD_BYTES;
}

void itree_node_open(void *block, uint32_t i, uint32_t n)
{
	uint32_t count = itree_node_count(block);

	memmove(child_at(block, i + n), child_at(block, i), (count - i) * ITREE_CHILD_BYTES);
	itree_node_set_count(block, count + n);
}

void itree_node_close(void *block, uint32_t i, uint32_t n)
{
	uint32_t count = itree_node_count(block);

	memmove(child_at(block, i), child_at(block, i + n), (count - i - n) * ITREE_CHILD_BYTES);
	memset(child_at(block, count - n), 0, n * ITREE_CHILD_BYTES);
	itree_node_set_count(block, count - n);
}

void itree_node_move(void *block, uint32_t from, void *to)
{
	uint32_t n = itree_node_count(block) - from, at = itree_node_count(to);

	itree_node_open(to, at, n);
	memcpy(child_at(to, at), child_at(block, from), n * ITREE_CHILD_BYTES);
	itree_node_close(block, from, n);
}
