// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resolve.c - from many paths to inode numbers
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/sort.h"
#include "gather/inode_scan.h"
#include "gather/inode_walk.h"
#include "gather/resolve.h"
#include "tree/path.h"

struct resolver {
	struct bfo_reader *r;
	size_t n;
	const char **rest;		/* of each path, what is left of it */
	struct bfo_resolved *out;
	bfo_met_name met;		/* or NULL */
	void *priv;
	struct bfo_tree tree;		/* directories of this level, or all (rule 2) */
	int has_all;
	int never_all;			/* there are tables that cannot be read */
	BFO_VEC(struct bfo_sought) sought;	/* at this level */
	bfo_dir_parts parts;
	bfo_numbers damaged;		/* inode numbers of directories, ascending */
};

/* ---- which names ---- */

/* The next component of path I, if it has one. */
static errcode_t add_sought(struct resolver *s, uint32_t i)
{
	struct bfo_sought name = { .path = i, .dir = s->out[i].ino };
	size_t len;

	if (!s->rest[i] || s->out[i].fault)
		return 0;
	len = bfo_path_next(&s->rest[i], &name.name);
	if (!len)
		s->rest[i] = NULL;
	else if (bfo_path_is_up(name.name, len))
		s->out[i].fault = BFO_PATH_UP;
	if (!len || s->out[i].fault)
		return 0;
	name.len = len < UINT32_MAX ? len : UINT32_MAX;
	name.crc = bfo_crc32c(~0U, name.name, name.len);
	return bfo_vec_push(&s->sought, name);
}

static errcode_t list_sought(struct resolver *s)
{
	errcode_t err = 0;
	size_t i;

	s->sought.n = 0;
	for (i = 0; i < s->n && !err; i++)
		err = add_sought(s, i);
	bfo_sort(s->sought.v, s->sought.n, sizeof(*s->sought.v), 2);
	return err;
}

/* How many components the longest path has that is still followed. */
static uint32_t levels_left(const struct resolver *s)
{
	const char *rest, *name;
	uint32_t most = 0, levels;
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (!s->rest[i] || s->out[i].fault)
			continue;
		rest = s->rest[i];
		for (levels = 1; bfo_path_next(&rest, &name); levels++)
			;
		if (levels > most)
			most = levels;
	}
	return most;
}

/* ---- inodes of directories ---- */

static int is_directory(void *priv, uint32_t ino, const struct ext2_inode *raw)
{
	(void) priv;
	(void) ino;
	return S_ISDIR(ext2fs_le16_to_cpu(raw->i_mode));
}

/* Those of all directories.  A block that nobody has asked for does not end the work. */
static errcode_t scan_all(struct resolver *s)
{
	errcode_t err = bfo_inode_scan_wanted(s->r, &s->tree, is_directory, NULL);

	s->has_all = !err;
	if (!bfo_media_is_error(err))
		return err;
	s->never_all = 1;
	s->r->vol->media.failed = 0;
	bfo_tree_free(&s->tree);
	bfo_what_clear(s->r->ctx);
	return 0;
}

/* *ALL: rule 2 says so. */
static errcode_t choose(struct resolver *s, const bfo_numbers *inos, int *all)
{
	uint64_t some_cost, all_cost;
	errcode_t err = bfo_inode_walk_cost(s->r, inos->v, inos->n, &some_cost);

	if (!err)
		err = bfo_inode_walk_cost(s->r, NULL, 0, &all_cost);
	*all = !err && some_cost * levels_left(s) >= all_cost;
	return err;
}

static errcode_t scan(struct resolver *s, const bfo_numbers *inos)
{
	errcode_t err = 0;
	int all = 0;

	if (!s->never_all)
		err = choose(s, inos, &all);
	if (!err && all)
		err = scan_all(s);
	return err || s->has_all ? err : bfo_inode_scan_some(s->r, &s->tree, inos->v, inos->n);
}

static errcode_t read_directories(struct resolver *s)
{
	bfo_numbers inos = { 0 };
	errcode_t err = 0;
	size_t i;

	if (s->has_all)
		return 0;
	bfo_tree_free(&s->tree);
	for (i = 0; i < s->sought.n && !err; i++)
		if (!i || s->sought.v[i].dir != s->sought.v[i - 1].dir)
			err = bfo_vec_push(&inos, s->sought.v[i].dir);
	if (!err)
		err = scan(s, &inos);
	bfo_vec_free(&inos);
	return err;
}

/* Why inode INO, of row ROW, is no directory; or BFO_PATH_SOUND. */
static enum bfo_path_fault judge(const struct bfo_tree *t, uint32_t ino, bfo_row row)
{
	uint16_t mode = row == BFO_NONE ? 0 : t->inodes.v[row].mode;

	if (bfo_ranges_contain(&t->unread, ino))
		return BFO_PATH_UNREAD;
	if (S_ISDIR(mode))
		return BFO_PATH_SOUND;
	return S_ISLNK(mode) ? BFO_PATH_LINK : BFO_PATH_NO_DIR;
}

/* From inode numbers to rows; what is no directory, or can be no name, leads nowhere. */
static void find_rows(struct resolver *s)
{
	size_t i, kept = 0;

	for (i = 0; i < s->sought.n; i++) {
		struct bfo_sought name = s->sought.v[i];
		bfo_row row = bfo_tree_find(&s->tree, name.dir);
		enum bfo_path_fault fault = judge(&s->tree, name.dir, row);

		if (!fault && name.len > EXT2_NAME_LEN)
			fault = BFO_PATH_MISSING;
		s->out[name.path].fault = fault;
		name.dir = row;
		if (!fault)
			s->sought.v[kept++] = name;
	}
	s->sought.n = kept;
}

/* ---- their names ---- */

/* The first of those sought that is not before CRC in DIR. */
static size_t lower(const struct resolver *s, bfo_row dir, uint32_t crc)
{
	size_t lo = 0, hi = s->sought.n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (s->sought.v[mid].dir < dir ||
		    (s->sought.v[mid].dir == dir && s->sought.v[mid].crc < crc))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* For the scan: of names that are there twice, the first one counts. */
static errcode_t take_name(void *priv, const struct bfo_found_name *name)
{
	struct resolver *s = priv;
	uint32_t crc = bfo_crc32c(~0U, name->text, name->len);
	size_t i;

	for (i = lower(s, name->dir, crc); i < s->sought.n; i++) {
		struct bfo_sought *w = &s->sought.v[i];

		if (w->dir != name->dir || w->crc != crc)
			break;
		if (w->ino || w->len != name->len || memcmp(w->name, name->text, w->len))
			continue;
		w->ino = name->ino;
		w->type = name->type;
	}
	return 0;
}

static errcode_t list_damaged(struct resolver *s)
{
	const bfo_findings *found = &s->tree.findings;
	errcode_t err = 0;
	size_t i;

	s->damaged.n = 0;
	for (i = 0; i < found->n && !err; i++)
		err = bfo_vec_push(&s->damaged, found->v[i].len == BFO_NO_NAME ?
				   found->v[i].ino : found->v[i].dir);
	bfo_sort_numbers(s->damaged.v, s->damaged.n);
	return err;
}

static int is_damaged(const struct resolver *s, uint32_t ino)
{
	size_t i = bfo_vec_lower_number(&s->damaged, ino);

	return i < s->damaged.n && s->damaged.v[i] == ino;
}

/* Nothing of path I is left. */
static int is_last(const struct resolver *s, uint32_t i)
{
	const char *rest = s->rest[i], *name;

	return !rest || !bfo_path_next(&rest, &name);
}

static errcode_t settle(struct resolver *s)
{
	errcode_t err = list_damaged(s);
	size_t i;

	for (i = 0; i < s->sought.n && !err; i++) {
		const struct bfo_sought *w = &s->sought.v[i];
		struct bfo_resolved *out = &s->out[w->path];

		if (!w->ino) {
			out->fault = is_damaged(s, out->ino) ? BFO_PATH_DAMAGED : BFO_PATH_MISSING;
			out->is_last = is_last(s, w->path);
			continue;
		}
		if (s->met)
			err = s->met(s->priv, out->ino, w);
		out->parent = out->ino;
		out->ino = w->ino;
	}
	return err;
}

static errcode_t read_level(struct resolver *s)
{
	errcode_t err = read_directories(s);

	if (err)
		return err;
	find_rows(s);
	s->parts.n = 0;
	err = bfo_htree_scan(s->r, &s->tree, s->sought.v, s->sought.n, &s->parts);
	if (!err)
		err = bfo_name_scan_parts(s->r, &s->tree, &s->parts, take_name, s);
	return err ? err : settle(s);
}

errcode_t bfo_resolve_names(struct bfo_reader *r, const char *const *paths, size_t n,
			    struct bfo_resolved *out, bfo_met_name met, void *priv)
{
	struct resolver s = { .r = r, .n = n, .out = out, .met = met, .priv = priv };
	errcode_t err = 0;
	size_t i;

	s.rest = malloc(n * sizeof(*s.rest) + 1);
	if (!s.rest)
		return bfo_fail(r->ctx, ENOMEM, "looking for %zu paths", n);
	for (i = 0; i < n; i++) {
		s.rest[i] = paths[i];
		out[i] = (struct bfo_resolved) { .ino = EXT2_ROOT_INO, .parent = EXT2_ROOT_INO };
	}
	err = list_sought(&s);
	while (!err && s.sought.n) {
		err = read_level(&s);
		if (!err)
			err = list_sought(&s);
	}
	free(s.rest);
	bfo_tree_free(&s.tree);
	bfo_vec_free(&s.sought);
	bfo_vec_free(&s.parts);
	bfo_vec_free(&s.damaged);
	return err == ENOMEM ? bfo_fail(r->ctx, err, "looking for %zu paths", n) : err;
}

errcode_t bfo_resolve(struct bfo_reader *r, const char *const *paths, size_t n,
		      struct bfo_resolved *out)
{
	return bfo_resolve_names(r, paths, n, out, NULL, NULL);
}

errcode_t bfo_resolved_check(struct bfo_context *ctx, const char *name, const char *path,
			     const struct bfo_resolved *way)
{
	const char *why = "";

	switch (way->fault) {
	case BFO_PATH_SOUND:
		return 0;
	case BFO_PATH_UNREAD:
		return bfo_fail(ctx, BFO_ET_NO_PATH,
				"looking for %s on %s: inode %u on the way cannot be read", path,
				name, way->ino);
	case BFO_PATH_UP:
		return bfo_fail(ctx, EINVAL, "looking for %s on %s: '..' is not followed", path,
				name);
	case BFO_PATH_NO_DIR:
	case BFO_PATH_LINK:
		if (way->fault == BFO_PATH_LINK)
			why = ": symbolic links are not followed";
		return bfo_fail(ctx, BFO_ET_NOT_DIR, "looking for %s on %s%s", path, name, why);
	case BFO_PATH_DAMAGED:
		why = ": a directory on the way is damaged, or cannot be read";
		break;
	case BFO_PATH_PACKED:
		why = ": a composite file there is damaged, or of a newer version";
		break;
	case BFO_PATH_MISSING:
		break;
	}
	return bfo_fail(ctx, BFO_ET_NO_PATH, "looking for %s on %s%s", path, name, why);
}
