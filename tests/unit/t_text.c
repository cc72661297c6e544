// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_text.c - base/text: nothing that a terminal obeys comes through, what is readable does
 */
#include <string.h>

#include "base/text.h"
#include "unit.h"

static void want_escape(const char *text, const char *expect)
{
	char out[256];

	ck_assert_str_eq(bfo_text_escape(text, strlen(text), out, sizeof(out)), expect);
}

START_TEST(keeps_what_is_readable)
{
	want_escape("", "");
	want_escape("plain name.txt", "plain name.txt");
	want_escape("gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f");
	want_escape("\xe2\x82\xac", "\xe2\x82\xac");
	want_escape("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80");
}
END_TEST

START_TEST(escapes_controls)
{
	want_escape("a\033[31mb", "a\\x1b[31mb");
	want_escape("\n\r\t\x7f", "\\x0a\\x0d\\x09\\x7f");
	want_escape("back\\slash", "back\\x5cslash");
	want_escape("\x9b" "31m", "\\x9b31m");
	want_escape("\xc2\x9b" "31m", "\\xc2\\x9b31m");
}
END_TEST

/* A message: what is escaped already stays what it is. */
START_TEST(tames_messages)
{
	const char text[] = "/a\033b\n is not /c\\x0ad";
	char out[64];

	ck_assert_str_eq(bfo_text_tame(text, strlen(text), out, sizeof(out)),
			 "/a\\x1bb\\x0a is not /c\\x0ad");
}
END_TEST

START_TEST(knows_utf8)
{
	static const struct {
		const char *text;
		size_t len;
		int is;
	} rows[] = {
		{ "", 0, 1 }, { "a", 1, 1 }, { "\xc3\xbc", 2, 1 }, { "\xef\xbf\xbf", 3, 1 },
		{ "\xf4\x8f\xbf\xbf", 4, 1 }, { "\xc3", 1, 0 }, { "\xc0\xaf", 2, 0 },
		{ "\xe0\x80\xaf", 3, 0 }, { "\xe0\x9f\xbf", 3, 0 }, { "\xe0\xa0\x80", 3, 1 },
		{ "\xed\xa0\x80", 3, 0 }, { "\xf4\x90\x80\x80", 4, 0 }, { "\xff", 1, 0 },
		{ "\xc3(", 2, 0 }, { "\xf0\x80\x80\xaf", 4, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		want_eq(bfo_text_is_utf8(rows[i].text, rows[i].len), rows[i].is);
}
END_TEST

START_TEST(knows_hexadecimal_digits)
{
	uint8_t bytes[2];
	char text[5] = "";

	bfo_text_put_hex("\x0f\xa9", 2, text);
	ck_assert_str_eq(text, "0fa9");
	want(bfo_text_get_hex("fF0a", bytes, 2));
	want_mem(bytes, "\xff\x0a", 2);
	want(!bfo_text_get_hex("f", bytes, 1));
	want(!bfo_text_get_hex("fg", bytes, 1));
	want(!bfo_text_get_hex("/0", bytes, 1));
	want(!bfo_text_get_hex("@0", bytes, 1));
}
END_TEST

static int is_obeyed(const char *out, size_t i)
{
	unsigned char c = out[i], next = out[i + 1];

	return c < 0x20 || c == 0x7f || (c == 0xc2 && next >= 0x80 && next < 0xa0);
}

/* Whatever the bytes and the room: a string, inside its room, without controls. */
START_TEST(fits)
{
	char text[64], out[64];
	struct chance c;
	size_t len, size, i;
	int round;

	chance_init(&c, 500);
	for (round = 0; round < 20000; round++) {
		len = chance_below(&c, sizeof(text));
		size = chance_between(&c, 1, sizeof(out) - 1);
		chance_fill(&c, text, len);
		memset(out, 0x5a, sizeof(out));
		want(bfo_text_escape(text, len, out, size) == out);
		want(memchr(out, 0, size));
		want(out[size] == 0x5a);
		for (i = 0; out[i]; i++)
			want(!is_obeyed(out, i));
	}
}
END_TEST

Suite *text_suite(void)
{
	Suite *s = suite_create("text");

	unit_case(s, "keeps_what_is_readable", keeps_what_is_readable, 0);
	unit_case(s, "escapes_controls", escapes_controls, 0);
	unit_case(s, "tames_messages", tames_messages, 0);
	unit_case(s, "knows_utf8", knows_utf8, 0);
	unit_case(s, "knows_hexadecimal_digits", knows_hexadecimal_digits, 0);
	unit_case(s, "fits", fits, 0);
	return s;
}
