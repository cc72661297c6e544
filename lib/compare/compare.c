// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compare.c - handing out differences, and where they are
 */
#include <assert.h>
#include <string.h>

#include "compare/compare.h"

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

/* Puts "/TEXT" before byte AT of OUT; if it does not fit, as much of its end as does. */
static size_t put_before(char *out, size_t at, const char *text, size_t len)
{
	size_t fits = len < at ? len : at;

	memcpy(out + at - fits, text + len - fits, fits);
	at -= fits;
	if (at)
		out[--at] = '/';
	return at;
}

/* The path of --from without its slashes, as paths are built here. */
static size_t put_top(char *out, size_t at, const char *path)
{
	size_t len = strlen(path), begin;

	while (len) {
		while (len && path[len - 1] == '/')
			len--;
		for (begin = len; begin && path[begin - 1] != '/'; )
			begin--;
		if (begin < len && !(len - begin == 1 && path[begin] == '.'))
			at = put_before(out, at, path + begin, len - begin);
		len = begin;
	}
	return at;
}

size_t bfo_compare_path(const struct bfo_compare *c, uint32_t pair, const struct bfo_bytes *name,
			char *out, size_t size)
{
	const struct bfo_tree *t = c->tree[0];
	size_t at = size;

	assert(pair < c->pairs.n);
	if (name)
		at = put_before(out, at, name->data, name->len);
	for (; c->pairs.v[pair].parent != BFO_NONE; pair = c->pairs.v[pair].parent) {
		const struct bfo_name *n = &t->names.v[c->pairs.v[pair].name];

		at = put_before(out, at, bfo_name_text(t, n), bfo_name_len(n));
	}
	at = put_top(out, at, c->path[0]);
	if (at == size)
		out[--at] = '/';
	memmove(out, out + at, size - at);
	return size - at;
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
