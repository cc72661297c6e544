// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_pax_put.c - export/pax, ustar, sparse_map, tree/acl: what archives are made of
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/pax.h"
#include "export/sparse_map.h"
#include "export/ustar.h"
#include "tree/acl.h"
#include "tarmade.h"
#include "unit.h"

/* Lengths around all places where their digits become more. */
START_TEST(records_count_their_own_digits)
{
	static char value[1100], record[1200];
	struct bfo_pax pax = { 0 };
	size_t len, n;

	memset(value, 'v', sizeof(value));
	for (len = 0; len < sizeof(value); len++) {
		bfo_pax_clear(&pax);
		bfo_pax_add(&pax, "key", value, len);
		want_ok(pax.err);
		n = tarmade_pax_record(record, "key", value, len);
		want_eq(pax.text.n, n);
		want_mem(pax.text.v, record, n);
	}
	bfo_vec_free(&pax.text);
}
END_TEST

static void want_text(const bfo_chars *text, const char *is)
{
	if (text->n != strlen(is) || (text->n && memcmp(text->v, is, text->n)))
		ck_abort_msg("\"%.*s\" instead of \"%s\"", (int) text->n, text->v, is);
}

START_TEST(numbers_and_errors)
{
	struct bfo_pax pax = { 0 };

	bfo_pax_add_number(&pax, "a", 0);
	bfo_pax_add_number(&pax, "b", UINT64_MAX);
	want_text(&pax.text, "6 a=0\n26 b=18446744073709551615\n");
	pax.err = ENOMEM;
	bfo_pax_add(&pax, "c", "x", 1);
	bfo_pax_add_time(&pax, "d", 1, 1);
	want_text(&pax.text, "6 a=0\n26 b=18446744073709551615\n");
	want_eq(pax.err, ENOMEM);
	bfo_pax_clear(&pax);
	bfo_pax_add(&pax, "c", "", 0);
	want_ok(pax.err);
	want_text(&pax.text, "5 c=\n");
	bfo_vec_free(&pax.text);
}
END_TEST

static const struct {
	int64_t sec;
	uint32_t nsec;
	const char *text;
} times[] = {
	{ 0, 0, "0" }, { 1, 100000000, "1.100000000" }, { 7, 5, "7.000000005" },
	{ -1, 200000000, "-0.800000000" }, { -1, 0, "-1" },
	{ -2, 999999999, "-1.000000001" }, { -2147483648, 0, "-2147483648" },
	{ -2147483648, 1, "-2147483647.999999999" },
	{ 15032385535, 999999999, "15032385535.999999999" },
	{ 1, 1073741823, "2.073741823" }, { -1, 1000000000, "0" },
	{ -2, 1073741823, "-0.926258177" },
};

START_TEST(times_are_the_numbers_that_are_meant)
{
	char record[64];
	struct bfo_pax pax = { 0 };

	bfo_pax_add_time(&pax, "t", times[_i].sec, times[_i].nsec);
	want_ok(pax.err);
	want_eq(pax.text.n, tarmade_pax_record(record, "t", times[_i].text,
					       strlen(times[_i].text)));
	want_mem(pax.text.v, record, pax.text.n);
	bfo_vec_free(&pax.text);
}
END_TEST

START_TEST(knows_utf8)
{
	static const char *const good[] = {
		"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
		"\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "e\xcc\x81",
	};
	static const char *const bad[] = {
		"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "a\xe9", "\xe9" "a", "\xe0\x9f\xbf",
		"\xed\xa0\x80", "\xed\xbf\xbf", "\xe2\x82", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80", "\xf8\x88\x80\x80\x80", "\xff", "\xc3\xa9\xa9",
	};
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++)
		if (!bfo_pax_is_utf8(good[i], strlen(good[i])))
			ck_abort_msg("good text %zu is refused", i);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (bfo_pax_is_utf8(bad[i], strlen(bad[i])))
			ck_abort_msg("bad text %zu is taken", i);
	want(!bfo_pax_is_utf8("\xc3\xa9", 1));
	want(bfo_pax_is_utf8("a\0b", 3));
}
END_TEST

static void name_of(char *out, size_t prefix, size_t name)
{
	memset(out, 'p', prefix);
	out[prefix] = '/';
	memset(out + prefix + 1, 'n', name);
	out[prefix + 1 + name] = 0;
}

START_TEST(names_are_parted_where_both_fit)
{
	char name[512], block[BFO_USTAR_BYTES];
	struct bfo_ustar h = { .name = name, .type = '0' };

	name_of(name, 155, 100);
	want(bfo_ustar_has_room(name, 256));
	h.name_len = 256;
	bfo_ustar_write(&h, block);
	want_mem(block, name + 156, 100);
	want_mem(block + 345, name, 155);
	name_of(name, 156, 100);
	want(!bfo_ustar_has_room(name, 257));
	name_of(name, 155, 101);
	want(!bfo_ustar_has_room(name, 257));
	memset(name, 'n', 101);
	want(bfo_ustar_has_room(name, 100));
	want(!bfo_ustar_has_room(name, 101));
	name[100] = '/';
	want(!bfo_ustar_has_room(name, 101));		/* nothing is left for the name */
	name[0] = '/';
	want(!bfo_ustar_has_room(name, 101));		/* nothing is left for the prefix */
	name[98] = name[99] = '/';
	h.name_len = 300;
	memset(name + 100, 'n', 200);
	bfo_ustar_write(&h, block);
	want_mem(block, name, 98);
	want_eq(block[98], 0);
	want_eq(block[345], 0);
}
END_TEST

static void want_field(const char *field, const char *bytes, size_t size)
{
	if (memcmp(field, bytes, size))
		ck_abort_msg("a number is not \"%s\"", bytes);
}

START_TEST(numbers_that_do_not_fit)
{
	char block[BFO_USTAR_BYTES];
	struct bfo_ustar h = {
		.name = "n", .name_len = 1, .uid = 2097151, .gid = 2097152, .size = 8589934591,
		.mtime = -1, .major = UINT32_MAX, .type = '3',
	};

	bfo_ustar_write(&h, block);
	want_field(block + 108, "7777777", 8);
	want_field(block + 116, "\x80\0\0\0\0\x20\0\0", 8);
	want_field(block + 124, "77777777777", 12);
	want_field(block + 136, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12);
	want_field(block + 329, "\x80\0\0\0\xff\xff\xff\xff", 8);
	want_field(block + 337, "0000000", 8);
	h.size = 8589934592;
	h.mtime = 8589934592;
	bfo_ustar_write(&h, block);
	want_field(block + 124, "\x80\0\0\0\0\0\0\2\0\0\0\0", 12);
	want_field(block + 136, "\x80\0\0\0\0\0\0\2\0\0\0\0", 12);
}
END_TEST

#define HEAD "\1\0\0\0"
#define OWNER "\1\0\6\0"
#define USER "\2\0\7\0\xfe\xff\xff\xff"
#define GROUP "\4\0\4\0"
#define GROUPS "\x8\0\1\0\5\0\0\0"
#define MASK "\x10\0\7\0"
#define OTHERS "\x20\0\0\0"

static errcode_t acl(const char *value, size_t size, const char *text)
{
	bfo_chars out = { 0 };
	errcode_t err = bfo_acl_text(value, size, &out);

	if (!err)
		want_text(&out, text);
	else
		want_eq(out.n, 0);
	bfo_vec_free(&out);
	return err;
}

START_TEST(lists_become_text)
{
	static const char all[] = HEAD OWNER USER GROUP GROUPS MASK OTHERS;
	static const char few[] = HEAD OWNER GROUP OTHERS;
	size_t len;

	want_ok(acl(all, sizeof(all) - 1, "user::rw-,user:4294967294:rwx:4294967294,group::r--,"
		    "group:5:--x:5,mask::rwx,other::---"));
	want_ok(acl(few, sizeof(few) - 1, "user::rw-,group::r--,other::---"));
	want_ok(acl(HEAD, 4, ""));
	want_err(acl("\2\0\0\0", 4, ""), BFO_ET_DAMAGED);
	want_err(acl(HEAD "\3\0\6\0", 8, ""), BFO_ET_DAMAGED);
	want_err(acl(HEAD "\1\0\x8\0", 8, ""), BFO_ET_DAMAGED);
	for (len = 0; len < sizeof(all) - 1; len++) {		/* cut within an entry or not */
		static const uint8_t ends[] = { 4, 8, 16, 20, 28, 32 };
		char *cut = unit_copy(all, len);
		errcode_t err;
		bfo_chars out = { 0 };

		err = bfo_acl_text(cut, len, &out);
		want_eq(err, memchr(ends, (int) len, sizeof(ends)) ? 0 : BFO_ET_DAMAGED);
		bfo_vec_free(&out);
		free(cut);
	}
}
END_TEST

static const struct {
	uint64_t size;
	struct bfo_part parts[4];
	int has_holes;
	uint64_t bytes;
	const char *text, *unwritten;
} maps[] = {
	{ 0, {{ 0, 0, 0 }}, 0, 0, NULL, "" },
	{ 0, {{ 0, 4096, 1 }}, 0, 0, NULL, "0,4096" },
	{ 100, {{ 0, 4096, 0 }, { 4096, 4096, 1 }}, 0, 100, NULL, "4096,4096" },
	{ 8192, {{ 0, 4096, 0 }, { 4096, 4096, 0 }}, 0, 8192, NULL, "" },
	{ 5, {{ 0, 0, 0 }}, 1, 0, "1\n5\n0\n", "" },
	{ 5000, {{ 4096, 4096, 0 }}, 1, 904, "1\n4096\n904\n", "" },
	{ 9000, {{ 0, 4096, 0 }, { 4096, 4096, 0 }}, 1, 8192, "2\n0\n8192\n9000\n0\n", "" },
	{ 16384, {{ 0, 4096, 1 }, { 4096, 4096, 0 }, { 12288, 8192, 1 }}, 1, 4096,
	  "2\n4096\n4096\n16384\n0\n", "0,4096;12288,8192" },
	{ UINT64_MAX, {{ UINT64_MAX - 9, UINT64_MAX, 0 }}, 1, 9,
	  "1\n18446744073709551606\n9\n", "" },
};

START_TEST(maps_of_holes)
{
	struct bfo_item item = { .attrs = { .size = maps[_i].size }, .parts = maps[_i].parts };
	struct bfo_sparse_map map = { 0 };
	bfo_chars text = { 0 };

	while (item.n_parts < 4 && maps[_i].parts[item.n_parts].len)
		item.n_parts++;
	want_ok(bfo_sparse_map_make(&map, &item, 0, item.attrs.size));
	want_ok(bfo_sparse_map_make(&map, &item, 0, item.attrs.size));	/* what it was is gone */
	want_eq(map.has_holes, maps[_i].has_holes);
	want_eq(map.bytes, maps[_i].bytes);
	if (maps[_i].text) {
		size_t len = strlen(maps[_i].text);

		want_ok(bfo_sparse_map_text(&map, item.attrs.size, &text));
		want_eq(text.n, 512);
		want_mem(text.v, maps[_i].text, len);
		while (len < text.n)
			want_eq(text.v[len++], 0);
	}
	text.n = 0;
	want_ok(bfo_sparse_map_unwritten(&item, &text));
	want_text(&text, maps[_i].unwritten);
	bfo_vec_free(&text);
	bfo_sparse_map_free(&map);
}
END_TEST

Suite *pax_put_suite(void)
{
	Suite *s = suite_create("pax_put");

	unit_case(s, "records_count_their_own_digits", records_count_their_own_digits, 0);
	unit_case(s, "numbers_and_errors", numbers_and_errors, 0);
	unit_case(s, "times_are_the_numbers_that_are_meant", times_are_the_numbers_that_are_meant,
		  sizeof(times) / sizeof(*times));
	unit_case(s, "knows_utf8", knows_utf8, 0);
	unit_case(s, "names_are_parted_where_both_fit", names_are_parted_where_both_fit, 0);
	unit_case(s, "numbers_that_do_not_fit", numbers_that_do_not_fit, 0);
	unit_case(s, "lists_become_text", lists_become_text, 0);
	unit_case(s, "maps_of_holes", maps_of_holes, sizeof(maps) / sizeof(*maps));
	return s;
}
