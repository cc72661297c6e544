// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_words.c - cli/words: lines into words, as a shell quotes them
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/words.h"
#include "unit.h"

/* The words of LINE, each in brackets; or why there are none. */
static const char *split(const char *line)
{
	static char text[256];
	struct words w = { .v = { 0 } };
	size_t len = strlen(line), i;
	char *copy = unit_copy(line, len);
	const char *why;
	errcode_t err = words_split(&w, copy, len, &why);

	text[0] = 0;
	want(err == (why ? EINVAL : 0));
	for (i = 0; i < w.v.n && !why; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "[%s]", w.v.v[i]);
	if (why)
		snprintf(text, sizeof(text), "%s", why);
	words_free(&w);
	free(copy);
	return text;
}

START_TEST(words_are_apart)
{
	ck_assert_str_eq(split(""), "");
	ck_assert_str_eq(split(" \t "), "");
	ck_assert_str_eq(split("put a /b"), "[put][a][/b]");
	ck_assert_str_eq(split("\tput  a\t/b "), "[put][a][/b]");
	ck_assert_str_eq(split("a\\ b c"), "[a b][c]");
	ck_assert_str_eq(split("gr\xc3\xbc\xc3\x9f \xff"), "[gr\xc3\xbc\xc3\x9f][\xff]");
}
END_TEST

START_TEST(quotes)
{
	ck_assert_str_eq(split("'a b' \"c d\""), "[a b][c d]");
	ck_assert_str_eq(split("'' \"\""), "[][]");
	ck_assert_str_eq(split("a'b'\"c\"d"), "[abcd]");
	ck_assert_str_eq(split("'a\"\\b#'"), "[a\"\\b#]");
	ck_assert_str_eq(split("\"a'\\b\\\"\\\\\\$\\`\""), "[a'\\b\"\\$`]");
	ck_assert_str_eq(split("'it'\\''s'"), "[it's]");
	ck_assert_str_eq(split("\\'\\\"\\#"), "['\"#]");
}
END_TEST

START_TEST(comments)
{
	ck_assert_str_eq(split("# all of it"), "");
	ck_assert_str_eq(split("a # b"), "[a]");
	ck_assert_str_eq(split("a#b #"), "[a#b]");
	ck_assert_str_eq(split("'#' \"#\" \\#"), "[#][#][#]");
}
END_TEST

START_TEST(nothing_is_expanded)
{
	ck_assert_str_eq(split("$HOME * ~ a|b `c` {d,e} !f >g"),
			 "[$HOME][*][~][a|b][`c`][{d,e}][!f][>g]");
}
END_TEST

START_TEST(what_is_not_closed)
{
	ck_assert_str_eq(split("a 'b"), "a ' is not closed");
	ck_assert_str_eq(split("a \"b'"), "a \" is not closed");
	ck_assert_str_eq(split("\"b\\"), "a \" is not closed");
	ck_assert_str_eq(split("\"b\\\""), "a \" is not closed");
	ck_assert_str_eq(split("b\\"), "nothing stands behind the \\ at its end");
}
END_TEST

/* Many lines by one splitter: what each word points to is of the line at hand. */
START_TEST(lines_follow_each_other)
{
	struct words w = { .v = { 0 } };
	char line[4096];
	const char *why;
	size_t i, n;

	for (n = 1; n < sizeof(line) / 2; n += 97) {
		for (i = 0; i < n; i++) {
			line[2 * i] = 'a' + i % 26;
			line[2 * i + 1] = ' ';
		}
		want_ok(words_split(&w, line, 2 * n, &why));
		want_eq(w.v.n, n);
		for (i = 0; i < n; i++)
			want(w.v.v[i][0] == (char) ('a' + i % 26) && !w.v.v[i][1]);
	}
	words_free(&w);
}
END_TEST

Suite *words_suite(void)
{
	Suite *s = suite_create("words");

	unit_case(s, "words_are_apart", words_are_apart, 0);
	unit_case(s, "quotes", quotes, 0);
	unit_case(s, "comments", comments, 0);
	unit_case(s, "nothing_is_expanded", nothing_is_expanded, 0);
	unit_case(s, "what_is_not_closed", what_is_not_closed, 0);
	unit_case(s, "lines_follow_each_other", lines_follow_each_other, 0);
	return s;
}
