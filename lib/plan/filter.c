// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filter.c - names that are not to be copied: --exclude, --files-from
 *
 *   files     --- lookup ---  wanted: names on the way to a file;  listed: the files themselves
 *                                |
 *   patterns  --- globs ------ walk, depth first ---  names that are killed
 *                                |
 *   findings  --- by directory --'
 *
 * Each directory is entered once, by the first name that is kept, so circles of damaged
 * directories end; plan/order reports their further names.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2_fs.h>

#include "base/bfo_err.h"
#include "plan/filter.h"
#include "plan/glob.h"
#include "plan/lookup.h"
#include "tree/access.h"

/* A directory being walked; its state of the patterns is that many words of walk.states. */
struct frame {
	uint32_t next, end;
	int whole;		/* it was listed, or lies in what was */
};

/* A finding about a name, by the record of its directory. */
struct found {
	uint32_t dir, index;
};

struct walk {
	struct bfo_plan *plan;
	struct bfo_globs globs;
	uint64_t *wanted, *listed;	/* bit per name */
	uint64_t *entered;		/* bit per record */
	uint64_t *state;		/* of the name looked at */
	BFO_VEC(struct frame) stack;
	BFO_VEC(uint64_t) states;
	BFO_VEC(struct found) found;
};

static uint64_t *bits(size_t n)
{
	return calloc(n / 64 + 1, sizeof(uint64_t));
}

static int test(const uint64_t *set, size_t i)
{
	return set[i / 64] >> i % 64 & 1;
}

static void add(uint64_t *set, size_t i)
{
	set[i / 64] |= 1ULL << i % 64;
}

/* Marks a listed path and what leads to it; *ALL if it is the root. */
static errcode_t mark(struct walk *w, const char *path, int *all)
{
	struct bfo_lookup l = { .path = path, .rest = path, .pos = BFO_NONE };
	errcode_t err;
	int more;

	while (!(err = bfo_lookup_step(w->plan, &l, &more)) && more)
		add(w->wanted, l.pos);
	if (err)
		return err;
	if (l.pos == BFO_NONE)
		*all = 1;
	else
		add(w->listed, l.pos);
	return 0;
}

static int by_dir(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->dir != y->dir)
		return x->dir < y->dir ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static errcode_t sort_findings(struct walk *w)
{
	const struct bfo_tree *t = w->plan->tree;
	errcode_t err = 0;
	bfo_row dir, i;

	for (i = 0; i < t->findings.n && !err; i++) {
		if (t->findings.v[i].len == BFO_NO_NAME || !t->findings.v[i].dir)
			continue;
		dir = bfo_tree_find(t, t->findings.v[i].dir);
		if (dir != BFO_NONE)
			err = bfo_vec_push(&w->found, (struct found) { .dir = dir, .index = i });
	}
	if (w->found.n)
		qsort(w->found.v, w->found.n, sizeof(*w->found.v), by_dir);
	return err;
}

/* True if a pattern excludes the name TEXT in the directory of state DIR. */
static int is_excluded(struct walk *w, const uint64_t *dir, const char *text, size_t len,
		       int is_dir)
{
	memcpy(w->state, dir, w->globs.words * sizeof(*dir));
	bfo_globs_feed(&w->globs, w->state, text, len);
	if (!bfo_globs_match(&w->globs, w->state, is_dir))
		return 0;
	bfo_globs_note(&w->globs, w->state, is_dir);
	return 1;
}

static int is_directory(const struct bfo_tree *t, bfo_row row)
{
	return row != BFO_NONE && S_ISDIR(t->inodes.v[row].mode);
}

/* Marks findings about names that are left out of directory record DIR: no kind. */
static void forget_findings(struct walk *w, bfo_row dir, const uint64_t *state, int whole)
{
	struct bfo_tree *t = w->plan->tree;
	struct bfo_finding *f;
	size_t i;

	for (i = bfo_vec_lower(&w->found, dir, dir); i < w->found.n && w->found.v[i].dir == dir;
	     i++) {
		f = &t->findings.v[w->found.v[i].index];
		if (!whole || is_excluded(w, state, t->text.v + f->text, f->len,
					  is_directory(t, bfo_tree_find(t, f->ino))))
			f->kind = BFO_FOUND_KINDS;
	}
}

static void drop_forgotten(struct bfo_tree *t)
{
	size_t i, kept = 0;

	for (i = 0; i < t->findings.n; i++)
		if (t->findings.v[i].kind != BFO_FOUND_KINDS)
			t->findings.v[kept++] = t->findings.v[i];
	t->findings.n = kept;
}

/* Enters directory record DIR, the path of which w->state has been fed. */
static errcode_t enter(struct walk *w, bfo_row dir, int whole)
{
	struct bfo_slice s = bfo_dir_names(w->plan->tree, &w->plan->tree->inodes.v[dir]);
	errcode_t err;

	add(w->entered, dir);
	bfo_globs_feed(&w->globs, w->state, "/", 1);
	err = bfo_vec_reserve(&w->states, w->globs.words);
	if (err)
		return err;
	memcpy(w->states.v + w->states.n, w->state, w->globs.words * sizeof(*w->state));
	w->states.n += w->globs.words;
	forget_findings(w, dir, w->states.v + w->states.n - w->globs.words, whole);
	return bfo_vec_push(&w->stack, (struct frame) { .next = s.first, .end = s.end,
			    .whole = whole });
}

static errcode_t visit(struct walk *w, uint32_t pos, int whole)
{
	const uint64_t *state = w->states.v + w->states.n - w->globs.words;
	struct bfo_tree *t = w->plan->tree;
	struct bfo_name *n = &t->names.v[pos];
	bfo_row row = bfo_name_row(t, n);
	int is_dir = is_directory(t, row);

	if ((!whole && !test(w->wanted, pos)) ||
	    is_excluded(w, state, bfo_name_text(t, n), bfo_name_len(n), is_dir)) {
		bfo_name_kill(n);
		return 0;
	}
	if (!is_dir || t->inodes.v[row].state & BFO_INODE_BAD || test(w->entered, row))
		return 0;
	return enter(w, row, whole || test(w->listed, pos));
}

static errcode_t walk_all(struct walk *w, bfo_row root, int whole)
{
	errcode_t err;

	bfo_globs_begin(&w->globs, w->state);
	err = enter(w, root, whole);
	while (w->stack.n && !err) {
		struct frame *f = &w->stack.v[w->stack.n - 1];

		if (f->next < f->end) {
			bfo_names_ask_record(w->plan->tree, f->next, f->end);
			bfo_names_ask_text(w->plan->tree, f->next, f->end);
			err = visit(w, f->next++, f->whole);
			continue;
		}
		w->stack.n--;
		w->states.n -= w->globs.words;
		if (bfo_cancelled(w->plan->ctx))
			err = bfo_fail(w->plan->ctx, BFO_ET_CANCELLED, "planning");
	}
	return err;
}

static errcode_t walk_init(struct walk *w, const struct bfo_filter *filter)
{
	const struct bfo_tree *t = w->plan->tree;
	errcode_t err = bfo_globs_compile(&w->globs, filter->exclude, filter->n_exclude);

	if (err)
		return err;
	w->wanted = bits(t->names.n);
	w->listed = bits(t->names.n);
	w->entered = bits(t->inodes.n);
	w->state = calloc(w->globs.words, sizeof(*w->state));
	if (!w->wanted || !w->listed || !w->entered || !w->state)
		return ENOMEM;
	return sort_findings(w);
}

static void walk_free(struct walk *w)
{
	bfo_globs_free(&w->globs);
	bfo_vec_free(&w->stack);
	bfo_vec_free(&w->states);
	bfo_vec_free(&w->found);
	free(w->wanted);
	free(w->listed);
	free(w->entered);
	free(w->state);
}

/* Marks all that was listed; *ALL if the root is. */
static errcode_t mark_all(struct walk *w, struct bfo_filter *filter, int *all)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < filter->n_files && !err; i++) {
		err = mark(w, filter->files[i], all);
		if (err == BFO_ET_NO_PATH || err == BFO_ET_NOT_DIR || err == EINVAL)
			err = bfo_vec_push(&filter->missing, (struct bfo_missing) {
					   .entry = i, .why = err });
	}
	if (err || !filter->missing.n)
		return err;
	if (filter->missing.n == 1)
		return mark(w, filter->files[filter->missing.v[0].entry], all);
	return bfo_fail(w->plan->ctx, filter->missing.v[0].why, "looking for %s and %zu further "
			"paths in the source", filter->files[filter->missing.v[0].entry],
			filter->missing.n - 1);
}

static errcode_t note_idle(const struct walk *w, struct bfo_filter *filter)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < filter->n_exclude && !err; i++)
		if (!bfo_globs_noted(&w->globs, i))
			err = bfo_vec_push(&filter->idle, i);
	return err;
}

void bfo_filter_free(struct bfo_filter *filter)
{
	bfo_vec_free(&filter->missing);
	bfo_vec_free(&filter->idle);
}

errcode_t bfo_plan_filter(struct bfo_plan *plan, struct bfo_filter *filter)
{
	bfo_row root = bfo_tree_find(plan->tree, EXT2_ROOT_INO);
	struct walk w = { .plan = plan };
	int whole = !filter->selects;
	errcode_t err;

	if ((!filter->n_exclude && whole) || !is_directory(plan->tree, root))
		return 0;		/* such a root is refused by bfo_plan_land() */
	plan->filtered = 1;
	err = walk_init(&w, filter);
	if (!err)
		err = mark_all(&w, filter, &whole);
	if (!err)
		err = walk_all(&w, root, whole);
	if (!err)
		err = note_idle(&w, filter);
	drop_forgotten(plan->tree);
	walk_free(&w);
	return err;
}
