// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_xattr_split.c - gather/xattr: which attributes go into the inode
 */
#include <stdlib.h>
#include <string.h>

#include "xattrs.h"

#define FEW 10			/* attributes for which every split is tried */

static int must_be_inside(const struct bfo_xattr *x)
{
	return !x->name_index || bfo_xattr_is_data(x);
}

/* Can SET be split at all?  Tries every choice. */
static int can_split(const bfo_xattrs *set, uint64_t in, uint64_t out)
{
	uint64_t sum[2];
	uint32_t choice;
	size_t i;

	for (choice = 0; choice < 1U << set->n; choice++) {
		sum[0] = sum[1] = 0;
		for (i = 0; i < set->n; i++) {
			if (must_be_inside(&set->v[i]) && !(choice >> i & 1))
				break;
			sum[choice >> i & 1] += bfo_xattr_cost(&set->v[i]);
		}
		if (i == set->n && sum[1] <= in && sum[0] <= out)
			return 1;
	}
	return 0;
}

static void want_split(const bfo_xattrs *set, uint32_t in, uint32_t out, uint32_t *seen)
{
	uint64_t sum[2] = { 0, 0 }, all;
	uint8_t inside[FEW];
	size_t i;
	int got;

	memset(inside, 0x5a, sizeof(inside));
	got = bfo_xattrs_split(set, in + 8, out + 36, inside);
	seen[got + 1]++;
	want_eq(got >= 0, can_split(set, in, out));
	if (got < 0)
		return;
	for (i = 0; i < set->n; i++) {
		want(inside[i] <= 1);
		want(inside[i] || !must_be_inside(&set->v[i]));
		sum[inside[i]] += bfo_xattr_cost(&set->v[i]);
	}
	all = sum[0] + sum[1];
	want(sum[1] <= in && sum[0] <= out);
	want_eq(got, all > in);
	want_eq(got, sum[0] > 0);
}

/* Splits whatever can be split, also where rooms are filled to the last byte. */
START_TEST(splits_if_possible)
{
	uint32_t seen[3] = { 0 }, round, in, out;
	struct xattrs made = { 0 };
	struct bfo_xattr *x;
	struct chance c;
	size_t i, n;

	chance_init(&c, 720 + _i);
	for (round = 0; round < 300; round++) {
		n = chance_between(&c, 1, FEW);
		in = out = 0;
		for (i = 0; i < n; i++) {
			x = xattrs_add(&made, &c, chance_below(&c, 9), chance_between(&c, 1, 9),
				       chance_below(&c, 60), 0);
			if (chance_below(&c, 3) || !x->name_index)
				in += bfo_xattr_cost(x);
			else
				out += bfo_xattr_cost(x);
		}
		if (chance_below(&c, 4) == 0)
			xattrs_add(&made, &c, BFO_XATTR_SYSTEM, 4, 20, 0)->name = "data";
		bfo_xattrs_sort(&made.set);
		if (made.set.n <= FEW)
			want_split(&made.set, in - 4 * chance_below(&c, in > 20 ? 2 : 1),
				   out + 4 * chance_below(&c, 2), seen);
		xattrs_free(&made);
	}
	want(seen[0] > 5 && seen[1] > 5 && seen[2] > 5);
}
END_TEST

static void push(bfo_xattrs *set, uint8_t index, const char *name, uint32_t size)
{
	static const char zero[256];

	want_ok(bfo_vec_push(set, (struct bfo_xattr) { .name_index = index, .name = name,
			     .name_len = strlen(name), .value = zero, .size = size }));
}

/* In order of names: what is inside, as digits. */
static void want_inside(const bfo_xattrs *set, uint32_t in, uint32_t out, const char *expect)
{
	uint8_t inside[16];
	char text[16] = "";
	size_t i;

	want_eq(bfo_xattrs_split(set, in, out, inside), !!strchr(expect, '0'));
	for (i = 0; i < set->n; i++)
		text[i] = '0' + inside[i];
	ck_assert_str_eq(text, expect);
}

START_TEST(prefers_what_is_read_most)
{
	bfo_xattrs set = { 0 };
	uint8_t inside[5];

	push(&set, BFO_XATTR_USER, "a", 16);		/* costs 36 */
	push(&set, BFO_XATTR_USER, "b", 0);		/* 20 */
	push(&set, BFO_XATTR_ACL_ACCESS, "", 28);	/* 44 */
	push(&set, BFO_XATTR_SECURITY, "s", 60);	/* 80 */
	push(&set, BFO_XATTR_SECURITY, "t", 4);		/* 24 */
	want_inside(&set, 8 + 204, 1024, "11111");
	want_inside(&set, 8 + 204, 0, "11111");
	want_inside(&set, 8 + 203, 1024, "01111");
	want_inside(&set, 8 + 148, 1024, "00111");
	want_inside(&set, 8 + 104, 1024, "00011");
	want_inside(&set, 8 + 103, 1024, "01101");
	want_inside(&set, 8 + 16, 1024, "00000");
	want_inside(&set, 0, 1024, "00000");
	/* By kind: t, s = 104 of 120; the rest, 100, does not fit.  Best: s, a = 116. */
	want_inside(&set, 8 + 120, 36 + 88, "10010");
	want_eq((uint64_t) bfo_xattrs_split(&set, 8 + 120, 36 + 84, inside), (uint64_t) -1);
	want_eq((uint64_t) bfo_xattrs_split(&set, 8 + 203, 0, inside), (uint64_t) -1);
	bfo_vec_free(&set);
	push(&set, BFO_XATTR_SECURITY, "s", 0);
	push(&set, BFO_XATTR_SYSTEM, "data", 20);
	want_inside(&set, 8 + 40, 1024, "01");
	want_eq((uint64_t) bfo_xattrs_split(&set, 8 + 36, 1024, inside), (uint64_t) -1);
	bfo_vec_free(&set);
}
END_TEST

/* More than two rooms of 64 KiB can hold: refused without further ado. */
START_TEST(refuses_too_many)
{
	uint8_t *inside = unit_alloc(100000);
	bfo_xattrs set = { 0 };
	uint8_t names[100000][3];
	uint32_t i;

	for (i = 0; i < 100000; i++) {
		names[i][0] = i >> 16;
		names[i][1] = i >> 8;
		names[i][2] = i;
		want_ok(bfo_vec_push(&set, (struct bfo_xattr) { .name_index = 1, .name_len = 3,
				     .name = (void *) names[i], .value = "" }));
	}
	want(bfo_xattrs_split(&set, 1024, 65536, inside) < 0);
	set.n = (65536 - 36) / 20;
	want_eq(bfo_xattrs_split(&set, 0, 65536, inside), 1);
	set.n++;
	want(bfo_xattrs_split(&set, 0, 65536, inside) < 0);
	want_eq(bfo_xattrs_split(&set, 28, 65536, inside), 1);
	free(inside);
	bfo_vec_free(&set);
}
END_TEST

Suite *xattr_split_suite(void)
{
	Suite *s = suite_create("xattr_split");

	unit_case(s, "splits_if_possible", splits_if_possible, 4);
	unit_case(s, "prefers_what_is_read_most", prefers_what_is_read_most, 0);
	unit_case(s, "refuses_too_many", refuses_too_many, 0);
	return s;
}
