// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * amended.c - a source whose tree is amended
 *
 *   gather ── the other's ── records amended ── zeroes become holes
 *   arrive ── the other's
 *   inodes ── the other's ── raw inodes amended, one at a time ── to who wants them
 *   read, settle ── the other's
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "gather/amended.h"
#include "gather/zeroes.h"
#include "tree/path.h"

static struct bfo_amended *amended(struct bfo_source *s)
{
	return (struct bfo_amended *) s;
}

static const struct bfo_source_ops ops;

/* The other one learns of itself while it works: what it is, is known once it is gathered. */
static void take_over(struct bfo_amended *a)
{
	a->source = *a->of;
	a->source.ops = &ops;
}

static errcode_t gather(struct bfo_source *s, struct bfo_tree *tree, int claims)
{
	struct bfo_amended *a = amended(s);
	errcode_t err = a->of->ops->gather(a->of, tree, claims);
	size_t i;

	a->tree = tree;
	tree->amend = a->amend;
	for (i = 0; i < tree->inodes.n && !err && a->amend->is_reproducible; i++) {
		tree->inodes.v[i].flags = bfo_amend_flags(a->amend, tree->inodes.v[i].flags);
		tree->inodes.v[i].generation = 0;
	}
	if (!err && a->amend->is_reproducible)
		err = bfo_zeroes_drop(a->of, tree, a->hole);
	take_over(a);
	return err;
}

/* Zeroes do not become holes: what has arrived is not read again. */
static errcode_t arrive(struct bfo_source *s, struct bfo_tree *tree, const struct bfo_arrival *to)
{
	struct bfo_amended *a = amended(s);
	errcode_t err = a->of->ops->arrive(a->of, tree, to);

	assert(!a->amend->is_reproducible);
	tree->amend = a->amend;
	take_over(a);
	return err;
}

/* A call of inodes() under way. */
struct call {
	struct bfo_amended *a;
	bfo_take_inode take;
	bfo_lose_inodes lose;
	void *priv;
};

/* Nobody owns in the target what is not copied. */
static int is_copied(const struct bfo_amended *a, uint32_t ino)
{
	bfo_row row = bfo_tree_find(a->tree, ino);

	return row != BFO_NONE && a->tree->inodes.v[row].state & BFO_INODE_PLACED;
}

static errcode_t take(void *priv, uint32_t ino, const void *raw)
{
	const struct call *call = priv;
	struct bfo_amended *a = call->a;
	struct bfo_source *s = &a->source;
	char path[300];
	int is_group;
	uint32_t id;

	memcpy(a->raw.v, raw, s->inode_size);
	if (!bfo_amend_inode(a->amend, a->raw.v, s->inode_size, &id, &is_group) &&
	    is_copied(a, ino))
		return bfo_fail(s->ctx, EINVAL,
				"reading %s in %s: %s %u is in no range of --map-%s",
				bfo_tree_shown_path(a->tree, bfo_tree_find(a->tree, ino), path,
						    sizeof(path)), s->name,
				is_group ? "group" : "user", id, is_group ? "groups" : "users");
	return call->take(call->priv, ino, a->raw.v);
}

static errcode_t lose(void *priv, uint32_t ino, uint32_t n)
{
	const struct call *call = priv;

	return call->lose(call->priv, ino, n);
}

static errcode_t inodes(struct bfo_source *s, const uint32_t *inos, size_t n, bfo_take_inode to,
			bfo_lose_inodes lost, void *priv)
{
	struct bfo_amended *a = amended(s);
	struct call call = { .a = a, .take = to, .lose = lost, .priv = priv };
	errcode_t err;

	a->raw.n = 0;
	err = bfo_vec_reserve(&a->raw, s->inode_size);
	return err ? err : a->of->ops->inodes(a->of, inos, n, take, lost ? lose : NULL, &call);
}

static errcode_t read_nodes(struct bfo_source *s, const struct bfo_node *nodes, size_t n,
			    const struct bfo_sink *sink)
{
	struct bfo_amended *a = amended(s);
	errcode_t err = a->of->ops->read(a->of, nodes, n, sink);

	take_over(a);
	return err;
}

static errcode_t settle(struct bfo_source *s)
{
	return amended(s)->of->ops->settle(amended(s)->of);
}

static uint32_t mark(struct bfo_source *s, uint64_t place)
{
	const struct bfo_source_ops *of = amended(s)->of->ops;

	return of->mark ? of->mark(amended(s)->of, place) : 0;
}

static void close_both(struct bfo_source *s)
{
	struct bfo_amended *a = amended(s);

	if (a->of->ops->close)
		a->of->ops->close(a->of);
	bfo_vec_free(&a->raw);
}

static const struct bfo_source_ops ops = {
	.gather = gather, .arrive = arrive, .inodes = inodes, .read = read_nodes,
	.settle = settle, .mark = mark, .close = close_both,
};

void bfo_amended_begin(struct bfo_amended *a, struct bfo_source *of,
		       const struct bfo_amend *amend)
{
	*a = (struct bfo_amended) { .of = of, .amend = amend };
	take_over(a);
}
