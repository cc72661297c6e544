// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_stand_in.c - base/stand_in: names that stand for ciphertext
 */
#include <string.h>

#include "base/stand_in.h"
#include "unit.h"

static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";

START_TEST(shows_all_of_what_is_short)
{
	char out[BFO_STAND_IN_MOST];

	want_eq(bfo_stand_in("\xfb\xff\0/", 4, out), 16);
	ck_assert_str_eq(out, "encrypted.-_8ALw");
	want_eq(bfo_stand_in("abcdef", 6, out), 18);
	ck_assert_str_eq(out, "encrypted.YWJjZGVm");
}
END_TEST

/* Of any length, a name for any filesystem; the last byte makes another. */
START_TEST(is_a_name_of_its_own)
{
	char bytes[4098], one[BFO_STAND_IN_MOST], other[BFO_STAND_IN_MOST];
	size_t len, n;

	memset(bytes, 0xff, sizeof(bytes));
	for (len = 1; len <= sizeof(bytes); len += len < 260 ? 1 : 100) {
		n = bfo_stand_in(bytes, len, one);
		want(n == strlen(one) && n <= 250 && strspn(one, safe) == n);
		bytes[len - 1] ^= 1;
		bfo_stand_in(bytes, len, other);
		want(strcmp(one, other));
		bytes[len - 1] ^= 1;
		bfo_stand_in(bytes, len - 1, other);
		want(strcmp(one, other));
	}
}
END_TEST

Suite *stand_in_suite(void)
{
	Suite *s = suite_create("stand_in");

	unit_case(s, "shows_all_of_what_is_short", shows_all_of_what_is_short, 0);
	unit_case(s, "is_a_name_of_its_own", is_a_name_of_its_own, 0);
	return s;
}
