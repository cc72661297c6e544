// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rooms.c - free blocks, one range after the other
 *
 *   list   | large, ascending ... | the others, longest first ... |
 *             at ──>  range by range; what is skipped, or left of one, goes to
 *   left   | ........ |    which is sorted the same way, and is the list of the next turn
 *
 * Few ranges are looked at for a file.  So a turn has many files, and sorting costs little.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "commit/rooms.h"

#define NEAR 64U			/* ranges that are looked at for a file */

static int longest_first(const void *a, const void *b)
{
	const struct bfo_range *x = a, *y = b;

	if (x->len != y->len)
		return x->len < y->len ? 1 : -1;
	return (x->start > y->start) - (x->start < y->start);
}

static int lowest_first(const void *a, const void *b)
{
	const struct bfo_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* The order of a turn. */
static void arrange(struct bfo_rooms *r)
{
	size_t n = 0;

	r->at = 0;
	if (!r->list.n)
		return;
	qsort(r->list.v, r->list.n, sizeof(*r->list.v), longest_first);
	while (n < r->list.n && r->list.v[n].len >= r->large)
		n++;
	qsort(r->list.v, n, sizeof(*r->list.v), lowest_first);
}

errcode_t bfo_rooms_init(struct bfo_rooms *r, const bfo_ranges *free, uint64_t unit,
			 uint64_t large)
{
	errcode_t err;

	memset(r, 0, sizeof(*r));
	r->unit = unit;
	r->large = large;
	err = bfo_vec_reserve(&r->list, free->n);
	if (err || !free->n)
		return err;
	memcpy(r->list.v, free->v, free->n * sizeof(*free->v));
	r->list.n = free->n;
	arrange(r);
	return 0;
}

void bfo_rooms_free(struct bfo_rooms *r)
{
	bfo_vec_free(&r->list);
	bfo_vec_free(&r->left);
}

/* Leaves the range at hand, or what is left of it. */
static errcode_t leave(struct bfo_rooms *r)
{
	struct bfo_range rest = r->list.v[r->at++];

	return rest.len ? bfo_vec_push(&r->left, rest) : 0;
}

/* All have had their turn: what they have left has the next one. */
static void turn(struct bfo_rooms *r)
{
	bfo_ranges done = r->list;

	r->list = r->left;
	r->left = done;
	r->left.n = 0;
	arrange(r);
}

errcode_t bfo_rooms_seek(struct bfo_rooms *r, uint64_t n)
{
	size_t i, end = r->list.n - r->at < NEAR ? r->list.n : r->at + NEAR;
	errcode_t err = 0;

	for (i = r->at; i < end && r->list.v[i].len < n; i++)
		;
	while (i < end && r->at < i && !err)
		err = leave(r);
	return err;
}

errcode_t bfo_rooms_take(struct bfo_rooms *r, uint64_t n, uint64_t *blk, uint64_t *got)
{
	struct bfo_range *now;

	while (r->at < r->list.n && !r->list.v[r->at].len)
		r->at++;
	if (r->at == r->list.n)
		turn(r);
	if (r->at == r->list.n)
		return BFO_ET_NO_SPACE;
	now = &r->list.v[r->at];
	n = (n + r->unit - 1) / r->unit * r->unit;
	*got = n < now->len ? n : now->len;
	*blk = now->start;
	now->start += *got;
	now->len -= *got;
	return 0;
}
