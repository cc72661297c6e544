// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * insert.c - one more name; leaves, nodes and the root split where it does not fit
 *
 * The blocks that splits need are asked for before anything changes, so that a store without room
 * leaves the tree as it was.  What is behind the last key of all goes into a leaf of its own: trees
 * that grow in order of inodes are full.
 */
#include <errno.h>
#include <string.h>

#include "base/bfo_err.h"
#include "itree/change.h"
#include "itree/leaf.h"

/* The entries of a leaf and, where it sorts, a new one. */
struct merged {
	const void *block;
	const struct itree_entry *new;	/* NULL once it came */
	uint32_t at, used;
};

static int next_merged(struct merged *m, struct itree_entry *e)
{
	uint32_t next = 0;

	if (m->at < m->used)
		next = itree_leaf_get(m->block, m->at, e);
	if (m->new && (!next || e->key > m->new->key)) {
		*e = *m->new;
		m->new = NULL;
		return 1;
	}
	if (next)
		m->at = next;
	return next != 0;
}

/*
 * How bad it is to split TOTAL bytes behind the first LEFT of them: how far that is from the
 * middle.
 */
static uint32_t badness(uint32_t left, uint32_t total, uint32_t room, int in_run)
{
	uint32_t off = left > total / 2 ? left - total / 2 : total / 2 - left;

	if (left > room || total - left > room)
		return UINT32_MAX;
	return in_run ? off + room / 4 : off;
}

/*
 * Where to split: bytes that stay.  As near to the middle as can be; but rather up to a quarter of
 * a leaf away from it than between equal keys.
 */
static uint32_t find_cut(struct merged m, uint32_t room)
{
	uint32_t total = itree_leaf_live(m.block) + itree_entry_bytes(m.new->name_len);
	uint32_t left = 0, cut = 0, best = UINT32_MAX, bad;
	struct itree_entry e;
	itree_key before = 0;

	while (next_merged(&m, &e)) {
		bad = left ? badness(left, total, room, e.key == before) : UINT32_MAX;
		if (bad < best) {
			best = bad;
			cut = left;
		}
		left += itree_entry_bytes(e.name_len);
		before = e.key;
	}
	return cut;
}

/* Is E the last of the whole tree, behind what is in LEAF? */
static int is_last(const struct itree_step *leaf, const struct itree_entry *e)
{
	return !leaf->has_end && itree_leaf_last(leaf->block) <= e->key;
}

/* The leaf is full: its entries and E are in it and in the new block MADE then. */
static errcode_t split_leaf(struct itree *t, const struct itree_entry *e, struct itree_child *made)
{
	struct itree_change *c = t->change;
	struct itree_step *leaf = &c->path.at[0];
	uint32_t size = t->store->block_size, to = ITREE_LEAF_HEAD, cut, blk = c->blk[c->taken++];
	struct merged m = { c->copy, e, ITREE_LEAF_HEAD, itree_leaf_used(leaf->block) };
	void *out = leaf->block;
	struct itree_entry one;
	itree_key before = 0;

	memcpy(c->copy, leaf->block, size);
	cut = is_last(leaf, e) ? itree_leaf_live(c->copy) : find_cut(m, size - ITREE_LEAF_HEAD);
	itree_leaf_init(leaf->block, size);
	itree_leaf_init(c->spare, size);
	while (next_merged(&m, &one)) {
		if (out != c->spare && to == ITREE_LEAF_HEAD + cut) {
			made->flags = one.key == before ? ITREE_CHILD_CONT : 0;
			itree_leaf_set_used(out, to);
			out = c->spare;
			to = ITREE_LEAF_HEAD;
		}
		to = itree_leaf_put(out, to, &one, itree_entry_bytes(one.name_len));
		before = one.key;
	}
	itree_leaf_set_used(out, to);
	itree_block_describe(t, 0, blk, c->spare, made);
	t->dir.leaves++;
	return itree_block_write(t, 0, blk, c->spare);
}

/* Puts MADE behind the child that the node is at; if that is full, MADE is its other half then. */
static errcode_t add_child(struct itree *t, uint32_t level, struct itree_child *made, int *is_made)
{
	struct itree_change *c = t->change;
	struct itree_step *step = &c->path.at[level];
	uint32_t count = itree_node_count(step->block), at = step->idx + 1, cut = count / 2, blk;
	void *to = step->block;

	step->dirty = 1;
	*is_made = count == itree_node_limit(t->store->block_size);
	if (!*is_made) {
		itree_node_open(to, at, 1);
		itree_node_put(to, at, made);
		return 0;
	}
	if (at == count && !step->has_end)
		cut = count;
	blk = c->blk[c->taken++];
	itree_node_init(c->spare, t->store->block_size, level - 1);
	itree_node_move(step->block, cut, c->spare);
	if (at > cut || cut == count) {
		to = c->spare;
		at -= cut;
	}
	itree_node_open(to, at, 1);
	itree_node_put(to, at, made);
	itree_block_describe(t, level, blk, c->spare, made);
	return itree_block_write(t, level, blk, c->spare);
}

/* A root over the old one and MADE. */
static errcode_t grow(struct itree *t, const struct itree_child *made)
{
	struct itree_change *c = t->change;
	struct itree_step *root = &c->path.at[t->dir.levels];
	struct itree_child old = { 0 };
	uint32_t blk = c->blk[c->taken++];

	itree_block_describe(t, t->dir.levels, root->blk, root->block, &old);
	itree_node_init(c->spare, t->store->block_size, t->dir.levels++);
	itree_node_open(c->spare, 0, 2);
	itree_node_put(c->spare, 0, &old);
	itree_node_put(c->spare, 1, made);
	t->dir.root = blk;
	return itree_block_write(t, t->dir.levels, blk, c->spare);
}

/* The blocks that splitting the leaf takes. */
static errcode_t take_blocks(struct itree *t)
{
	struct itree_change *c = t->change;
	const struct itree_store *s = t->store;
	uint32_t need, level = 1, blocks = t->dir.blocks;
	errcode_t err = 0;

	while (level <= t->dir.levels &&
	       itree_node_count(c->path.at[level].block) == itree_node_limit(s->block_size))
		level++;
	need = level > t->dir.levels ? level + 1 : level;
	if (level > ITREE_MAX_LEVELS)
		return BFO_ET_OVERFLOW;
	for (; c->n < need; c->n++) {
		err = s->alloc(s->priv, &c->blk[c->n]);
		if (err)
			break;
		if (c->blk[c->n] >= blocks)
			blocks = c->blk[c->n] + 1;
	}
	while (err && c->n)
		s->release(s->priv, c->blk[--c->n]);
	if (!err)
		t->dir.blocks = blocks;
	return err;
}

static errcode_t split(struct itree *t, const struct itree_entry *e, struct itree_child *made)
{
	errcode_t err = take_blocks(t);

	if (err)
		return err;
	t->change->path.at[0].dirty = 1;
	return split_leaf(t, e, made);
}

/* Puts MADE, if it is, and what else is new of the leaf, into the nodes above. */
static errcode_t rise(struct itree *t, struct itree_child *made, int is_made)
{
	uint32_t levels = t->dir.levels, level;
	errcode_t err = 0;

	for (level = 0; level < levels && !err; level++) {
		itree_change_refresh(t, level);
		if (is_made)
			err = add_child(t, level + 1, made, &is_made);
	}
	return !err && is_made ? grow(t, made) : err;
}

errcode_t itree_insert(struct itree *t, const struct itree_entry *e)
{
	struct itree_step *leaf;
	struct itree_child made = { 0 };
	errcode_t err;
	int fits;

	if (!e->name_len || !itree_key_ino(e->key) || e->key & 1)
		return EINVAL;
	err = itree_change_begin(t);
	if (!err)
		err = itree_path_upper(t, &t->change->path, e->key);
	if (err)
		return err;
	leaf = &t->change->path.at[0];
	fits = itree_leaf_insert(leaf->block, t->store->block_size, e);
	leaf->dirty = fits;
	if (!fits) {
		err = split(t, e, &made);
		if (err && !t->change->taken)
			return err;
	}
	if (!err)
		err = rise(t, &made, !fits);
	t->dir.entries++;
	t->dir.set_hash += itree_name_digest(itree_key_ino(e->key), e->name, e->name_len);
	return itree_change_end(t, err);
}
