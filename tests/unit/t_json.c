// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_json.c - cli/json: strings of any bytes; cli/error_word: every code has its name
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2_err.h>

#include "base/bfo_err.h"
#include "cli/error_word.h"
#include "cli/json.h"
#include "unit.h"

static char *written;
static size_t written_bytes;

static struct json begin(void)
{
	return (struct json) { .out = open_memstream(&written, &written_bytes) };
}

static void want_written(struct json *j, const char *expect)
{
	fclose(j->out);
	ck_assert_str_eq(written, expect);
	free(written);
}

static void want_bytes(const char *text, size_t len, const char *expect)
{
	struct json j = begin();

	json_bytes(&j, "k", text, len);
	want_written(&j, expect);
}

START_TEST(utf8_stands_alone)
{
	want_bytes("", 0, "\"k\": \"\"");
	want_bytes("gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80", 11, "\"k\": \"gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80\"");
	want_bytes("a\nb\"\\\0c", 7, "\"k\": \"a\\u000ab\\\"\\\\\\u0000c\"");
	want_bytes(NULL, 0, "\"k\": null");
}
END_TEST

/* base64(1) judges: printf '\377' | base64 and so on. */
START_TEST(other_bytes_come_again)
{
	want_bytes("\xff", 1, "\"k\": \"\\udcff\", \"k_bytes\": \"/w==\"");
	want_bytes("a\xe4", 2, "\"k\": \"a\\udce4\", \"k_bytes\": \"YeQ=\"");
	want_bytes("a\xe4z", 3, "\"k\": \"a\\udce4z\", \"k_bytes\": \"YeR6\"");
	want_bytes("\x00\xfb\xef\xbe", 4, "\"k\": \"\\u0000\\udcfb\\udcef\\udcbe\", \"k_bytes\": \"APvvvg==\"");
	want_bytes("\xed\xb3\xa4", 3, "\"k\": \"\\udced\\udcb3\\udca4\", \"k_bytes\": \"7bOk\"");
}
END_TEST

START_TEST(arrays)
{
	static const char *const plain[] = { "a", "b" }, *const odd[] = { "a", "\xff", "" };
	struct json j = begin();

	json_words(&j, "w", plain, 2);
	json_words(&j, "x", odd, 3);
	json_number(&j, "n", 1);
	want_written(&j, "\"w\": [\"a\", \"b\"], \"x\": [\"a\", \"\\udcff\", \"\"], "
		     "\"x_bytes\": [null, \"/w==\", null], \"n\": 1");
}
END_TEST

START_TEST(codes_have_words)
{
	errcode_t code;

	ck_assert_str_eq(error_word(ENOSPC), "ENOSPC");
	ck_assert_str_eq(error_word(EAGAIN), "EAGAIN");
	ck_assert_str_eq(error_word(EXT2_ET_BAD_MAGIC), "EXT2_ET_BAD_MAGIC");
	ck_assert_str_eq(error_word(BFO_ET_CLASH), "BFO_ET_CLASH");
	for (code = BFO_ET_BASE; code - BFO_ET_BASE < et_bfo_error_table.n_msgs; code++)
		ck_assert_msg(error_word(code), "no word for %s", error_message(code));
	want(!error_word(-1));
	want(!error_word(ERROR_TABLE_BASE_bfo + 255));
}
END_TEST

Suite *json_suite(void)
{
	Suite *s = suite_create("json");

	unit_case(s, "utf8_stands_alone", utf8_stands_alone, 0);
	unit_case(s, "other_bytes_come_again", other_bytes_come_again, 0);
	unit_case(s, "arrays", arrays, 0);
	unit_case(s, "codes_have_words", codes_have_words, 0);
	return s;
}
