// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * readdir_members.c - members of composite files, listed in the place of these
 *
 * Nothing is read for that unless an immutable file has been met, or a path leads nowhere.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "gather/inode_check.h"
#include "job/readdir.h"
#include "tree/access.h"
#include "tree/path.h"

static void clear(struct bfo_readdir_members *m)
{
	if (m->unpacked.of)
		m->unpacked.source.ops->close(&m->unpacked.source);
	bfo_tree_free(&m->tree);
	bfo_vec_free(&m->v);
	bfo_vec_free(&m->raw);
	*m = (struct bfo_readdir_members) { .dir = 0 };
}

/* All names of members, in the order in which they are told. */
static errcode_t list_names(struct bfo_readdir_members *m)
{
	const struct bfo_tree *t = &m->tree;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < t->names.n && !err; i++) {
		const struct bfo_member_of *of =
			bfo_tree_member(t, bfo_name_number(t, &t->names.v[i]));

		if (of)
			err = bfo_vec_push(&m->v, (struct bfo_readdir_member) {
					   .composite = of->composite, .number = of->number,
					   .name = i });
	}
	bfo_sort(m->v.v, m->v.n, sizeof(*m->v.v), 3);
	return err;
}

/* M becomes what DIRS hold, which ascend. */
static errcode_t load(struct bfo_readdir *l, struct bfo_readdir_members *m,
		      const bfo_numbers *dirs)
{
	static const bfo_numbers none;
	errcode_t err;
	int any;

	clear(m);
	bfo_source_of_volume(&m->of_volume, l->reader);
	bfo_unpacked_begin(&m->unpacked, &m->of_volume);
	err = bfo_dir_members(l->reader, &m->tree, dirs, &none, &m->unpacked, &any);
	return err ? err : list_names(m);
}

/* Member number INO, called NAME. */
static errcode_t tell_member(struct bfo_readdir *l, struct bfo_readdir_members *m, uint32_t ino,
			     const char *name, size_t len)
{
	const struct bfo_tree *t = &m->tree;
	struct bfo_ea_names *xattrs = l->opt.xattrs ? &l->inodes.names : NULL;
	struct bfo_stat st = { .ino = ino, .bad = BFO_FOUND_KINDS };
	struct bfo_readdir_entry e = { .name = name, .len = len, .st = &st, .xattrs = xattrs,
				       .ino = bfo_tree_shown_ino(t, ino) };
	uint32_t size = l->reader->vol->inode_size;
	errcode_t err = bfo_vec_reserve(&m->raw, size);

	if (!err)
		err = bfo_composites_inode(&m->unpacked.all, ino - t->first_member, m->raw.v, size,
					   l->reader->vol->block_size);
	if (err)
		return bfo_fail(l->ctx, err, "listing members of composite files");
	if (t->inodes.v[bfo_tree_find(t, ino)].ea != BFO_NONE)	/* it would have a block */
		((struct ext2_inode *) (void *) m->raw.v)->i_file_acl = ext2fs_cpu_to_le32(1);
	st.raw = m->raw.v;
	if (xattrs)
		xattrs->given = &m->unpacked.all.set;
	err = l->to->entry(l->to->priv, &e);
	if (xattrs)
		xattrs->given = NULL;
	return err;
}

/* ---- in their directory ---- */

static int may_be_one(const struct bfo_readdir *l, const struct bfo_stat *st)
{
	const struct ext2_inode *raw = st->raw;

	return !l->tree && st->bad == BFO_FOUND_KINDS &&
	       bfo_composite_may_be(ext2fs_le16_to_cpu(raw->i_mode),
				    ext2fs_le32_to_cpu(raw->i_flags), bfo_inode_size(raw));
}

static errcode_t tell_all(struct bfo_readdir *l, struct bfo_readdir_members *m, bfo_row composite)
{
	const struct bfo_tree *t = &m->tree;
	errcode_t err = 0;
	size_t i;

	for (i = bfo_vec_lower(&m->v, composite, composite);
	     i < m->v.n && m->v.v[i].composite == composite && !err; i++) {
		const struct bfo_name *n = &t->names.v[m->v.v[i].name];

		err = tell_member(l, m, bfo_name_number(t, n), bfo_name_text(t, n),
				  bfo_name_len(n));
	}
	return err;
}

errcode_t bfo_readdir_tell_members(struct bfo_readdir *l, uint32_t dir, const struct bfo_stat *st,
				   const char *name, size_t len, int *told)
{
	struct bfo_readdir_members *m = &l->within;
	bfo_numbers dirs = { .v = &dir, .n = 1 };
	errcode_t err = 0;
	bfo_row row;

	*told = may_be_one(l, st);
	if (!*told)
		return 0;
	if (m->dir != dir) {
		err = load(l, m, &dirs);
		m->dir = dir;
	}
	if (err)
		return err;
	row = bfo_tree_find(&m->tree, st->ino);
	if (row != BFO_NONE && m->tree.inodes.v[row].state & BFO_INODE_MET)
		return tell_all(l, m, row);
	*told = bfo_dir_members_lack(&m->tree, st->ino);
	if (!*told)
		return 0;
	err = bfo_readdir_tell(l, &l->inodes, st, name, len, NULL);
	return err ? err : bfo_readdir_tell_damage(l, name, len, BFO_FOUND_COMPOSITE, st->ino);
}

/* ---- by their paths ---- */

static int may_be_missing(const struct bfo_resolved *way)
{
	return way->fault == BFO_PATH_MISSING && way->is_last;
}

typedef BFO_VEC(struct bfo_member_sought) missing;

/* What is missing: names of directories DIRS, ascending. */
static errcode_t list_missing(const char *const *paths, const struct bfo_resolved *ways, size_t n,
			      missing *list, bfo_numbers *dirs)
{
	errcode_t err = 0;
	size_t i, kept = 0;

	for (i = 0; i < n && !err; i++) {
		struct bfo_member_sought s = { .dir = ways[i].ino, .index = i };

		if (!may_be_missing(&ways[i]))
			continue;
		s.len = bfo_path_last(paths[i], &s.name);
		err = bfo_vec_push(list, s);
		if (!err)
			err = bfo_vec_push(dirs, s.dir);
	}
	bfo_sort_numbers(dirs->v, dirs->n);
	for (i = 0; i < dirs->n; i++)
		if (!kept || dirs->v[kept - 1] != dirs->v[i])
			dirs->v[kept++] = dirs->v[i];
	dirs->n = kept;
	return err;
}

errcode_t bfo_readdir_resolve(struct bfo_readdir *l, const char *const *paths, size_t n,
			      struct bfo_resolved *ways)
{
	struct bfo_readdir_members *m = &l->sought;
	bfo_numbers dirs = { 0 };
	missing list = { 0 };
	errcode_t err = bfo_resolve(l->reader, paths, n, ways);
	size_t i;

	if (!err)
		err = list_missing(paths, ways, n, &list, &dirs);
	if (!err && dirs.n)
		err = load(l, m, &dirs);
	if (!err && dirs.n)
		bfo_dir_members_find(&m->tree, list.v, list.n);
	for (i = 0; i < list.n && !err; i++) {
		const struct bfo_member_sought *s = &list.v[i];

		if (s->ino)
			ways[s->index] = (struct bfo_resolved) { .ino = s->ino, .parent = s->dir };
		else if (bfo_dir_members_lack(&m->tree, 0))
			ways[s->index].fault = BFO_PATH_PACKED;
	}
	bfo_vec_free(&list);
	bfo_vec_free(&dirs);
	return err == ENOMEM ? bfo_fail(l->ctx, err, "looking for %zu paths", n) : err;
}

int bfo_readdir_is_member(const struct bfo_readdir *l, uint32_t ino)
{
	return bfo_tree_member(&l->sought.tree, ino) != NULL;
}

errcode_t bfo_readdir_tell_member(struct bfo_readdir *l, uint32_t ino, const char *path,
				  size_t len)
{
	return tell_member(l, &l->sought, ino, path, len);
}

void bfo_readdir_members_free(struct bfo_readdir *l)
{
	clear(&l->within);
	clear(&l->sought);
}
