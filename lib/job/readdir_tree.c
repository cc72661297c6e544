// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * readdir_tree.c - directories of a tree that is in memory (job/browse.h)
 */
#include <errno.h>
#include <string.h>

#include "base/bfo_err.h"
#include "job/readdir.h"
#include "tree/access.h"

void bfo_readdir_begin_tree(struct bfo_readdir *l, const struct bfo_browse *tree,
			    const struct bfo_readdir_options *opt,
			    const struct bfo_readdir_sink *to)
{
	*l = (struct bfo_readdir) { .ctx = tree->ctx, .tree = tree, .opt = *opt, .to = to,
				    .ways.index = "none" };
	l->inodes.names.tree = l->dots.names.tree = &tree->tree;
}

static errcode_t add_target(struct bfo_stats *s, const struct bfo_browse *b, bfo_row row,
			    struct bfo_stat *st)
{
	const struct bfo_inode *rec = &b->tree.inodes.v[row];
	errcode_t err;

	if (!S_ISLNK(rec->mode) || rec->flags & EXT4_ENCRYPT_FL)
		return 0;
	err = bfo_vec_reserve(&s->targets, rec->size);
	if (err)
		return err;
	st->target = s->targets.n;
	st->target_len = rec->size;
	memcpy(s->targets.v + s->targets.n, bfo_intake_target(bfo_browse_intake(b), row),
	       rec->size);
	s->targets.n += rec->size;
	return 0;
}

errcode_t bfo_readdir_read_tree(struct bfo_readdir *l, struct bfo_stats *s, const uint32_t *inos,
				size_t n)
{
	errcode_t err = 0;
	size_t i;

	s->v.n = s->targets.n = 0;
	for (i = 0; i < n && !err; i++) {
		struct bfo_stat st = { .ino = inos[i], .bad = BFO_FOUND_KINDS };
		bfo_row row = bfo_tree_find(&l->tree->tree, inos[i]);

		st.raw = bfo_intake_raw(bfo_browse_intake(l->tree), row);
		err = add_target(s, l->tree, row, &st);
		if (!err)
			err = bfo_vec_push(&s->v, st);
	}
	return err ? bfo_fail(l->ctx, err, "listing") : 0;
}

static errcode_t list_directory(struct bfo_readdir *l, uint32_t dir)
{
	const struct bfo_tree *t = &l->tree->tree;
	bfo_row row = bfo_tree_find(t, l->queue.dirs.v[dir].ino);
	struct bfo_slice slice = bfo_dir_names(t, &t->inodes.v[row]);
	struct bfo_readdir_names names = { .v = { .n = 0 } };
	errcode_t err = bfo_readdir_enter(l, dir);
	uint32_t entered = dir, i;

	for (i = slice.first; i < slice.end && !err; i++) {
		const struct bfo_name *n = &t->names.v[i];

		err = bfo_readdir_names_add(&names, (struct bfo_readdir_name) {
						.dir = dir, .ino = bfo_name_number(t, n) },
					    bfo_name_text(t, n), bfo_name_len(n), NULL);
	}
	if (err == ENOMEM)
		err = bfo_fail(l->ctx, err, "listing");
	if (!err && names.v.n)
		err = bfo_readdir_batch(l, &names, 0, names.v.n, &entered);
	l->ways.sorted++;
	bfo_readdir_names_free(&names);
	return err;
}

errcode_t bfo_readdir_dirs_tree(struct bfo_readdir *l)
{
	errcode_t err = 0;
	uint32_t dir;

	for (dir = 0; dir < l->queue.dirs.n && !err; dir++)
		err = bfo_cancelled(l->ctx) ? bfo_fail(l->ctx, BFO_ET_CANCELLED, "listing")
					    : list_directory(l, dir);
	return err;
}
