// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_rank.c - base/rank against counting one by one
 *
 * The interesting places are the borders of words (64) and of counted runs (512): limits, members
 * and questions are put there on purpose.
 */
#include <stdlib.h>
#include <string.h>

#include "base/rank.h"
#include "unit.h"

static const uint32_t borders[] = { 0, 1, 63, 64, 65, 127, 128, 447, 448, 511, 512, 513, 575, 576,
				    1023, 1024, 1025, 1535, 1536, 1537 };
#define BORDERS (sizeof(borders) / sizeof(borders[0]))

/* Asks for every number below LIMIT, and for some that are not. */
static void compare(const struct bfo_rank *r, const uint8_t *member, uint32_t limit)
{
	uint32_t i, below = 0;

	for (i = 0; i < limit; i++) {
		want_eq(bfo_rank_of(r, i), member[i] ? below : BFO_RANK_NONE);
		below += member[i];
	}
	want_eq(bfo_rank_of(r, limit), BFO_RANK_NONE);
	want_eq(bfo_rank_of(r, limit + 1ULL), BFO_RANK_NONE);
	want_eq(bfo_rank_of(r, UINT32_MAX), BFO_RANK_NONE);
	want_eq(bfo_rank_of(r, UINT64_MAX), BFO_RANK_NONE);
}

/* A set in which one of ONE_IN numbers is a member. */
static void try_random(struct chance *c, uint32_t limit, uint32_t one_in)
{
	uint8_t *member = unit_alloc(limit + 1);
	struct bfo_rank r;
	uint32_t i;

	want_ok(bfo_rank_init(&r, limit));
	for (i = 0; i < limit; i++) {
		member[i] = !chance_below(c, one_in);
		if (member[i])
			bfo_rank_add(&r, i);
	}
	bfo_rank_seal(&r);
	compare(&r, member, limit);
	bfo_rank_free(&r);
	free(member);
}

START_TEST(counts_like_one_by_one)
{
	struct chance c;
	size_t i;

	chance_init(&c, 100 + _i);
	for (i = 0; i < BORDERS; i++)
		try_random(&c, borders[i], _i + 1);
	try_random(&c, 100000 + chance_below(&c, 1000), _i * 7 + 1);
}
END_TEST

/* Exactly two members, both at borders. */
START_TEST(counts_at_borders)
{
	uint8_t member[2048];
	struct bfo_rank r;
	size_t i, j;

	for (i = 0; i < BORDERS; i++)
		for (j = 0; j < BORDERS; j++) {
			memset(member, 0, sizeof(member));
			member[borders[i]] = member[borders[j]] = 1;
			want_ok(bfo_rank_init(&r, 1538));
			bfo_rank_add(&r, borders[i]);
			bfo_rank_add(&r, borders[j]);
			bfo_rank_seal(&r);
			compare(&r, member, 1538);
			bfo_rank_free(&r);
		}
}
END_TEST

START_TEST(stays_empty)
{
	struct bfo_rank r;

	want_ok(bfo_rank_init(&r, 0));
	bfo_rank_seal(&r);
	want_eq(bfo_rank_of(&r, 0), BFO_RANK_NONE);
	bfo_rank_free(&r);
	want(!r.bits && !r.below && !r.limit);
	want_eq(bfo_rank_of(&r, 0), BFO_RANK_NONE);
	bfo_rank_free(&r);
}
END_TEST

/* P7: little more than a bit per number. */
START_TEST(is_small)
{
	struct bfo_rank r;

	want_ok(bfo_rank_init(&r, 1ULL << 32));
	bfo_rank_add(&r, UINT32_MAX);
	bfo_rank_add(&r, 5);
	bfo_rank_seal(&r);
	want_eq(bfo_rank_of(&r, UINT32_MAX), 1);
	want_eq(bfo_rank_of(&r, UINT32_MAX - 1), BFO_RANK_NONE);
	bfo_rank_free(&r);
}
END_TEST

Suite *rank_suite(void)
{
	Suite *s = suite_create("rank");

	unit_case(s, "counts_like_one_by_one", counts_like_one_by_one, 6);
	unit_case(s, "counts_at_borders", counts_at_borders, 0);
	unit_case(s, "stays_empty", stays_empty, 0);
	unit_case(s, "is_small", is_small, 0);
	return s;
}
