// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * check.c - walking a whole tree
 *
 * Each block is marked before it is read, so that whatever a damaged tree looks like, no more
 * blocks are read than it has.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "itree/check.h"
#include "itree/leaf.h"

struct walk {
	const struct itree *t;
	errcode_t (*take)(void *priv, const struct itree_entry *e);
	void *priv;
	struct itree_checked *out;
	struct itree_path path;
	uint64_t *used;			/* a bit for every block */
};

const char *itree_damage_text(enum itree_damage what)
{
	static const char *const texts[] = {
		[ITREE_SOUND] = "is sound",
		[ITREE_BAD_NODE] = "is no index node as it should be here",
		[ITREE_BAD_LEAF] = "is no leaf as it should be here",
		[ITREE_BAD_EMPTY] = "is an empty leaf",
		[ITREE_BAD_KEY] = "begins with another key than its parent says",
		[ITREE_BAD_ORDER] = "has keys beyond those that follow it",
		[ITREE_BAD_CONT] = "has a wrong flag for runs of equal keys before or after it",
		[ITREE_BAD_FULLNESS] = "is not as full as its parent says",
		[ITREE_BAD_TWICE] = "is used twice",
		[ITREE_BAD_LEAVES] = "has another number of leaves below it",
		[ITREE_BAD_ENTRIES] = "has another number of entries below it",
		[ITREE_BAD_SET] = "has other names below it",
	};

	return (unsigned int) what < sizeof(texts) / sizeof(texts[0]) ? texts[what] : "is damaged";
}

static errcode_t damage(struct walk *w, enum itree_damage what, uint32_t blk)
{
	w->out->what = what;
	w->out->blk = blk;
	return BFO_ET_ITREE;
}

/* What the step above says about step LEVEL (not the root). */
static void child_of(const struct walk *w, uint32_t level, struct itree_child *child)
{
	const struct itree_step *up = &w->path.at[level + 1];

	itree_node_get(up->block, up->idx, child);
}

static errcode_t mark(struct walk *w, uint32_t level)
{
	struct itree_child child = { .block = w->t->dir.root };
	uint64_t bit;

	if (level < w->t->dir.levels)
		child_of(w, level, &child);
	bit = 1ULL << child.block % 64;
	if (w->used[child.block / 64] & bit)
		return damage(w, ITREE_BAD_TWICE, child.block);
	w->used[child.block / 64] |= bit;
	return 0;
}

/* USED of ROOM is what the parent says. */
static errcode_t look_at_fullness(struct walk *w, uint32_t level, uint32_t used, uint32_t room)
{
	struct itree_child child;

	if (level == w->t->dir.levels)
		return 0;
	child_of(w, level, &child);
	return child.fullness == itree_fullness(used, room) ? 0 :
	       damage(w, ITREE_BAD_FULLNESS, child.block);
}

static errcode_t walk_leaf(struct walk *w)
{
	const struct itree_step *leaf = &w->path.at[0];
	uint32_t used = itree_leaf_used(leaf->block), at = ITREE_LEAF_HEAD, live = 0;
	struct itree_checked *out = w->out;
	struct itree_entry e;
	errcode_t err = 0;

	out->leaves++;
	while (at < used && !err) {
		at = itree_leaf_get(leaf->block, at, &e);
		live += itree_entry_bytes(e.name_len);
		out->entries++;
		out->set_hash += itree_name_digest(itree_key_ino(e.key), e.name, e.name_len);
		if (w->take)
			err = w->take(w->priv, &e);
	}
	return err ? err : look_at_fullness(w, 0, live, w->t->store->block_size - ITREE_LEAF_HEAD);
}

static errcode_t walk_step(struct walk *w, uint32_t level)
{
	struct itree_step *step = &w->path.at[level];
	errcode_t err = mark(w, level);
	uint32_t count, i;

	if (err)
		return err;
	err = itree_path_load(w->t, &w->path, level);
	if (err == BFO_ET_ITREE && w->path.what)
		return damage(w, w->path.what, w->path.bad);
	if (err || !level)
		return err ? err : walk_leaf(w);
	w->out->nodes++;
	count = itree_node_count(step->block);
	err = look_at_fullness(w, level, count, itree_node_limit(w->t->store->block_size));
	for (i = 0; i < count && !err; i++) {
		step->idx = i;
		err = walk_step(w, level - 1);
	}
	return err;
}

static errcode_t look_at_counts(struct walk *w)
{
	const struct itree_dir *dir = &w->t->dir;

	if (w->out->leaves != dir->leaves)
		return damage(w, ITREE_BAD_LEAVES, dir->root);
	if (w->out->entries != dir->entries)
		return damage(w, ITREE_BAD_ENTRIES, dir->root);
	if (w->out->set_hash != dir->set_hash)
		return damage(w, ITREE_BAD_SET, dir->root);
	return 0;
}

errcode_t itree_check_blocks(const struct itree *t,
			     errcode_t (*take)(void *priv, const struct itree_entry *e), void *priv,
			     struct itree_checked *out, uint64_t *used)
{
	struct walk w = { .t = t, .take = take, .priv = priv, .out = out, .used = used };
	errcode_t err;

	memset(out, 0, sizeof(*out));
	err = walk_step(&w, t->dir.levels);
	if (!err)
		err = look_at_counts(&w);
	itree_path_free(&w.path);
	return err;
}

errcode_t itree_check(const struct itree *t,
		      errcode_t (*take)(void *priv, const struct itree_entry *e), void *priv,
		      struct itree_checked *out)
{
	uint64_t *used = calloc(itree_used_words(t->dir.blocks), sizeof(*used));
	errcode_t err = used ? itree_check_blocks(t, take, priv, out, used) : ENOMEM;

	free(used);
	return err;
}
