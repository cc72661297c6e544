// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_json_in.c - cli/json_in: JSON that is right, and JSON that is not
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "cli/json_in.h"
#include "unit.h"

/* Kinds and bytes of value I and what is in it: a letter for each kind, brackets. */
static void show(const struct json_in *j, size_t i, char *out, size_t size)
{
	const struct json_value *v = &j->v.v[i];
	size_t k;

	if (v->name)
		snprintf(out + strlen(out), size - strlen(out), "%s=", v->name);
	if (v->kind == JSON_ARRAY || v->kind == JSON_OBJECT) {
		strcat(out, v->kind == JSON_ARRAY ? "[" : "{");
		for (k = i + 1; k < v->end; k = j->v.v[k].end)
			show(j, k, out, size);
		strcat(out, v->kind == JSON_ARRAY ? "]" : "}");
		return;
	}
	snprintf(out + strlen(out), size - strlen(out), "%c%s,", "nftd'"[v->kind],
		 v->text ? v->text : "");
}

static const char *read_as(const char *text, size_t len)
{
	static char out[512];
	struct json_in j = { .v = { 0 } };
	char *copy = unit_copy(text, len);
	const char *why;
	size_t at;
	errcode_t err = json_read(&j, copy, len, &why, &at);

	out[0] = 0;
	want(err == (why ? EINVAL : 0) && at <= len);
	if (why)
		snprintf(out, sizeof(out), "%zu: %s", at, why);
	else
		show(&j, 0, out, sizeof(out));
	json_in_free(&j);
	free(copy);
	return out;
}

static const char *read_text(const char *text)
{
	return read_as(text, strlen(text));
}

START_TEST(values)
{
	ck_assert_str_eq(read_text("null"), "n,");
	ck_assert_str_eq(read_text(" [ true , false,null ] "), "[t,f,n,]");
	ck_assert_str_eq(read_text("{\"a\":[1,\"x\"],\"b\":true}"), "{a=[d1,'x,]b=t,}");
	ck_assert_str_eq(read_text("{}"), "{}");
	ck_assert_str_eq(read_text("[]"), "[]");
	ck_assert_str_eq(read_text("[0,-0,10,-1.5,1e9,1E+9,2.25e-3]"),
			 "[d0,d-0,d10,d-1.5,d1e9,d1E+9,d2.25e-3,]");
	ck_assert_str_eq(read_text("[[[[[[[[]]]]]]]]"), "[[[[[[[[]]]]]]]]");
}
END_TEST

START_TEST(strings)
{
	ck_assert_str_eq(read_text("\"\""), "',");
	ck_assert_str_eq(read_text("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), "'\"\\/\b\f\n\r\t,");
	ck_assert_str_eq(read_text("\"gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80\""),
			 "'gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80,");
	ck_assert_str_eq(read_text("\"\\u0041\\u00fc\\u20ac\\ud83d\\ude00\""),
			 "'A\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80,");
	ck_assert_str_eq(read_text("\"\\udcff\\udc80x\\uDCE4\""), "'\xff\x80x\xe4,");
}
END_TEST

START_TEST(what_is_wrong)
{
	static const char *const wrong[] = {
		"", " ", "{", "[", "[1", "[1,", "[1,]", "[,1]", "{\"a\"", "{\"a\":", "{\"a\":1",
		"{\"a\":1,", "{\"a\":1,}", "{a:1}", "{1:1}", "{\"a\" 1}", "nul", "TRUE", "+1", "01", "1.",
		".5", "-", "1e", "1e+", "'a'", "\"a", "\"\\", "\"\\x41\"", "\"\\u12\"", "\"\\u12g4\"",
		"\"\\ud83d\"", "\"\\ud83dx\"", "\"\\ud83d\\n\"", "\"\\ud83d\\u0041\"", "\"\\udc00\"",
		"\"\\udd00\"", "\"\t\"", "\"\x01\"", "\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"",
		"1 2", "{} {}", "[1 2]", "{\"a\":1,\"a\":2}", "{\"\\u0000\":1}", "[[[[[[[[[]]]]]]]]]",
		"NaN", "Infinity", "// x", "\xef\xbb\xbf{}",
	};
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		ck_assert_msg(strchr("0123456789", *read_text(wrong[i])) != NULL, "read: %s", wrong[i]);
	ck_assert_str_eq(read_as("[\0]", 3), "1: no value");
	ck_assert_str_eq(read_text("[1,2}"), "4: no ',' or ']'");
}
END_TEST

START_TEST(members_are_few)
{
	char text[2048] = "{";
	int i;

	for (i = 0; i < JSON_MEMBERS; i++)
		sprintf(text + strlen(text), "\"%d\":[],", i);
	text[strlen(text) - 1] = '}';
	want(*read_text(text) == '{');
	text[strlen(text) - 1] = ',';
	strcat(text, "\"x\":1}");
	want(strstr(read_text(text), ": too many members"));
}
END_TEST

/* What json.c writes is read back, whatever bytes it is. */
START_TEST(any_bytes_there_and_back)
{
	struct json_in in = { .v = { 0 } };
	struct chance c;
	unsigned char bytes[64];
	size_t written, at, len;
	const char *why;
	char *text;
	int i;

	chance_init(&c, 1);
	for (i = 0; i < 20000; i++) {
		struct json j = { .out = open_memstream(&text, &written) };

		len = chance_below(&c, sizeof(bytes));
		chance_fill(&c, bytes, len);
		json_open(&j, NULL, '{');
		json_bytes(&j, "k", (char *) bytes, len);
		json_close(&j, '}');
		fclose(j.out);
		want_ok(json_read(&in, text, written, &why, &at));
		want_eq(in.v.v[1].len, len);
		want_mem(in.v.v[1].text, bytes, len);
		free(text);
	}
	json_in_free(&in);
}
END_TEST

Suite *json_in_suite(void)
{
	Suite *s = suite_create("json_in");

	unit_case(s, "values", values, 0);
	unit_case(s, "strings", strings, 0);
	unit_case(s, "what_is_wrong", what_is_wrong, 0);
	unit_case(s, "members_are_few", members_are_few, 0);
	unit_case(s, "any_bytes_there_and_back", any_bytes_there_and_back, 0);
	return s;
}
