// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_sort.c - base/sort against qsort(3)
 *
 * Behind its key a record carries a number of its own and bytes made from it, so that a record
 * that was lost, doubled or torn shows.  Keys come in shapes that each take another way through
 * the code: one digit that differs, none, few values, ascending, descending.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "unit.h"

enum shape { RANDOM, ALL_EQUAL, ONE_BYTE, FEW, ASCENDING, DESCENDING, TWO_HALVES, SHAPES };

struct layout {
	size_t size;
	unsigned int keys;
};

static struct layout layout;		/* qsort() hands no argument through */

static uint32_t word(const uint8_t *rec, unsigned int i)
{
	uint32_t w;

	memcpy(&w, rec + 4 * i, 4);
	return w;
}

static void set_word(uint8_t *rec, unsigned int i, uint32_t w)
{
	memcpy(rec + 4 * i, &w, 4);
}

static int by_key(const void *a, const void *b)
{
	unsigned int i;

	for (i = 0; i < layout.keys; i++)
		if (word(a, i) != word(b, i))
			return word(a, i) < word(b, i) ? -1 : 1;
	return 0;
}

static int by_all(const void *a, const void *b)
{
	int c = by_key(a, b);

	return c ? c : memcmp(a, b, layout.size);
}

static void make_key(struct chance *c, enum shape shape, uint8_t *rec, uint32_t i, uint32_t n)
{
	unsigned int k, which = chance_below(c, 4 * layout.keys);

	for (k = 0; k < layout.keys; k++)
		set_word(rec, k, shape == RANDOM ? (uint32_t) chance_bits(c) : 0x5a5a5a5a);
	if (shape == ONE_BYTE)
		rec[n % (4 * layout.keys)] = chance_bits(c);
	else if (shape == FEW)
		rec[which] = chance_below(c, 3);
	else if (shape == ASCENDING || shape == DESCENDING)
		set_word(rec, layout.keys - 1, shape == ASCENDING ? i : n - i);
	else if (shape == TWO_HALVES)
		set_word(rec, 0, i % 2 ? 0 : UINT32_MAX);
}

static uint8_t *make_records(struct chance *c, enum shape shape, size_t n)
{
	uint8_t *base = unit_alloc(n * layout.size), *rec;
	struct chance own;
	size_t i;

	for (i = 0; i < n; i++) {
		rec = base + i * layout.size;
		chance_init(&own, i);
		chance_fill(&own, rec, layout.size);
		make_key(c, shape, rec, i, n);
	}
	return base;
}

static void try_sort(struct chance *c, enum shape shape, size_t n)
{
	uint8_t *base = make_records(c, shape, n), *again = unit_copy(base, n * layout.size);
	uint8_t *expect = unit_copy(base, n * layout.size);
	size_t i;

	bfo_sort(base, n, layout.size, layout.keys);
	for (i = 1; i < n; i++)
		want(by_key(base + (i - 1) * layout.size, base + i * layout.size) <= 0);
	bfo_sort(again, n, layout.size, layout.keys);
	want_mem(again, base, n * layout.size);			/* deterministic */
	qsort(base, n, layout.size, by_all);
	qsort(expect, n, layout.size, by_all);
	want_mem(base, expect, n * layout.size);		/* the same records */
	free(base);
	free(again);
	free(expect);
}

/* _i: the record's size. */
START_TEST(sorts_like_qsort)
{
	static const size_t counts[] = { 0, 1, 2, 3, 23, 24, 25, 255, 256, 257, 1000, 5000 };
	struct chance c;
	size_t i;
	int shape;

	chance_init(&c, 300 + _i);
	layout.size = 8 * (_i + 1);
	for (layout.keys = 1; layout.keys <= 3 && 4 * layout.keys <= layout.size; layout.keys++)
		for (shape = 0; shape < SHAPES; shape++)
			for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
				try_sort(&c, shape, counts[i]);
}
END_TEST

START_TEST(sorts_many)
{
	struct chance c;

	chance_init(&c, 310);
	layout = (struct layout) { .size = 24, .keys = 3 };
	try_sort(&c, RANDOM, 300000);
	try_sort(&c, FEW, 300000);
	try_sort(&c, ASCENDING, 300000);
}
END_TEST

Suite *sort_suite(void)
{
	Suite *s = suite_create("sort");

	unit_case(s, "sorts_like_qsort", sorts_like_qsort, 8);
	unit_case(s, "sorts_many", sorts_many, 0);
	return s;
}
