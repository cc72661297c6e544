// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * walk.c - whoever walks a tree: depth first, each directory in an order
 *
 *   names of the root, in order | names of a directory in it | ... below that
 *                                 ^ frame: next, end           ^ frame
 *
 * The names of the directories on the way stand on one stack of positions, so memory follows the
 * way, not the tree.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "layout/walk.h"
#include "plan/names.h"
#include "tree/access.h"

struct frame {
	size_t next, end;	/* in `names` */
	size_t begin;
};

struct walk {
	struct bfo_tree *t;
	enum bfo_walk_order order;
	bfo_rows *out;
	uint8_t *seen;		/* a bit per record */
	bfo_numbers names;	/* positions in names[] */
	BFO_VEC(struct frame) stack;
};

/* Records ascend by inode number; names of one inode stay in the order of their bytes. */
static int by_inode(const void *a, const void *b, void *tree)
{
	const struct bfo_tree *t = tree;
	bfo_row x = bfo_name_row(t, &t->names.v[*(const uint32_t *) a]);
	bfo_row y = bfo_name_row(t, &t->names.v[*(const uint32_t *) b]);

	return x == y ? bfo_names_by_bytes(a, b, tree) : (x > y) - (x < y);
}

errcode_t bfo_walk_names(const struct bfo_tree *t, bfo_row dir, enum bfo_walk_order order,
			 bfo_numbers *out)
{
	struct bfo_listing l = bfo_listing_begin(t, &t->inodes.v[dir]);
	uint32_t n = l.end - l.next;
	errcode_t err = bfo_vec_reserve(out, n);
	size_t first = out->n;

	if (err)
		return err;
	while (l.next != l.end)
		out->v[out->n++] = bfo_listing_next(t, &l);
	if (order != BFO_WALK_READDIR && n)
		qsort_r(out->v + first, n, sizeof(*out->v),
			order == BFO_WALK_NAME ? bfo_names_by_bytes : by_inode, (void *) t);
	return 0;
}

static int was_seen(struct walk *w, bfo_row row)
{
	int seen = w->seen[row / 8] >> row % 8 & 1;

	w->seen[row / 8] |= 1 << row % 8;
	return seen;
}

/* Record ROW is met: once, and then what is in it comes next. */
static errcode_t enter(struct walk *w, bfo_row row)
{
	struct bfo_inode *rec = &w->t->inodes.v[row];
	size_t begin = w->names.n;
	errcode_t err = bfo_vec_push(w->out, row);

	if (w->order == BFO_WALK_READDIR)
		rec->state |= BFO_INODE_PLACED;
	if (err || !S_ISDIR(rec->mode))
		return err;
	err = bfo_walk_names(w->t, row, w->order, &w->names);
	return err ? err : bfo_vec_push(&w->stack, (struct frame) { .begin = begin, .next = begin,
					.end = w->names.n });
}

static errcode_t visit(struct walk *w, uint32_t position)
{
	struct bfo_name *n = &w->t->names.v[position];
	bfo_row row = bfo_name_row(w->t, n);
	struct bfo_inode *rec = &w->t->inodes.v[row];
	int traces = w->order == BFO_WALK_READDIR;

	if (rec->state & BFO_INODE_BAD) {
		if (traces)
			rec->state |= BFO_INODE_MET;
		return 0;
	}
	if (was_seen(w, row))	/* a root is met again by its one name */
		return traces && S_ISDIR(rec->mode) && rec->name != position ?
		       bfo_tree_found_known(w->t, BFO_FOUND_DIR_TWICE, n) : 0;
	if (traces)
		rec->name = position;
	return enter(w, row);
}

static errcode_t walk_below(struct walk *w)
{
	struct frame *f;
	errcode_t err = 0;

	while (w->stack.n && !err) {
		f = &w->stack.v[w->stack.n - 1];
		if (f->next == f->end) {
			w->names.n = f->begin;
			w->stack.n--;
			continue;
		}
		err = visit(w, w->names.v[f->next++]);
	}
	return err;
}

errcode_t bfo_walk(struct bfo_tree *t, const bfo_row *roots, size_t n, enum bfo_walk_order order,
		   bfo_rows *out)
{
	struct walk w = { .t = t, .order = order, .out = out,
			  .seen = calloc(t->inodes.n / 8 + 1, 1) };
	errcode_t err = w.seen ? 0 : ENOMEM;
	size_t i;

	for (i = 0; i < n && !err; i++) {
		if (t->inodes.v[roots[i]].state & BFO_INODE_BAD) {
			t->inodes.v[roots[i]].state |= BFO_INODE_MET;
			continue;
		}
		if (!was_seen(&w, roots[i]))
			err = enter(&w, roots[i]);
		if (!err)
			err = walk_below(&w);
	}
	bfo_vec_free(&w.stack);
	bfo_vec_free(&w.names);
	free(w.seen);
	return err;
}
