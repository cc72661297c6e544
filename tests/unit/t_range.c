// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_range.c - base/range: joining, and the choice of ranges against trying all subsets
 */
#include <string.h>

#include "base/range.h"
#include "unit.h"

#define SMALL 9			/* ranges that all subsets are tried of */

static bfo_ranges ranges_of(const struct bfo_range *v, size_t n)
{
	bfo_ranges r = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		want_ok(bfo_ranges_append(&r, v[i].start, v[i].len));
	return r;
}

#define RANGES(...) \
	ranges_of((struct bfo_range[]) { __VA_ARGS__ }, \
		  sizeof((struct bfo_range[]) { __VA_ARGS__ }) / sizeof(struct bfo_range))

static void want_ranges(const bfo_ranges *got, bfo_ranges expect)
{
	size_t i;

	want_eq(got->n, expect.n);
	for (i = 0; i < got->n; i++) {
		want_eq(got->v[i].start, expect.v[i].start);
		want_eq(got->v[i].len, expect.v[i].len);
	}
	bfo_vec_free(&expect);
}

START_TEST(joins_neighbours)
{
	bfo_ranges r = { 0 };

	want_ok(bfo_ranges_append(&r, 10, 0));
	want_eq(r.n, 0);
	want_ok(bfo_ranges_append(&r, 10, 5));
	want_ok(bfo_ranges_append(&r, 15, 1));
	want_eq(r.n, 1);
	want_ok(bfo_ranges_append(&r, 17, 3));
	want_ok(bfo_ranges_append(&r, 20, 0));
	want_ok(bfo_ranges_append(&r, 1ULL << 40, 1ULL << 40));
	want_eq(r.n, 3);
	want(r.v[0].start == 10 && r.v[0].len == 6);
	want(r.v[1].start == 17 && r.v[1].len == 3);
	want(r.v[2].start == 1ULL << 40 && r.v[2].len == 1ULL << 40);
	want_eq(bfo_ranges_total(&r), (1ULL << 40) + 9);
	bfo_vec_free(&r);
	want_eq(bfo_ranges_total(&r), 0);
}
END_TEST

/* Chooses NEED from FREE (given up) and expects the ranges EXPECT. */
static void want_choice(bfo_ranges free, uint64_t need, bfo_ranges expect)
{
	bfo_ranges chosen = { 0 };

	want_ok(bfo_ranges_choose(&free, need, &chosen));
	want_ranges(&chosen, expect);
	bfo_vec_free(&chosen);
	bfo_vec_free(&free);
}

START_TEST(chooses_by_the_rules)
{
	/* one that suffices: the lowest, not the longest, nor the tightest */
	want_choice(RANGES({ 0, 3 }, { 10, 9 }, { 30, 20 }, { 60, 5 }), 5, RANGES({ 10, 9 }));
	/* exact fit */
	want_choice(RANGES({ 0, 4 }, { 10, 5 }, { 30, 5 }), 5, RANGES({ 10, 5 }));
	/* few: the longest, then the lowest that takes the rest; in ascending order */
	want_choice(RANGES({ 0, 3 }, { 10, 9 }, { 30, 20 }, { 60, 9 }), 24,
		    RANGES({ 10, 9 }, { 30, 20 }));
	want_choice(RANGES({ 0, 4 }, { 10, 9 }, { 30, 20 }, { 60, 9 }), 24,
		    RANGES({ 0, 4 }, { 30, 20 }));
	/* all of them, to the last number */
	want_choice(RANGES({ 0, 4 }, { 10, 9 }), 13, RANGES({ 0, 4 }, { 10, 9 }));
	/* none */
	want_choice(RANGES({ 0, 4 }), 0, (bfo_ranges) { 0 });
	want_choice((bfo_ranges) { 0 }, 0, (bfo_ranges) { 0 });
}
END_TEST

START_TEST(refuses_too_much)
{
	bfo_ranges free = RANGES({ 0, 4 }, { 10, 9 }), none = { 0 }, chosen = { 0 };

	want_err(bfo_ranges_choose(&free, 14, &chosen), BFO_ET_NO_SPACE);
	want_err(bfo_ranges_choose(&free, UINT64_MAX, &chosen), BFO_ET_NO_SPACE);
	want_err(bfo_ranges_choose(&none, 1, &chosen), BFO_ET_NO_SPACE);
	want_ok(bfo_ranges_choose(&free, 13, &chosen));	/* and goes on working */
	want_eq(bfo_ranges_total(&chosen), 13);
	want_eq(bfo_ranges_total(&free), 13);
	bfo_vec_free(&chosen);
	bfo_vec_free(&free);
}
END_TEST

static uint64_t subset_total(const bfo_ranges *free, unsigned int subset)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < free->n; i++)
		sum += subset & 1U << i ? free->v[i].len : 0;
	return sum;
}

/* The fewest ranges with NEED numbers together: all subsets are tried. */
static unsigned int fewest(const bfo_ranges *free, uint64_t need)
{
	unsigned int subset, n, best = ~0U;

	for (subset = 0; subset < 1U << free->n; subset++) {
		n = __builtin_popcount(subset);
		if (n < best && subset_total(free, subset) >= need)
			best = n;
	}
	return best;
}

/* The ranges chosen, as a subset; each must be one of FREE, ascending. */
static unsigned int as_subset(const bfo_ranges *free, const bfo_ranges *chosen)
{
	unsigned int subset = 0;
	size_t i, at = 0;

	for (i = 0; i < chosen->n; i++) {
		while (at < free->n && free->v[at].start != chosen->v[i].start)
			at++;
		want(at < free->n);
		want_eq(free->v[at].len, chosen->v[i].len);
		subset |= 1U << at++;
	}
	return subset;
}

/*
 * Of the subsets with as few ranges, the one chosen must be "the longest, and the lowest that
 * takes the rest": take away the range that is last in that sense, and what is left must be the
 * longest ones there are.
 */
static int is_longest_and_lowest(const bfo_ranges *free, unsigned int subset, uint64_t need)
{
	unsigned int last, others, i, ok;

	for (last = 0; last < free->n; last++) {
		others = subset & ~(1U << last);
		if (!(subset & 1U << last) || subset_total(free, others) >= need)
			continue;
		for (i = 0, ok = 1; i < free->n; i++) {
			const struct bfo_range *r = &free->v[i];
			unsigned int j;

			if (subset & 1U << i)
				continue;
			for (j = 0; j < free->n; j++)	/* none longer was left out */
				if (others & 1U << j && free->v[j].len < r->len)
					ok = 0;
			if (i < last && subset_total(free, others) + r->len >= need)
				ok = 0;			/* nor a lower one for the rest */
		}
		if (ok)
			return 1;
	}
	return 0;
}

START_TEST(chooses_as_all_subsets_say)
{
	bfo_ranges free = { 0 }, chosen = { 0 };
	unsigned int subset;
	uint64_t need, at;
	struct chance c;
	int round, i, n;

	chance_init(&c, 200 + _i);
	for (round = 0; round < 300; round++) {
		free.n = 0;
		n = chance_below(&c, SMALL + 1);
		for (i = 0, at = chance_below(&c, 3); i < n; i++) {
			want_ok(bfo_ranges_append(&free, at, chance_between(&c, 1, 4 + 3 * _i)));
			at += free.v[free.n - 1].len + chance_between(&c, 1, 5);
		}
		for (need = 1; need <= bfo_ranges_total(&free); need++) {
			want_ok(bfo_ranges_choose(&free, need, &chosen));
			subset = as_subset(&free, &chosen);
			want(bfo_ranges_total(&chosen) >= need);
			want_eq(chosen.n, fewest(&free, need));
			want(is_longest_and_lowest(&free, subset, need));
		}
		want_err(bfo_ranges_choose(&free, need, &chosen), BFO_ET_NO_SPACE);
	}
	bfo_vec_free(&free);
	bfo_vec_free(&chosen);
}
END_TEST

#define MODEL 200

/* What R says is what the model says, and its ranges neither meet nor overlap. */
static void want_model(const bfo_ranges *r, const uint8_t *model)
{
	uint32_t number, i;

	for (i = 1; i < r->n; i++)
		want(r->v[i - 1].start + r->v[i - 1].len < r->v[i].start);
	for (number = 0; number < MODEL; number++) {
		const struct bfo_range *from = bfo_ranges_from(r, number);

		want_eq(bfo_ranges_contain(r, number), model[number]);
		for (i = number; i < MODEL && !model[i]; i++)
			;
		want_eq(from ? from->start > number ? from->start : number : MODEL, i);
	}
}

START_TEST(adds_anywhere)
{
	uint8_t model[MODEL];
	uint32_t trial, i, at, len;
	bfo_ranges added = { 0 }, settled = { 0 };
	struct chance c;

	chance_init(&c, 7700);
	for (trial = 0; trial < 200; trial++) {
		memset(model, 0, sizeof(model));
		added.n = settled.n = 0;
		for (i = chance_below(&c, 30); i; i--) {
			at = chance_below(&c, MODEL - 12);
			len = chance_below(&c, 12);
			memset(model + at, 1, len);
			want_ok(bfo_ranges_add(&added, at, len));
			want_model(&added, model);
			if (len)
				want_ok(bfo_vec_push(&settled, (struct bfo_range) { .start = at,
						     .len = len }));
		}
		bfo_ranges_settle(&settled);
		want_model(&settled, model);
	}
	want(!bfo_ranges_from(&added, UINT64_MAX));
	bfo_vec_free(&added);
	bfo_vec_free(&settled);
}
END_TEST

#define WIDTH 64

/* Ranges with the numbers that are set in BITS. */
static bfo_ranges of_bits(uint64_t bits)
{
	bfo_ranges r = { 0 };
	unsigned int i;

	for (i = 0; i < WIDTH; i++)
		if (bits >> i & 1)
			want_ok(bfo_ranges_append(&r, i, 1));
	return r;
}

static uint64_t long_bits(struct chance *c)
{
	uint64_t bits = 0;
	unsigned int i;

	for (i = 0; i < WIDTH; i++)
		bits |= (uint64_t) (i && chance_below(c, 4) ? bits >> (i - 1) & 1
							    : chance_below(c, 2)) << i;
	return bits;
}

START_TEST(cuts_as_bits_say)
{
	bfo_ranges rest = { 0 }, common = { 0 };
	struct chance c;
	int trial;

	chance_init(&c, 41);
	for (trial = 0; trial < 2000; trial++) {
		uint64_t a = trial % 9 ? long_bits(&c) : 0, b = trial % 7 ? long_bits(&c) : 0;
		bfo_ranges from = of_bits(a), by = of_bits(b);

		want_ok(bfo_ranges_cut(&from, &by, &rest, &common));
		want_ranges(&rest, of_bits(a & ~b));
		want_ranges(&common, of_bits(a & b));
		bfo_vec_free(&from);
		bfo_vec_free(&by);
	}
	bfo_vec_free(&rest);
	bfo_vec_free(&common);
}
END_TEST

Suite *range_suite(void)
{
	Suite *s = suite_create("range");

	unit_case(s, "joins_neighbours", joins_neighbours, 0);
	unit_case(s, "chooses_by_the_rules", chooses_by_the_rules, 0);
	unit_case(s, "refuses_too_much", refuses_too_much, 0);
	unit_case(s, "chooses_as_all_subsets_say", chooses_as_all_subsets_say, 4);
	unit_case(s, "adds_anywhere", adds_anywhere, 0);
	unit_case(s, "cuts_as_bits_say", cuts_as_bits_say, 0);
	return s;
}
