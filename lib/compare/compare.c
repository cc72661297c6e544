// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compare.c - handing out differences, and where they are
 */
#include <assert.h>
#include <string.h>

#include "compare/compare.h"
#include "tree/path.h"

void bfo_compare_free(struct bfo_compare *c)
{
	bfo_vec_free(&c->pairs);
	bfo_vec_free(&c->unread[0]);
	bfo_vec_free(&c->unread[1]);
}

void bfo_compare_found(struct bfo_compare *c, const struct bfo_diff *diff)
{
	if (c->ignore & BFO_DIFF_BIT(diff->kind))
		return;
	c->differences++;
	c->found(c->priv, diff);
}

/* The path of --from without its slashes, as paths are built here. */
static void put_top(struct bfo_trail *trail, const char *path)
{
	size_t len = strlen(path), begin;

	while (len) {
		while (len && path[len - 1] == '/')
			len--;
		for (begin = len; begin && path[begin - 1] != '/'; )
			begin--;
		if (begin < len && !(len - begin == 1 && path[begin] == '.'))
			bfo_trail_put(trail, path + begin, len - begin);
		len = begin;
	}
}

/* A pair has one name, in A: that by which it was met. */
static int above(const void *compare, uint32_t pair, struct bfo_trail_step *s)
{
	const struct bfo_compare *c = compare;
	const struct bfo_tree *t = c->tree[0];
	const struct bfo_name *n;

	if (c->pairs.v[pair].parent == BFO_NONE)
		return 0;
	n = &t->names.v[c->pairs.v[pair].name];
	*s = (struct bfo_trail_step) { .text = bfo_name_text(t, n), .len = bfo_name_len(n),
				       .above = c->pairs.v[pair].parent };
	return 1;
}

size_t bfo_compare_path(const struct bfo_compare *c, uint32_t pair, const struct bfo_bytes *name,
			char *out, size_t size)
{
	struct bfo_trail trail = bfo_trail_begin(out, size);

	assert(pair < c->pairs.n);
	if (name)
		bfo_trail_put(&trail, name->data, name->len);
	bfo_trail_climb(&trail, pair, above, c);
	put_top(&trail, c->path[0]);
	return bfo_trail_end(&trail);
}

size_t bfo_compare_finding_path(const struct bfo_compare *c, int side,
				const struct bfo_finding *f, char *out, size_t size)
{
	const struct bfo_tree *t = c->tree[side];
	int named = f->len != BFO_NO_NAME;
	struct bfo_bytes name = { .len = f->len };
	bfo_row row;

	if (!c->pairs.n)
		return 0;	/* it did not come to names */
	if (named)
		name.data = t->text.v + f->text;
	row = bfo_tree_find(t, named ? f->dir : f->ino);
	if (row == BFO_NONE || t->inodes.v[row].name == BFO_NONE)
		return 0;
	return bfo_compare_path(c, t->inodes.v[row].name, named ? &name : NULL, out, size);
}
