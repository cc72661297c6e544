// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sequence_walk.c - everything, directory by directory, in another order than readdir's
 *
 * By name, as who sorts what readdir returns reads it; or files first, so that those of a directory
 * are together.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2_fs.h>

#include "base/bfo_err.h"
#include "plan/names.h"
#include "plan/lookup.h"
#include "plan/sequence.h"
#include "tree/access.h"

/* A directory being walked: its names, sorted, are the last of `names` until it is done. */
struct frame {
	size_t next, end;
};

struct walk {
	struct bfo_sequence *s;
	int files_first;		/* as they are listed; else by name */
	BFO_VEC(uint32_t) names;	/* positions in names[] */
	BFO_VEC(struct frame) stack;
	uint64_t *entered;		/* a bit per record: a directory that was walked */
};

/* The record that name N leads to and that is walked or taken, or BFO_NONE. */
static bfo_row record_of(const struct bfo_plan *plan, const struct bfo_name *n)
{
	bfo_row row = bfo_lookup_record(plan, n);

	return row != BFO_NONE && plan->tree->inodes.v[row].state & BFO_INODE_BAD ? BFO_NONE :
	       row;
}

/* Adds the names in DIR of subdirectories (ARE_DIRS), or of all else, as they are listed. */
static errcode_t add_listed(struct walk *w, bfo_row dir, int are_dirs)
{
	struct bfo_tree *t = w->s->plan->tree;
	struct bfo_listing l = bfo_listing_begin(t, &t->inodes.v[dir]);
	errcode_t err = 0;

	while (l.next != l.end && !err) {
		uint32_t at = bfo_listing_next(t, &l);
		bfo_row row = record_of(w->s->plan, &t->names.v[at]);

		if (row != BFO_NONE && (!!S_ISDIR(t->inodes.v[row].mode)) == are_dirs)
			err = bfo_vec_push(&w->names, at);
	}
	return err;
}

static errcode_t enter(struct walk *w, bfo_row dir)
{
	struct frame f = { .next = w->names.n };
	errcode_t err;

	if (w->entered[dir / 64] >> dir % 64 & 1)
		return 0;
	w->entered[dir / 64] |= 1ULL << dir % 64;
	err = add_listed(w, dir, 0);
	if (!err)
		err = add_listed(w, dir, 1);
	f.end = w->names.n;
	if (!err && f.end > f.next && !w->files_first)
		qsort_r(w->names.v + f.next, f.end - f.next, sizeof(*w->names.v),
			bfo_names_by_bytes, w->s->plan->tree);
	return err ? err : bfo_vec_push(&w->stack, f);
}

static errcode_t walk(struct walk *w)
{
	const struct bfo_plan *plan = w->s->plan;
	errcode_t err = enter(w, plan->root);
	bfo_row row;

	while (w->stack.n && !err) {
		struct frame *f = &w->stack.v[w->stack.n - 1];

		if (f->next == f->end) {
			w->stack.n--;
			w->names.n = w->stack.n ? w->stack.v[w->stack.n - 1].end : 0;
			continue;
		}
		row = record_of(plan, &plan->tree->names.v[w->names.v[f->next++]]);
		err = bfo_sequence_take(w->s, row);
		if (!err && S_ISDIR(plan->tree->inodes.v[row].mode))
			err = enter(w, row);
	}
	return err;
}

static errcode_t take_all(struct bfo_sequence *s, int files_first)
{
	struct walk w = { .s = s, .files_first = files_first };
	errcode_t err = ENOMEM;

	w.entered = calloc(s->plan->tree->inodes.n / 64 + 1, sizeof(*w.entered));
	if (w.entered)
		err = bfo_sequence_take(s, s->plan->root);
	if (!err)
		err = walk(&w);
	free(w.entered);
	bfo_vec_free(&w.names);
	bfo_vec_free(&w.stack);
	return err ? bfo_fail(s->plan->ctx, err, "ordering files") : 0;
}

errcode_t bfo_sequence_by_name(struct bfo_sequence *s)
{
	return take_all(s, 0);
}

errcode_t bfo_sequence_by_dir(struct bfo_sequence *s)
{
	return take_all(s, 1);
}
