// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cursor.c - reading a tree in the order of keys
 *
 * The cursor has the leaf it reads in memory, and looks for its place again from its position when
 * the tree has changed since.  Within a run of equal keys the position does not say where, so there
 * the name that was read last is kept.
 */
#include <string.h>

#include "base/bfo_err.h"
#include "itree/cursor.h"

void itree_cursor_init(struct itree_cursor *c, const struct itree *t)
{
	memset(c, 0, sizeof(*c));
	c->t = t;
	c->to = UINT64_MAX;
}

void itree_cursor_free(struct itree_cursor *c)
{
	itree_path_free(&c->path);
	c->placed = 0;
}

void itree_cursor_seek(struct itree_cursor *c, uint64_t pos)
{
	c->pos = pos;
	c->placed = 0;
	c->run_len = 0;
}

uint64_t itree_cursor_tell(const struct itree_cursor *c)
{
	return c->pos;
}

void itree_cursor_keys(struct itree_cursor *c, itree_key from, itree_key to)
{
	c->to = to;
	itree_cursor_seek(c, from ? from - 1 : 0);
}

void itree_cursor_inodes(struct itree_cursor *c, uint32_t from, uint32_t to)
{
	itree_cursor_keys(c, itree_key_make(from, 0), itree_key_make(to, UINT32_MAX));
}

/* To the first entry behind the position; at the end of a leaf if that comes later. */
static errcode_t go_to_position(struct itree_cursor *c)
{
	struct itree_step *leaf = &c->path.at[0];
	errcode_t err = itree_path_lower(c->t, &c->path, c->pos + 1);
	struct itree_entry e;
	uint32_t used, next;

	if (err)
		return err;
	used = itree_leaf_used(leaf->block);
	for (; leaf->idx < used; leaf->idx = next) {
		next = itree_leaf_get(leaf->block, leaf->idx, &e);
		if (e.key > c->pos)
			break;
	}
	return 0;
}

/* Behind the entry of the run that was read last; to the run's beginning if that is gone. */
static errcode_t go_on_in_run(struct itree_cursor *c)
{
	struct itree_step *leaf = &c->path.at[0];
	struct itree_entry e;
	errcode_t err = itree_path_find(c->t, &c->path, c->pos + 1, c->run, c->run_len, &e);

	if (!err)
		leaf->idx = itree_leaf_get(leaf->block, leaf->idx, &e);
	else if (err == BFO_ET_NO_PATH)
		err = go_to_position(c);
	return err;
}

static errcode_t place(struct itree_cursor *c)
{
	errcode_t err = go_to_position(c);

	if (!err && c->run_len)
		err = go_on_in_run(c);
	if (err)
		return err;
	c->placed = 1;
	c->changes = c->t->changes;
	c->leaves = 1;
	return 0;
}

/* Is the entry before the leaf's idx, which has KEY, followed by another one with it? */
static int is_followed(const struct itree_step *leaf, itree_key key)
{
	struct itree_entry e;

	if (leaf->idx < itree_leaf_used(leaf->block)) {
		itree_leaf_get(leaf->block, leaf->idx, &e);
		return e.key == key;
	}
	return leaf->has_end && leaf->end.key == key;
}

static void deliver(struct itree_cursor *c, struct itree_entry *e)
{
	struct itree_step *leaf = &c->path.at[0];

	leaf->idx = itree_leaf_get(leaf->block, leaf->idx, e);
	c->pos = e->key;
	c->run_len = 0;
	if (is_followed(leaf, e->key)) {
		c->pos = e->key - 1;
		c->run_len = e->name_len;
		memcpy(c->run, e->name, e->name_len);
	}
}

static void end(struct itree_cursor *c, struct itree_entry *e)
{
	itree_cursor_seek(c, UINT64_MAX);
	memset(e, 0, sizeof(*e));
}

static errcode_t next_leaf(struct itree_cursor *c, int *more)
{
	errcode_t err = itree_path_next(c->t, &c->path, more);

	if (!err && *more && ++c->leaves > c->t->dir.leaves)
		err = BFO_ET_ITREE;
	return err;
}

/* To a leaf in which there is something left; *MORE is 0 if there is none. */
static errcode_t make_ready(struct itree_cursor *c, int *more)
{
	struct itree_step *leaf = &c->path.at[0];
	errcode_t err = 0;

	*more = 1;
	if (!c->placed || c->changes != c->t->changes)
		err = place(c);
	while (!err && *more && leaf->idx >= itree_leaf_used(leaf->block))
		err = next_leaf(c, more);
	if (err)
		c->placed = 0;
	return err;
}

errcode_t itree_cursor_next(struct itree_cursor *c, struct itree_entry *e)
{
	struct itree_step *leaf = &c->path.at[0];
	errcode_t err;
	int more;

	if (c->pos == UINT64_MAX) {
		end(c, e);
		return 0;
	}
	err = make_ready(c, &more);
	if (err)
		return err;
	if (more)
		itree_leaf_get(leaf->block, leaf->idx, e);
	if (!more || e->key > c->to)
		end(c, e);
	else
		deliver(c, e);
	return 0;
}
