// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * path.c - from a path to a record, and from a record to its path
 *
 *   "/a/b"  ── component ── name in the slice ── row ──┐
 *                  ^                                   │		way
 *                  └───────────────────────────────────┘
 *
 *   row ── name that leads there ── row of its directory ──┐
 *                  ^                                       │		trail: from the end
 *                  └───────────────────────────────────────┘
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <ext2fs/ext2_fs.h>

#include "base/bfo_err.h"
#include "base/text.h"
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

errcode_t bfo_path_clean(const char *path, bfo_chars *out)
{
	const char *rest = path, *name;
	errcode_t err = bfo_vec_reserve(out, strlen(path) + 2);
	size_t len;

	out->n = 0;
	while (!err && (len = bfo_path_next(&rest, &name))) {
		out->v[out->n++] = '/';
		memcpy(out->v + out->n, name, len);
		out->n += len;
	}
	if (!err && !out->n)
		out->v[out->n++] = '/';
	return err;
}

size_t bfo_path_last(const char *path, const char **name)
{
	size_t len = 0, n;
	const char *at;

	while ((n = bfo_path_next(&path, &at))) {
		*name = at;
		len = n;
	}
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

/* ---- from a record to its path ---- */

struct bfo_trail bfo_trail_begin(char *out, size_t size)
{
	return (struct bfo_trail) { .out = out, .at = size, .size = size };
}

void bfo_trail_put(struct bfo_trail *trail, const char *name, size_t len)
{
	size_t fits = len < trail->at ? len : trail->at;

	trail->at -= fits;
	memcpy(trail->out + trail->at, name + len - fits, fits);
	if (trail->at)
		trail->out[--trail->at] = '/';
}

uint32_t bfo_trail_climb(struct bfo_trail *trail, uint32_t node, bfo_trail_above above,
			 const void *priv)
{
	struct bfo_trail_step s;

	while (trail->at && above(priv, node, &s)) {
		bfo_trail_put(trail, s.text, s.len);
		node = s.above;
	}
	return node;
}

void bfo_trail_origin(struct bfo_trail *trail, const struct bfo_tree *t, bfo_row row)
{
	const struct bfo_inode *rec = &t->inodes.v[row];
	char number[16];
	size_t len;

	if (rec->ino == EXT2_ROOT_INO || rec->state & BFO_INODE_MADE)
		return;
	len = sprintf(number, "<%u>", rec->ino);
	if (len > trail->at)
		return;
	trail->at -= len;
	memcpy(trail->out + trail->at, number, len);
}

size_t bfo_trail_end(struct bfo_trail *trail)
{
	size_t len;

	if (trail->at == trail->size)
		trail->out[--trail->at] = '/';
	len = trail->size - trail->at;
	memmove(trail->out, trail->out + trail->at, len);
	return len;
}

int bfo_tree_above(const void *tree, uint32_t row, struct bfo_trail_step *s)
{
	const struct bfo_tree *t = tree;
	uint32_t at = t->inodes.v[row].name;

	if (at >= t->names.n)
		return 0;
	*s = (struct bfo_trail_step) { .text = bfo_name_text(t, &t->names.v[at]),
				       .len = bfo_name_len(&t->names.v[at]),
				       .above = t->names.v[at].dir };
	return 1;
}

/* The path of ROW, or of NAME in it, if that is not NULL. */
static size_t path_of(const struct bfo_tree *t, bfo_row row, const char *name, size_t len,
		      char *out, size_t size)
{
	struct bfo_trail trail = bfo_trail_begin(out, size);

	if (name)
		bfo_trail_put(&trail, name, len);
	row = bfo_trail_climb(&trail, row, bfo_tree_above, t);
	bfo_trail_origin(&trail, t, row);
	return bfo_trail_end(&trail);
}

size_t bfo_tree_path(const struct bfo_tree *t, bfo_row row, char *out, size_t size)
{
	return path_of(t, row, NULL, 0, out, size);
}

size_t bfo_tree_finding_path(const struct bfo_tree *t, const struct bfo_finding *f, char *out,
			     size_t size)
{
	int named = f->len != BFO_NO_NAME && f->dir;	/* not in a directory that was made */
	bfo_row row = bfo_tree_find(t, named ? f->dir : f->ino);

	if (f->kind == BFO_UNREAD_TABLE)
		return sprintf(out, "<%u-%u>", f->ino, f->ino + f->blocks - 1);
	if (f->kind == BFO_UNREAD_QUOTA)
		return sprintf(out, "<%u>", f->ino);
	if (row == BFO_NONE) {
		out[0] = '?';
		return 1;
	}
	return path_of(t, row, named ? t->text.v + f->text : NULL, f->len, out, size);
}

const char *bfo_tree_shown_path(const struct bfo_tree *t, bfo_row row, char *out, size_t size)
{
	char raw[1024];

	return bfo_text_escape(raw, bfo_tree_path(t, row, raw, sizeof(raw)), out, size);
}
