// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sequence.c - files that come before the rest, by policies
 *
 * Policies that sort do so by (key, place in the order so far), so that ties stay as they were.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "plan/lookup.h"
#include "plan/sequence.h"
#include "tree/access.h"

errcode_t bfo_sequence_begin(struct bfo_sequence *s, struct bfo_plan *plan)
{
	size_t i;

	memset(s, 0, sizeof(*s));
	s->plan = plan;
	s->left = calloc(plan->tree->inodes.n / 64 + 1, sizeof(*s->left));
	if (!s->left)
		return bfo_fail(plan->ctx, ENOMEM, "ordering files");
	for (i = 0; i < plan->order.n; i++)
		s->left[plan->order.v[i] / 64] |= 1ULL << plan->order.v[i] % 64;
	return bfo_vec_reserve(&s->taken, plan->order.n);
}

void bfo_sequence_free(struct bfo_sequence *s)
{
	free(s->left);
	bfo_vec_free(&s->taken);
	bfo_vec_free(&s->groups);
	memset(s, 0, sizeof(*s));
}

static int is_left(const struct bfo_sequence *s, bfo_row row)
{
	return s->left[row / 64] >> row % 64 & 1;
}

errcode_t bfo_sequence_group(struct bfo_sequence *s, int policy)
{
	struct bfo_sequence_group *last = s->groups.n ? &s->groups.v[s->groups.n - 1] : NULL;

	if (last && !last->n) {
		last->first = s->taken.n;
		last->policy = policy;
		return 0;
	}
	return bfo_vec_push(&s->groups, (struct bfo_sequence_group) { .first = s->taken.n,
			    .policy = policy });
}

errcode_t bfo_sequence_take(struct bfo_sequence *s, bfo_row row)
{
	if (!is_left(s, row))
		return 0;
	s->left[row / 64] &= ~(1ULL << row % 64);
	if (s->groups.n)
		s->groups.v[s->groups.n - 1].n++;
	return bfo_vec_push(&s->taken, row);
}

/*
 * Takes the directories that lead to record ROW and are left, the topmost first.  Those above one
 * that was taken came with it; those above one that is not written are not written either.
 */
static errcode_t take_way(struct bfo_sequence *s, bfo_row row)
{
	const struct bfo_tree *t = s->plan->tree;
	size_t i, begin = s->taken.n, n;
	errcode_t err = 0;

	while (!err && row != s->plan->root && t->inodes.v[row].name != BFO_NONE) {
		row = t->names.v[t->inodes.v[row].name].dir;
		if (!is_left(s, row))
			break;
		s->left[row / 64] &= ~(1ULL << row % 64);
		err = bfo_vec_push(&s->taken, row);
	}
	n = s->taken.n - begin;
	for (i = 0; i < n / 2; i++) {
		bfo_row *top = &s->taken.v[begin + n - 1 - i], *bottom = &s->taken.v[begin + i];

		row = *top;
		*top = *bottom;
		*bottom = row;
	}
	return err;
}

errcode_t bfo_sequence_take_group(struct bfo_sequence *s, int policy, uint32_t support,
				  const bfo_row *rows, size_t n)
{
	size_t i, left = 0;
	errcode_t err = 0;

	for (i = 0; i < n; i++)
		left += is_left(s, rows[i]);
	if (left < 2)
		return 0;
	for (i = 0; i < n && !err; i++)
		if (is_left(s, rows[i]))
			err = take_way(s, rows[i]);
	if (!err)
		err = bfo_sequence_group(s, policy);
	if (!err)
		s->groups.v[s->groups.n - 1].support = support;
	for (i = 0; i < n && !err; i++)
		err = bfo_sequence_take(s, rows[i]);
	return err;
}

errcode_t bfo_sequence_end(struct bfo_sequence *s)
{
	bfo_order *order = &s->plan->order;
	size_t i, n = s->taken.n;

	for (i = 0; i < order->n; i++)
		if (is_left(s, order->v[i]))
			s->taken.v[n++] = order->v[i];
	if (n)
		memcpy(order->v, s->taken.v, n * sizeof(*order->v));
	if (s->groups.n && !s->groups.v[s->groups.n - 1].n)
		s->groups.n--;
	return 0;
}

/* ---- policies that sort ---- */

struct sorted {
	uint32_t hi, lo, place;		/* sort key: 64 bits, then the place in the order */
	bfo_row row;
};

typedef BFO_VEC(struct sorted) sorted_vec;

static errcode_t add(sorted_vec *all, uint64_t key, size_t place, bfo_row row)
{
	return bfo_vec_push(all, (struct sorted) { .hi = key >> 32, .lo = key, .place = place,
			    .row = row });
}

static errcode_t take_sorted(struct bfo_sequence *s, sorted_vec *all, errcode_t err)
{
	size_t i;

	if (!err)
		bfo_sort(all->v, all->n, sizeof(*all->v), 3);
	for (i = 0; i < all->n && !err; i++)
		err = bfo_sequence_take(s, all->v[i].row);
	bfo_vec_free(all);
	return err ? bfo_fail(s->plan->ctx, err, "ordering files") : 0;
}

/*
 * Where the data of REC begin in the source, or else what was never written; what has no blocks
 * there comes where its inode would say.  (What was never written has no place in a stream: only
 * data tell in which order it is read.)
 */
static uint64_t source_place(const struct bfo_plan *plan, const struct bfo_inode *rec)
{
	uint32_t i, n;

	if (!rec->ino || rec->state & (BFO_INODE_FAST | BFO_INODE_INLINE) || S_ISDIR(rec->mode))
		return 0;
	n = bfo_seg_count(plan->tree, rec);
	for (i = 0; i < n; i++) {
		const struct bfo_seg *seg = bfo_seg_of(plan->tree, rec, i);

		if (bfo_seg_is_moved(seg))
			return bfo_seg_blk(seg);
	}
	return n ? bfo_seg_blk(bfo_seg_of(plan->tree, rec, 0)) : 0;
}

errcode_t bfo_sequence_by_source(struct bfo_sequence *s)
{
	const struct bfo_plan *plan = s->plan;
	sorted_vec all = { 0 };
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < plan->order.n && !err; i++) {
		const struct bfo_inode *rec = bfo_plan_item(plan, i);

		err = add(&all, source_place(plan, rec), rec->ino, plan->order.v[i]);
	}
	s->plan->source_numbers = 1;
	s->plan->source_first = s->taken.n;
	return take_sorted(s, &all, err);
}

errcode_t bfo_sequence_by_size(struct bfo_sequence *s)
{
	sorted_vec all = { 0 };
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < s->plan->order.n && !err; i++) {
		const struct bfo_inode *rec = bfo_plan_item(s->plan, i);

		if (!S_ISDIR(rec->mode))
			err = add(&all, rec->size, i, s->plan->order.v[i]);
	}
	return take_sorted(s, &all, err);
}

errcode_t bfo_sequence_by_time(struct bfo_sequence *s, const uint64_t *times)
{
	sorted_vec all = { 0 };
	errcode_t err = 0;
	bfo_row row;
	size_t i;

	for (i = 0; i < s->plan->order.n && !err; i++) {
		row = s->plan->order.v[i];
		if (!S_ISDIR(bfo_plan_item(s->plan, i)->mode))
			err = add(&all, times[row], i, row);
	}
	return take_sorted(s, &all, err);
}

/* ---- by list ---- */

/* The files that paths BEGIN to END lead to, into ROWS. */
static errcode_t find_files(struct bfo_sequence *s, const char *const *paths, size_t begin,
			    size_t end, bfo_rows *rows, bfo_numbers *missing)
{
	errcode_t err = 0;
	bfo_row row;
	size_t i;

	rows->n = 0;
	for (i = begin; i < end && !err; i++) {
		err = bfo_lookup_file(s->plan, bfo_lookup_begin(paths[i]), &row);
		if (!err)
			err = row != BFO_NONE ? bfo_vec_push(rows, row) : bfo_vec_push(missing, i);
	}
	return err;
}

static errcode_t take_rows(struct bfo_sequence *s, const bfo_rows *rows)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < rows->n && !err; i++)
		err = bfo_sequence_take(s, rows->v[i]);
	return err;
}

/* One that has but one file left is still a group, without a way to it. */
static errcode_t take_listed_group(struct bfo_sequence *s, int policy, const bfo_rows *rows)
{
	errcode_t err = bfo_sequence_take_group(s, policy, 0, rows->v, rows->n);

	if (!err)
		err = bfo_sequence_group(s, policy);
	return err ? err : take_rows(s, rows);
}

errcode_t bfo_sequence_by_list(struct bfo_sequence *s, int policy, const char *const *paths,
			       size_t n, const bfo_numbers *ends, bfo_numbers *missing)
{
	bfo_rows rows = { 0 };
	size_t i, begin = 0;
	errcode_t err = 0;

	for (i = 0; i < ends->n && !err; begin = ends->v[i++]) {
		err = find_files(s, paths, begin, ends->v[i], &rows, missing);
		if (!err)
			err = take_listed_group(s, policy, &rows);
	}
	if (!err)
		err = bfo_sequence_group(s, policy);
	if (!err)
		err = find_files(s, paths, begin, n, &rows, missing);
	if (!err)
		err = take_rows(s, &rows);
	bfo_vec_free(&rows);
	return err;
}
