// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dir_members.c - what composite files hold in a few directories
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "gather/dir_members.h"
#include "gather/inode_check.h"
#include "gather/inode_scan.h"
#include "gather/name_scan.h"
#include "tree/access.h"

/* For the walk: an inode of one of these directories. */
static errcode_t take_inode(void *priv, uint32_t ino, const void *data)
{
	const struct ext2_inode *raw = data;
	bfo_numbers *found = priv;

	return bfo_composite_may_be(ext2fs_le16_to_cpu(raw->i_mode),
				    ext2fs_le32_to_cpu(raw->i_flags), bfo_inode_size(raw))
		       ? bfo_vec_push(found, ino) : 0;
}

/* What cannot be read is told by who lists it. */
static errcode_t lose_inodes(void *priv, uint32_t ino, uint32_t n)
{
	(void) priv;
	(void) ino;
	(void) n;
	return 0;
}

/* Adds to FOUND the files with names in T that may be composite files. */
static errcode_t find_candidates(struct bfo_reader *r, const struct bfo_tree *t,
				 bfo_numbers *found)
{
	uint32_t most = r->vol->fs->super->s_inodes_count, type, ino;
	bfo_numbers files = { 0 };
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < t->names.n && !err; i++) {
		type = bfo_name_type(&t->names.v[i]);
		ino = bfo_name_number(t, &t->names.v[i]);
		if ((!type || type == EXT2_FT_REG_FILE) && ino && ino <= most)
			err = bfo_vec_push(&files, ino);
	}
	files.n = bfo_sort_unique(files.v, files.n);
	if (!err && files.n)
		err = bfo_inode_walk(r, files.v, files.n, take_inode, lose_inodes, found);
	bfo_vec_free(&files);
	return err;
}

static errcode_t add_all(bfo_numbers *to, const bfo_numbers *from)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < from->n && !err; i++)
		err = bfo_vec_push(to, from->v[i]);
	return err;
}

/* The names of T, of directories that both have; not what is ciphertext. */
static errcode_t take_names(struct bfo_tree *tree, const struct bfo_tree *t)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < t->names.n && !err; i++) {
		const struct bfo_name *n = &t->names.v[i];
		bfo_row row = bfo_tree_find(tree, t->inodes.v[n->dir].ino);

		if (row != BFO_NONE && !(t->inodes.v[n->dir].flags & EXT4_ENCRYPT_FL))
			err = bfo_tree_add_name(tree, row, bfo_name_number(t, n), bfo_name_type(n),
						bfo_name_text(t, n), bfo_name_len(n));
	}
	return err;
}

errcode_t bfo_dir_members(struct bfo_reader *r, struct bfo_tree *tree, const bfo_numbers *dirs,
			  const bfo_numbers *inos, struct bfo_unpacked *u, int *any)
{
	bfo_numbers all = { 0 };
	struct bfo_tree t = { 0 };
	errcode_t err = bfo_inode_scan_some(r, &t, dirs->v, dirs->n);

	if (!err)
		err = bfo_name_scan(r, &t);
	if (!err)
		err = find_candidates(r, &t, &all);
	*any = all.n > 0;
	if (!err && *any) {
		err = add_all(&all, dirs);
		if (!err)
			err = add_all(&all, inos);
		all.n = bfo_sort_unique(all.v, all.n);
		if (!err)
			err = bfo_inode_scan_some(r, tree, all.v, all.n);
		if (!err)
			err = take_names(tree, &t);
		if (!err)
			err = bfo_unpacked_see(u, tree);
	}
	bfo_tree_free(&t);
	bfo_vec_free(&all);
	return err;
}

int bfo_dir_members_lack(const struct bfo_tree *t, uint32_t ino)
{
	size_t i;

	for (i = 0; i < t->findings.n; i++)
		if (t->findings.v[i].kind == BFO_FOUND_COMPOSITE &&
		    (!ino || t->findings.v[i].ino == ino))
			return 1;
	return 0;
}

/* ---- looking for names ---- */

static int by_name(const void *pa, const void *pb)
{
	const struct bfo_member_sought *a = pa, *b = pb;
	int order = (a->dir > b->dir) - (a->dir < b->dir);

	if (!order)
		order = (a->len > b->len) - (a->len < b->len);
	return order ? order : memcmp(a->name, b->name, a->len);
}

/* The first of N that is not before KEY. */
static size_t lower(const struct bfo_member_sought *v, size_t n,
		    const struct bfo_member_sought *key)
{
	size_t lo = 0, mid;

	while (lo < n) {
		mid = lo + (n - lo) / 2;
		if (by_name(&v[mid], key) < 0)
			lo = mid + 1;
		else
			n = mid;
	}
	return lo;
}

void bfo_dir_members_find(const struct bfo_tree *t, struct bfo_member_sought *sought, size_t n)
{
	size_t i, k;

	if (n)
		qsort(sought, n, sizeof(*sought), by_name);
	for (i = 0; i < t->names.n; i++) {
		const struct bfo_name *name = &t->names.v[i];
		struct bfo_member_sought key = { .dir = t->inodes.v[name->dir].ino,
						 .name = bfo_name_text(t, name),
						 .len = bfo_name_len(name) };

		if (!bfo_tree_member(t, bfo_name_number(t, name)))
			continue;
		for (k = lower(sought, n, &key); k < n && !by_name(&sought[k], &key); k++)
			sought[k].ino = bfo_name_number(t, name);
	}
}
