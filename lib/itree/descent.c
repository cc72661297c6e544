// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * descent.c - from the root to a leaf, from leaf to leaf
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "itree/descent.h"

void itree_path_free(struct itree_path *p)
{
	uint32_t i;

	for (i = 0; i <= ITREE_MAX_LEVELS; i++)
		free(p->at[i].block);
	memset(p, 0, sizeof(*p));
}

itree_key itree_block_first(const void *block, uint32_t level)
{
	struct itree_child child;
	struct itree_entry e;

	if (level) {
		itree_node_get(block, 0, &child);
		return child.key;
	}
	itree_leaf_get(block, ITREE_LEAF_HEAD, &e);
	return e.key;
}

itree_key itree_leaf_last(const void *block)
{
	uint32_t used = itree_leaf_used(block), at = ITREE_LEAF_HEAD;
	struct itree_entry e = { 0 };

	while (at < used)
		at = itree_leaf_get(block, at, &e);
	return e.key;
}

static int is_cont(const struct itree_child *child)
{
	return child && child->flags & ITREE_CHILD_CONT;
}

static enum itree_damage look_at_leaf(const void *block, const struct itree_child *child,
				      const struct itree_child *end)
{
	itree_key last;

	if (itree_leaf_used(block) == ITREE_LEAF_HEAD)
		return child ? ITREE_BAD_EMPTY : ITREE_SOUND;
	if (child && child->key != itree_block_first(block, 0))
		return ITREE_BAD_KEY;
	if (!end)
		return ITREE_SOUND;
	last = itree_leaf_last(block);
	if (last > end->key)
		return ITREE_BAD_ORDER;
	return (last == end->key) == is_cont(end) ? ITREE_SOUND : ITREE_BAD_CONT;
}

static enum itree_damage look_at_node(const void *block, const struct itree_child *child,
				      const struct itree_child *end)
{
	struct itree_child first, last;

	itree_node_get(block, 0, &first);
	itree_node_get(block, itree_node_count(block) - 1, &last);
	if (child && child->key != first.key)
		return ITREE_BAD_KEY;
	if (is_cont(child) != is_cont(&first))
		return ITREE_BAD_CONT;
	return end && last.key > end->key ? ITREE_BAD_ORDER : ITREE_SOUND;
}

errcode_t itree_block_load(const struct itree *t, uint32_t level, uint32_t blk,
			   const struct itree_child *child, const struct itree_child *end,
			   void *block, enum itree_damage *what)
{
	uint32_t size = t->store->block_size;
	errcode_t err = t->store->read(t->store->priv, blk, block);

	*what = ITREE_SOUND;
	if (err)
		return err;
	if (level)
		*what = itree_node_check(block, size, t->seed, blk, level - 1, t->dir.blocks) ?
			ITREE_BAD_NODE : look_at_node(block, child, end);
	else
		*what = itree_leaf_check(block, size, t->seed, blk) ?
			ITREE_BAD_LEAF : look_at_leaf(block, child, end);
	return *what ? BFO_ET_ITREE : 0;
}

/* Which block step LEVEL is, and what follows it, as the step above says. */
static void aim(const struct itree *t, struct itree_path *p, uint32_t level,
		struct itree_child *child)
{
	struct itree_step *step = &p->at[level], *up;

	if (level == t->dir.levels) {
		step->blk = t->dir.root;
		step->has_end = 0;
		return;
	}
	up = &p->at[level + 1];
	itree_node_get(up->block, up->idx, child);
	step->blk = child->block;
	step->has_end = up->has_end;
	step->end = up->end;
	if (up->idx + 1 < itree_node_count(up->block)) {
		step->has_end = 1;
		itree_node_get(up->block, up->idx + 1, &step->end);
	}
}

errcode_t itree_path_load(const struct itree *t, struct itree_path *p, uint32_t level)
{
	struct itree_step *step = &p->at[level];
	struct itree_child child;
	errcode_t err;

	if (!step->block)
		step->block = malloc(t->store->block_size);
	if (!step->block)
		return ENOMEM;
	aim(t, p, level, &child);
	step->dirty = 0;
	step->idx = level ? 0 : ITREE_LEAF_HEAD;
	err = itree_block_load(t, level, step->blk, level < t->dir.levels ? &child : NULL,
			       step->has_end ? &step->end : NULL, step->block, &p->what);
	if (err)
		p->bad = step->blk;
	return err;
}

/* Children whose keys are below KEY. */
static uint32_t children_below(const void *block, itree_key key)
{
	uint32_t lo = 0, hi = itree_node_count(block), mid;
	struct itree_child child;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		itree_node_get(block, mid, &child);
		if (child.key < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* A child that begins with KEY is where it begins, unless its run comes from the child before. */
static uint32_t pick_lower(const void *block, itree_key key)
{
	uint32_t i = children_below(block, key);
	struct itree_child child;

	if (i < itree_node_count(block)) {
		itree_node_get(block, i, &child);
		if (child.key == key && !is_cont(&child))
			return i;
	}
	return i ? i - 1 : 0;
}

static uint32_t pick_upper(const void *block, itree_key key)
{
	uint32_t i = key == UINT64_MAX ? itree_node_count(block) : children_below(block, key + 1);

	return i ? i - 1 : 0;
}

static errcode_t descend(const struct itree *t, struct itree_path *p, itree_key key,
			 uint32_t (*pick)(const void *block, itree_key key))
{
	uint32_t level = t->dir.levels;
	errcode_t err;

	while (!(err = itree_path_load(t, p, level)) && level) {
		p->at[level].idx = pick(p->at[level].block, key);
		level--;
	}
	return err;
}

errcode_t itree_path_lower(const struct itree *t, struct itree_path *p, itree_key key)
{
	return descend(t, p, key, pick_lower);
}

errcode_t itree_path_upper(const struct itree *t, struct itree_path *p, itree_key key)
{
	return descend(t, p, key, pick_upper);
}

errcode_t itree_path_next(const struct itree *t, struct itree_path *p, int *more)
{
	uint32_t level = 1;
	errcode_t err = 0;

	while (level <= t->dir.levels &&
	       p->at[level].idx + 1 >= itree_node_count(p->at[level].block))
		level++;
	*more = level <= t->dir.levels;
	if (!*more)
		return 0;
	p->at[level].idx++;
	while (!err && level)
		err = itree_path_load(t, p, --level);
	return err;
}

errcode_t itree_path_find(const struct itree *t, struct itree_path *p, itree_key key,
			  const char *name, uint8_t name_len, struct itree_entry *e)
{
	struct itree_step *leaf = &p->at[0];
	uint32_t next, seen = 0;
	errcode_t err;
	int more;

	for (;;) {
		for (; leaf->idx < itree_leaf_used(leaf->block); leaf->idx = next) {
			next = itree_leaf_get(leaf->block, leaf->idx, e);
			if (e->key > key)
				return BFO_ET_NO_PATH;
			if (e->key == key && e->name_len == name_len &&
			    !memcmp(e->name, name, name_len))
				return 0;
		}
		if (!leaf->has_end || leaf->end.key > key)
			return BFO_ET_NO_PATH;
		if (++seen > t->dir.leaves)
			return BFO_ET_ITREE;
		err = itree_path_next(t, p, &more);
		if (err)
			return err;
	}
}
