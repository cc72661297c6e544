// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * path.c - from a path to a record
 *
 *   "/a/b"  ── component ── name in the slice ── row ──┐
 *                  ^                                   │
 *                  └───────────────────────────────────┘
 */
#include <errno.h>
#include <string.h>

#include "base/bfo_err.h"
#include "tree/access.h"
#include "tree/path.h"

/* ---- components ---- */

size_t bfo_path_next(const char **path, const char **name)
{
	const char *p = *path;
	size_t len;

	do {
		p += strspn(p, "/");
		len = strcspn(p, "/");
		*name = p;
		p += len;
	} while (len == 1 && **name == '.');
	*path = p;
	return len;
}

int bfo_path_is_up(const char *name, size_t len)
{
	return len == 2 && !memcmp(name, "..", 2);
}

uint32_t bfo_tree_child(const struct bfo_tree *t, bfo_row dir, const char *name, size_t len)
{
	struct bfo_slice s = bfo_dir_names(t, &t->inodes.v[dir]);
	uint32_t i;

	for (i = s.first; i < s.end; i++)
		if (bfo_name_len(&t->names.v[i]) == len &&
		    !memcmp(bfo_name_text(t, &t->names.v[i]), name, len))
			return i;
	return BFO_NONE;
}

/* ---- from a path to a record ---- */

static bfo_row row_of(const struct bfo_way *w, const struct bfo_name *n)
{
	if (w->row_of)
		return w->row_of(w->priv, n);
	return w->tree->resolved ? bfo_name_row(w->tree, n)
				 : bfo_tree_find(w->tree, bfo_name_number(w->tree, n));
}

errcode_t bfo_way_step(struct bfo_way *w, int *more)
{
	const struct bfo_tree *t = w->tree;
	const char *name;
	size_t len = bfo_path_next(&w->rest, &name);
	bfo_row row;

	*more = len > 0;
	if (!len)
		return 0;
	if (bfo_path_is_up(name, len))
		return EINVAL;
	if (!S_ISDIR(t->inodes.v[w->row].mode))
		return BFO_ET_NOT_DIR;
	w->at = w->find ? w->find(w->priv, w->row, name, len)
			: bfo_tree_child(t, w->row, name, len);
	row = w->at == BFO_NONE ? BFO_NONE : row_of(w, &t->names.v[w->at]);
	if (row == BFO_NONE)
		return BFO_ET_NO_PATH;
	w->row = row;
	return 0;
}

errcode_t bfo_way_end(struct bfo_way *w)
{
	errcode_t err;
	int more;

	do
		err = bfo_way_step(w, &more);
	while (!err && more);
	return err;
}
