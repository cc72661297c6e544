// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * range.c - sets of numbers as sorted, disjoint ranges
 */
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/range.h"
#include "base/sort.h"

errcode_t bfo_ranges_append(bfo_ranges *r, uint64_t start, uint64_t len)
{
	struct bfo_range *last = r->n ? &r->v[r->n - 1] : NULL;

	if (!len)
		return 0;
	if (last && last->start + last->len == start) {
		last->len += len;
		return 0;
	}
	return bfo_vec_push(r, (struct bfo_range) { .start = start, .len = len });
}

/* Index of the first range that ends at NUMBER or behind it. */
static size_t first_ending(const bfo_ranges *r, uint64_t number)
{
	size_t lo = 0, hi = r->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (r->v[mid].start + r->v[mid].len < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

errcode_t bfo_ranges_add(bfo_ranges *r, uint64_t start, uint64_t len)
{
	size_t first = first_ending(r, start), last = first;
	uint64_t end = start + len, reach;
	errcode_t err;

	if (!len)
		return 0;
	for (; last < r->n && r->v[last].start <= end; last++) {
		reach = r->v[last].start + r->v[last].len;
		start = r->v[last].start < start ? r->v[last].start : start;
		end = reach > end ? reach : end;
	}
	err = bfo_vec_reserve(r, 1);
	if (err)
		return err;
	memmove(r->v + first + 1, r->v + last, (r->n - last) * sizeof(*r->v));
	r->n += 1 + first - last;
	r->v[first] = (struct bfo_range) { .start = start, .len = end - start };
	return 0;
}

const struct bfo_range *bfo_ranges_from(const bfo_ranges *r, uint64_t number)
{
	size_t i = number == UINT64_MAX ? r->n : first_ending(r, number + 1);

	return i < r->n ? &r->v[i] : NULL;
}

int bfo_ranges_contain(const bfo_ranges *r, uint64_t number)
{
	size_t lo = 0, hi = r->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (number < r->v[mid].start)
			hi = mid;
		else if (number - r->v[mid].start < r->v[mid].len)
			return 1;
		else
			lo = mid + 1;
	}
	return 0;
}

errcode_t bfo_ranges_cut(const bfo_ranges *from, const bfo_ranges *by, bfo_ranges *rest,
			 bfo_ranges *common)
{
	size_t i, k = 0;
	errcode_t err = 0;

	rest->n = common->n = 0;
	for (i = 0; i < from->n; i++) {
		uint64_t at = from->v[i].start, end = at + from->v[i].len, lo, hi;

		for (; at < end && !err; at = hi) {
			while (k < by->n && by->v[k].start + by->v[k].len <= at)
				k++;
			lo = hi = end;
			if (k < by->n && by->v[k].start < end) {
				lo = by->v[k].start > at ? by->v[k].start : at;
				if (by->v[k].start + by->v[k].len < end)
					hi = by->v[k].start + by->v[k].len;
			}
			err = bfo_ranges_append(rest, at, lo - at);
			if (!err)
				err = bfo_ranges_append(common, lo, hi - lo);
		}
	}
	return err;
}

uint64_t bfo_ranges_total(const bfo_ranges *r)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < r->n; i++)
		sum += r->v[i].len;
	return sum;
}

static int longest_first(const void *a, const void *b)
{
	const struct bfo_range *x = a, *y = b;

	if (x->len != y->len)
		return x->len < y->len ? 1 : -1;
	return (x->start > y->start) - (x->start < y->start);
}

BFO_SORT_BY(lowest_first, struct bfo_range, start)

void bfo_ranges_settle(bfo_ranges *r)
{
	size_t i, n = 0;

	if (!r->n)
		return;
	qsort(r->v, r->n, sizeof(*r->v), lowest_first);
	for (i = 1; i < r->n; i++) {
		uint64_t end = r->v[n].start + r->v[n].len, reach = r->v[i].start + r->v[i].len;

		if (r->v[i].start > end)
			r->v[++n] = r->v[i];
		else if (reach > end)
			r->v[n].len = reach - r->v[n].start;
	}
	r->n = n + 1;
}

/* The lowest of the ranges from FIRST on that has NEED numbers; they are sorted by length. */
static size_t lowest_sufficient(const bfo_ranges *r, size_t first, uint64_t need)
{
	size_t best = first, i;

	for (i = first; i < r->n && r->v[i].len >= need; i++)
		if (r->v[i].start < r->v[best].start)
			best = i;
	return best;
}

errcode_t bfo_ranges_choose(const bfo_ranges *free, uint64_t need, bfo_ranges *chosen)
{
	errcode_t err;
	size_t i;

	chosen->n = 0;
	if (!free->n)
		return need ? BFO_ET_NO_SPACE : 0;
	err = bfo_vec_reserve(chosen, free->n);
	if (err)
		return err;
	for (i = 0; i < free->n; i++)
		chosen->v[chosen->n++] = free->v[i];
	qsort(chosen->v, chosen->n, sizeof(*chosen->v), longest_first);
	for (i = 0; need && i < chosen->n; i++) {
		if (chosen->v[i].len >= need) {
			size_t best = lowest_sufficient(chosen, i, need);

			chosen->v[i] = chosen->v[best];
			need = 0;
		} else {
			need -= chosen->v[i].len;
		}
	}
	if (need)
		return BFO_ET_NO_SPACE;
	chosen->n = i;
	qsort(chosen->v, chosen->n, sizeof(*chosen->v), lowest_first);
	return 0;
}
