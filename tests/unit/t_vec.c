// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_vec.c - base/vec: growth, pushes that name the array itself, sizes beyond what fits
 */
#include <string.h>

#include "base/vec.h"
#include "unit.h"

struct record {
	uint64_t number, square;
};

typedef BFO_VEC(struct record) records;

START_TEST(starts_empty)
{
	records v = { 0 };

	want_ok(bfo_vec_reserve(&v, 0));
	want(!v.v && !v.n && !v.cap);
	bfo_vec_free(&v);
	want_eq(bfo_vec_bytes(&v), 0);
}
END_TEST

START_TEST(keeps_what_was_pushed)
{
	records v = { 0 };
	size_t i, cap, moves = 0;

	for (i = 0; i < 100000; i++) {
		cap = v.cap;
		want_ok(bfo_vec_push(&v, (struct record) { .number = i, .square = i * i }));
		want(v.cap >= v.n);
		want_eq(v.n, i + 1);
		moves += v.cap != cap;
	}
	for (i = 0; i < v.n; i++)
		want(v.v[i].number == i && v.v[i].square == i * i);
	want(moves < 30);			/* by half each time, not one by one */
	want(v.cap <= 100000 + 100000 / 2);	/* P7: and no more than that */
	want_eq(bfo_vec_bytes(&v), v.cap * sizeof(struct record));
	bfo_vec_free(&v);
	want(!v.v && !v.n && !v.cap);
}
END_TEST

/* What is pushed may speak of the array that grows: of a record in it, or of how many there are. */
START_TEST(pushes_its_own)
{
	records v = { 0 };
	size_t i, at;

	want_ok(bfo_vec_push(&v, (struct record) { .number = 7, .square = 49 }));
	for (i = 0; i < 5000; i++) {
		at = v.n - 1;
		want_ok(bfo_vec_push(&v, v.v[at]));
	}
	for (i = 0; i < v.n; i++)
		want(v.v[i].number == 7 && v.v[i].square == 49);
	v.n = 0;
	for (i = 0; i < 100; i++)
		want_ok(bfo_vec_push(&v, (struct record) { .number = v.n }));
	for (i = 0; i < v.n; i++)
		want_eq(v.v[i].number, i);
	bfo_vec_free(&v);
}
END_TEST

START_TEST(reserves_exactly_enough)
{
	records v = { 0 };
	struct record *before;

	want_ok(bfo_vec_reserve(&v, 1000));
	want(v.cap >= 1000 && v.n == 0);
	before = v.v;
	memset(v.v, 0xa5, 1000 * sizeof(*v.v));	/* all of it is ours */
	v.n = 600;
	want_ok(bfo_vec_reserve(&v, 400));
	want(v.v == before);
	want_ok(bfo_vec_reserve(&v, 401));
	want(v.cap >= 1001);
	want_eq(v.v[599].number, 0xa5a5a5a5a5a5a5a5ULL);
	bfo_vec_free(&v);
}
END_TEST

/* A refused growth leaves the array as it was. */
START_TEST(refuses_overflow)
{
	records v = { 0 }, was;

	want_ok(bfo_vec_push(&v, (struct record) { .number = 3 }));
	was = v;
	want_err(bfo_vec_reserve(&v, SIZE_MAX), BFO_ET_OVERFLOW);
	want_err(bfo_vec_reserve(&v, SIZE_MAX - 1), BFO_ET_OVERFLOW);
	want_err(bfo_vec_reserve(&v, SIZE_MAX / sizeof(*v.v)), BFO_ET_OVERFLOW);
	want_err(bfo_vec_reserve(&v, SIZE_MAX / sizeof(*v.v) + 1), BFO_ET_OVERFLOW);
	want(v.v == was.v && v.n == was.n && v.cap == was.cap && v.v[0].number == 3);
	bfo_vec_free(&v);
}
END_TEST

Suite *vec_suite(void)
{
	Suite *s = suite_create("vec");

	unit_case(s, "starts_empty", starts_empty, 0);
	unit_case(s, "keeps_what_was_pushed", keeps_what_was_pushed, 0);
	unit_case(s, "pushes_its_own", pushes_its_own, 0);
	unit_case(s, "reserves_exactly_enough", reserves_exactly_enough, 0);
	unit_case(s, "refuses_overflow", refuses_overflow, 0);
	return s;
}
