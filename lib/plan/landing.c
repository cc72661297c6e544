// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * landing.c - what is copied to where
 *
 * The target's tree above the landing place is described as if it were a source: records that
 * only the plan knows (BFO_INODE_MADE) for the root and every component of --to, the last of
 * them holding the names that land.  Merging then finds which of them exist already; those that
 * do not are made.  So --to needs no code of its own further on.
 *
 *   --from /home/a --from /srv --to /old/x      made: / ── old ── x ── a, srv
 *   --from / --to /                              the source's own root
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "base/bfo_err.h"
#include "plan/lookup.h"
#include "plan/names.h"
#include "tree/access.h"

#define MADE_MODE 0755

/* Appends a record for a directory that is made here, with LINKS to come. */
static errcode_t make_dir(struct bfo_plan *plan, bfo_row *row)
{
	*row = plan->tree->inodes.n;
	return bfo_vec_push(&plan->tree->inodes, (struct bfo_inode) {
			    .mode = S_IFDIR | MADE_MODE, .ea = BFO_NONE, .name = BFO_NONE,
			    .state = BFO_INODE_MADE });
}

/* Makes the one name NAME in made directory DIR lead to record ROW. */
static errcode_t add_made_name(struct bfo_plan *plan, bfo_row dir, bfo_row row,
			       const char *name, size_t len)
{
	struct bfo_tree *t = plan->tree;
	struct bfo_name *n;
	errcode_t err;

	err = bfo_tree_add_name(t, dir, row, bfo_dirent_type(t->inodes.v[row].mode), name,
				len);
	if (err)
		return err;
	t->inodes.v[row].name = t->names.n - 1;
	n = &t->names.v[t->names.n - 1];
	bfo_name_hash(plan->target, t->inodes.v[dir].flags, name, n);
	bfo_dir_add_name(t, &t->inodes.v[dir], t->names.n - 1);
	return 0;
}

/* Made directories for the root and every component of TO; the last one is *ROW. */
static errcode_t make_path(struct bfo_plan *plan, const char *to, bfo_row *row)
{
	errcode_t err = make_dir(plan, row);
	const char *rest = to, *name;
	bfo_row dir = *row;
	size_t len;

	plan->root = dir;
	while (!err && (len = bfo_path_next(&rest, &name))) {
		if (len > EXT2_NAME_LEN)
			return bfo_fail(plan->ctx, ENAMETOOLONG, "making %s on the target", to);
		if (bfo_path_is_up(name, len))
			return bfo_fail(plan->ctx, EINVAL, "making %.200s on the target: '..' "
					"cannot stand in --to", to);
		err = make_dir(plan, row);
		if (!err)
			err = add_made_name(plan, dir, *row, name, len);
		dir = *row;
	}
	return err;
}

static int by_order(const void *a, const void *b, void *tree)
{
	return bfo_name_compare(tree, a, tree, b);
}

/* True if record ABOVE is ROW or one of the directories that lead to it. */
static int lies_in(const struct bfo_tree *t, bfo_row row, bfo_row above)
{
	size_t steps = 0;

	for (;;) {
		if (row == above)
			return 1;
		if (t->inodes.v[row].name == BFO_NONE || steps++ > t->inodes.n)
			return 0;
		row = t->names.v[t->inodes.v[row].name].dir;
	}
}

/* Two paths that overlap would copy the same inodes twice; two equal last names clash. */
static errcode_t check_paths(struct bfo_plan *plan, const char *const *from, const uint32_t *pos,
			     size_t n)
{
	const struct bfo_tree *t = plan->tree;
	size_t i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++) {
			const struct bfo_name *a = &t->names.v[pos[i]], *b = &t->names.v[pos[j]];
			bfo_row row = bfo_name_row(t, b);

			if (i == j)
				continue;
			if (S_ISDIR(t->inodes.v[row].mode) && lies_in(t, a->dir, row))
				return bfo_fail(plan->ctx, BFO_ET_OVERLAP, "comparing %s and %s",
						from[i], from[j]);
			if (bfo_name_len(a) == bfo_name_len(b) &&
			    !memcmp(bfo_name_text(t, a), bfo_name_text(t, b), bfo_name_len(a)))
				return bfo_fail(plan->ctx, BFO_ET_CLASH, "comparing %s and %s: "
						"both would get the name %.*s", from[i], from[j],
						(int) bfo_name_len(a), bfo_name_text(t, a));
		}
	return 0;
}

/* Copies name POS into directory record DIR, which may hash in another way than where it stood. */
static errcode_t land_name(struct bfo_plan *plan, bfo_row dir, uint32_t pos)
{
	struct bfo_tree *t = plan->tree;
	errcode_t err = bfo_vec_reserve(&t->names, 1);
	bfo_row row = bfo_name_row(t, &t->names.v[pos]);

	if (err || row == BFO_NONE)
		return err;
	t->names.v[t->names.n] = t->names.v[pos];
	t->names.v[t->names.n].dir = dir;
	bfo_name_hash(plan->target, t->inodes.v[dir].flags, bfo_name_text(t, &t->names.v[pos]),
		      &t->names.v[t->names.n]);
	t->inodes.v[row].state |= BFO_INODE_LANDED;
	t->inodes.v[row].name = pos;
	bfo_dir_add_name(t, &t->inodes.v[dir], t->names.n++);
	return 0;
}

/* The names that land in record DIR: those at POS, or all of the source's root. */
static errcode_t land_names(struct bfo_plan *plan, bfo_row dir, const uint32_t *pos, size_t n)
{
	struct bfo_tree *t = plan->tree;
	struct bfo_inode *root = &t->inodes.v[bfo_tree_find(t, EXT2_ROOT_INO)];
	struct bfo_slice s = bfo_dir_names(t, root);
	errcode_t err = 0;
	uint32_t i;

	plan->landing = dir;
	if (pos[0] == BFO_NONE)
		root->state |= BFO_INODE_MET;
	if (pos[0] == BFO_NONE)
		for (i = s.first; i < s.end && !err; i++)
			err = land_name(plan, dir, i);
	else
		for (i = 0; i < n && !err; i++)
			err = land_name(plan, dir, pos[i]);
	s = bfo_dir_names(t, &t->inodes.v[dir]);
	if (!err && s.end > s.first)
		qsort_r(t->names.v + s.first, s.end - s.first, sizeof(*t->names.v), by_order, t);
	return err;
}

static errcode_t find_paths(struct bfo_plan *plan, const char *const *from, size_t n,
			    uint32_t *pos)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < n && !err; i++) {
		struct bfo_lookup l = bfo_lookup_begin(from[i]);

		err = bfo_lookup_end(plan, &l);
		pos[i] = l.pos;
		if (!err && n > 1 && pos[i] == BFO_NONE)
			err = bfo_fail(plan->ctx, BFO_ET_OVERLAP, "copying / and other paths");
	}
	if (!err && n > 1)
		err = check_paths(plan, from, pos, n);
	return err;
}

/* What is copied from the source; at least one path. */
static errcode_t land(struct bfo_plan *plan, const char *const *from, size_t n, const char *to)
{
	bfo_row root = bfo_tree_find(plan->tree, EXT2_ROOT_INO), dir;
	uint32_t *pos = malloc(n * sizeof(*pos));
	const char *rest = to, *name;
	errcode_t err;

	if (!pos)
		return ENOMEM;
	if (root == BFO_NONE || plan->tree->inodes.v[root].state & BFO_INODE_BAD ||
	    !S_ISDIR(plan->tree->inodes.v[root].mode))
		err = bfo_fail(plan->ctx, BFO_ET_ROOT_DAMAGED, "reading the source");
	else
		err = find_paths(plan, from, n, pos);
	if (err)
		goto out;
	plan->whole = pos[0] == BFO_NONE && !bfo_path_next(&rest, &name);
	plan->root = root;
	if (!plan->whole) {
		err = make_path(plan, to, &dir);
		if (!err)
			err = land_names(plan, dir, pos, n);
	}
out:
	free(pos);
	return err;
}

errcode_t bfo_plan_land(struct bfo_plan *plan, const char *const *from, size_t n, const char *to)
{
	errcode_t err = n ? land(plan, from, n, to) : make_path(plan, to, &plan->landing);

	return err ? err : bfo_vec_push(&plan->pairs, (struct bfo_pair) { .row = plan->root,
					.ino = EXT2_ROOT_INO });
}
