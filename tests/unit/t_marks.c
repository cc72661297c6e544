// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_marks.c - base/marks against an array of bytes
 *
 * Ranges begin and end at the borders of words (64) and pieces (32,768), and around them.
 */
#include <stdlib.h>

#include "base/marks.h"
#include "unit.h"

#define LIMIT (3 * 32768U + 77)

/* What adding a range to the bytes would meet. */
static uint64_t add(uint8_t *bytes, uint32_t start, uint32_t len)
{
	uint64_t met = BFO_MARKS_NONE;
	uint32_t i;

	for (i = start; i < start + len; i++) {
		if (bytes[i] && met == BFO_MARKS_NONE)
			met = i;
		bytes[i] = 1;
	}
	return met;
}

static uint32_t some_place(struct chance *c)
{
	uint32_t at = chance_below(c, 4) * 32768 + chance_below(c, 3) * 64 + chance_below(c, 5);

	at = chance_below(c, 3) ? at : chance_below(c, LIMIT);
	at -= at >= 2 ? chance_below(c, 3) : 0;
	return at < LIMIT ? at : LIMIT;
}

START_TEST(adds_ranges)
{
	uint8_t *bytes = unit_alloc(LIMIT);
	uint32_t i, k, from, to;
	struct bfo_marks m;
	struct chance c;
	uint64_t met;

	chance_init(&c, 1500 + _i);
	want_ok(bfo_marks_init(&m, LIMIT));
	for (k = 0; k < 60; k++) {
		from = some_place(&c);
		to = chance_below(&c, 2) ? from + chance_below(&c, 70) : some_place(&c);
		to = to < from ? from : to < LIMIT ? to : LIMIT;
		to = to - from > 9000 && k < 50 ? from + 1 : to;
		want_ok(bfo_marks_add(&m, from, to - from, &met));
		want_eq(met, add(bytes, from, to - from));
	}
	for (i = 0; i < LIMIT; i++)
		want_eq(bfo_marks_have(&m, i), bytes[i]);
	bfo_marks_free(&m);
	free(bytes);
}
END_TEST

/* A universe of 2^34 takes a few pages. */
START_TEST(is_sparse)
{
	uint64_t limit = 1ULL << 34, met;
	struct bfo_marks m;

	want_ok(bfo_marks_init(&m, limit));
	want_ok(bfo_marks_add(&m, limit - 10, 10, &met));
	want_eq(met, BFO_MARKS_NONE);
	want_ok(bfo_marks_add(&m, limit - 70, 61, &met));
	want_eq(met, limit - 10);
	want(bfo_marks_have(&m, limit - 1) && bfo_marks_have(&m, limit - 70));
	want(!bfo_marks_have(&m, limit - 71) && !bfo_marks_have(&m, 0));
	bfo_marks_free(&m);
}
END_TEST

Suite *marks_suite(void)
{
	Suite *s = suite_create("marks");

	unit_case(s, "adds_ranges", adds_ranges, 20);
	unit_case(s, "is_sparse", is_sparse, 0);
	return s;
}
