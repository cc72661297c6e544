// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * delete.c - one name less; what has become empty or poor goes, see change.h
 */
#include <string.h>

#include "base/bfo_err.h"
#include "itree/change.h"
#include "itree/leaf.h"

/* BLK is not used any more once all is written. */
static void give_back(struct itree *t, uint32_t blk)
{
	struct itree_change *c = t->change;

	c->blk[c->n++] = blk;
}

static void clear_cont(void *block, uint32_t i)
{
	struct itree_child child;

	itree_node_get(block, i, &child);
	child.flags = 0;
	itree_node_put(block, i, &child);
}

/* The leaf that follows no longer continues a run: nor do the nodes that begin with it. */
static errcode_t part_from_next(struct itree *t)
{
	struct itree_change *c = t->change;
	struct itree_step *step = &c->path.at[1];
	struct itree_child child;
	uint32_t level = 1;
	errcode_t err = 0;

	for (; step->idx + 1 == itree_node_count(step->block); step++)
		level++;
	itree_node_get(step->block, step->idx + 1, &child);
	clear_cont(step->block, step->idx + 1);
	step->dirty = 1;
	while (!err && --level) {
		err = itree_block_load(t, level, child.block, &child, NULL, c->spare,
				       &c->path.what);
		if (err)
			return err;
		clear_cont(c->spare, 0);
		err = itree_block_write(t, level, child.block, c->spare);
		itree_node_get(c->spare, 0, &child);
		child.flags = ITREE_CHILD_CONT;		/* as it still is below */
	}
	return err;
}

/*
 * Takes the entry that the path is at out of the leaf; flags of it and of the next are right then.
 */
static errcode_t take_out(struct itree *t, itree_key key)
{
	struct itree_step *leaf = &t->change->path.at[0], *up = &t->change->path.at[1];
	itree_key first = itree_block_first(leaf->block, 0);
	struct itree_child child;
	int is_empty, run_goes_on;

	itree_leaf_remove(leaf->block, leaf->idx);
	leaf->dirty = 1;
	if (!t->dir.levels)
		return 0;
	itree_node_get(up->block, up->idx, &child);
	is_empty = itree_leaf_used(leaf->block) == ITREE_LEAF_HEAD;
	run_goes_on = is_empty ? child.flags & ITREE_CHILD_CONT :
		      itree_leaf_last(leaf->block) == key;
	if (!is_empty && child.flags && itree_block_first(leaf->block, 0) != first) {
		clear_cont(up->block, up->idx);
		up->dirty = 1;
	}
	if (leaf->has_end && leaf->end.key == key && !run_goes_on)
		return part_from_next(t);
	return 0;
}

static int is_empty_step(const struct itree_step *step, uint32_t level)
{
	return level ? !itree_node_count(step->block) :
	       itree_leaf_used(step->block) == ITREE_LEAF_HEAD;
}

/* Is the step the only one of its level? */
static int is_alone(const struct itree *t, uint32_t level)
{
	while (++level <= t->dir.levels)
		if (itree_node_count(t->change->path.at[level].block) != 1)
			return 0;
	return 1;
}

static void drop_child(struct itree *t, uint32_t level, uint32_t i)
{
	struct itree_step *up = &t->change->path.at[level + 1];
	struct itree_child child;

	itree_node_get(up->block, i, &child);
	give_back(t, child.block);
	itree_node_close(up->block, i, 1);
	up->dirty = 1;
	if (!level)
		t->dir.leaves--;
}

/*
 * The child of UP with which the one it is at may be merged: the poorer neighbour, if both are poor
 * enough, else the number that no child has.  (The 2: fullness is rounded down, so that together
 * they might not fit.)
 */
static uint32_t find_mate(const struct itree *t, const struct itree_step *up)
{
	uint32_t count = itree_node_count(up->block), mate = count, i = up->idx;
	uint32_t best = t->merge + 1;
	struct itree_child mine, other;

	itree_node_get(up->block, i, &mine);
	for (i = i ? i - 1 : 0; i <= up->idx + 1 && i < count; i++) {
		itree_node_get(up->block, i, &other);
		if (i == up->idx || mine.fullness + other.fullness + 2U > 255U ||
		    mine.fullness + other.fullness >= best)
			continue;
		best = mine.fullness + other.fullness;
		mate = i;
	}
	return mate;
}

/* Loads child MATE of the step above LEVEL into `spare`. */
static errcode_t load_mate(struct itree *t, uint32_t level, uint32_t mate,
			   struct itree_child *child)
{
	struct itree_change *c = t->change;

	itree_node_get(c->path.at[level + 1].block, mate, child);
	return itree_block_load(t, level, child->block, child, NULL, c->spare, &c->path.what);
}

/*
 * Is there room in one block for the step at LEVEL and `spare`? (A damaged tree's fullness may
 * lie.)
 */
static int have_room(const struct itree *t, uint32_t level)
{
	const void *a = t->change->path.at[level].block, *b = t->change->spare;
	uint32_t size = t->store->block_size;

	return level ? itree_node_count(a) + itree_node_count(b) <= itree_node_limit(size) :
	       ITREE_LEAF_HEAD + itree_leaf_live(a) + itree_leaf_live(b) <= size;
}

/* Merges the step at LEVEL with its neighbour MATE into the left one of both. */
static errcode_t merge(struct itree *t, uint32_t level, uint32_t mate)
{
	struct itree_change *c = t->change;
	struct itree_step *step = &c->path.at[level], *up = step + 1;
	uint8_t *mine = step->block;
	struct itree_child child;
	errcode_t err = load_mate(t, level, mate, &child);

	if (err)
		return err;
	if (!have_room(t, level))
		return BFO_ET_ITREE;
	if (mate < up->idx) {
		step->block = c->spare;
		step->blk = child.block;
		c->spare = mine;
		up->idx = mate;
	}
	if (level) {
		itree_node_move(c->spare, 0, step->block);
	} else {
		itree_leaf_squeeze(step->block, t->store->block_size);
		itree_leaf_append(step->block, c->spare);
	}
	step->dirty = 1;
	drop_child(t, level, up->idx + 1);
	itree_change_refresh(t, level);
	c->merges++;
	return 0;
}

/* What the change of the step at LEVEL means for the one above. */
static errcode_t settle(struct itree *t, uint32_t level)
{
	struct itree_step *step = &t->change->path.at[level], *up = step + 1;
	uint32_t mate;

	if (is_empty_step(step, level)) {
		if (is_alone(t, level))
			return 0;
		drop_child(t, level, up->idx);
		step->dirty = 0;
		return 0;
	}
	itree_change_refresh(t, level);
	mate = find_mate(t, up);
	return mate < itree_node_count(up->block) ? merge(t, level, mate) : 0;
}

/*
 * A root with one child is none.  (That child is not on the path if its neighbour was, and went.)
 */
static errcode_t shrink(struct itree *t)
{
	struct itree_path *p = &t->change->path;
	struct itree_step *root;
	struct itree_child child;
	errcode_t err = 0;

	while (!err && t->dir.levels) {
		root = &p->at[t->dir.levels];
		if (itree_node_count(root->block) != 1)
			break;
		itree_node_get(root->block, 0, &child);
		give_back(t, root->blk);
		root->dirty = 0;
		t->dir.root = child.block;
		t->dir.levels--;
		if (p->at[t->dir.levels].blk != child.block)
			err = itree_path_load(t, p, t->dir.levels);
	}
	return err;
}

static errcode_t change_tree(struct itree *t, itree_key key)
{
	errcode_t err = take_out(t, key);
	uint32_t level;

	for (level = 0; level < t->dir.levels && !err; level++)
		err = settle(t, level);
	return err ? err : shrink(t);
}

errcode_t itree_delete(struct itree *t, itree_key key, const char *name, uint8_t name_len)
{
	const struct itree_store *s = t->store;
	struct itree_change *c;
	struct itree_entry e;
	errcode_t err = itree_change_begin(t);

	c = t->change;
	if (!err)
		err = itree_path_lower(t, &c->path, key);
	if (!err)
		err = itree_path_find(t, &c->path, key, name, name_len, &e);
	if (err)
		return err;
	err = change_tree(t, key);
	t->dir.entries--;
	t->dir.set_hash -= itree_name_digest(itree_key_ino(key), name, name_len);
	err = itree_change_end(t, err);
	while (!err && c->n)
		s->release(s->priv, c->blk[--c->n]);
	return err;
}
