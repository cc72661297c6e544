// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json_in.c - one JSON text, read strictly
 *
 * Functions return 0 to stop; then `why` or `err` is set.  Decoded strings and numbers, with their
 * NULs, take no more bytes than they have in the text, where quotes or a delimiter belong to each;
 * but a number may end it.
 */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "cli/json_in.h"

#define HIGH 0xd800U		/* first halves of pairs begin here, */
#define LOW 0xdc00U		/* second ones here, */
#define BYTES 0xdc80U		/* those that are a byte here, */
#define BYTES_END 0xdd00U	/* and no longer here */
#define PAIRS_END 0xe000U

struct reader {
	struct json_in *j;
	const char *begin, *at, *end;
	char *out;
	const char *why;
	errcode_t err;
	int depth;
};

static int refuse(struct reader *r, const char *why)
{
	r->why = why;
	r->err = EINVAL;
	return 0;
}

static void skip_blanks(struct reader *r)
{
	while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
		r->at++;
}

/* True if C comes next, behind blanks; it is taken. */
static int take(struct reader *r, char c)
{
	skip_blanks(r);
	if (r->at == r->end || *r->at != c)
		return 0;
	r->at++;
	return 1;
}

/* ---- strings ---- */

static void put_utf8(struct reader *r, uint32_t c)
{
	if (c < 0x80) {
		*r->out++ = c;
		return;
	}
	if (c < 0x800) {
		*r->out++ = 0xc0 | c >> 6;
	} else {
		if (c < 0x10000) {
			*r->out++ = 0xe0 | c >> 12;
		} else {
			*r->out++ = 0xf0 | c >> 18;
			*r->out++ = 0x80 | (c >> 12 & 0x3f);
		}
		*r->out++ = 0x80 | (c >> 6 & 0x3f);
	}
	*r->out++ = 0x80 | (c & 0x3f);
}

/* The four digits at r->at. */
static int take_digits(struct reader *r, uint32_t *c)
{
	uint8_t bytes[2];

	if (r->end - r->at < 4 || !bfo_text_get_hex(r->at, bytes, sizeof(bytes)))
		return refuse(r, "\\u without four hexadecimal digits");
	r->at += 4;
	*c = bytes[0] << 8 | bytes[1];
	return 1;
}

/* Behind "\u". */
static int take_unicode(struct reader *r)
{
	uint32_t c, low;

	if (!take_digits(r, &c))
		return 0;
	if (c >= BYTES && c < BYTES_END) {
		*r->out++ = c - LOW;
		return 1;
	}
	if (c >= HIGH && c < LOW && r->end - r->at > 2 && r->at[0] == '\\' && r->at[1] == 'u') {
		r->at += 2;
		if (!take_digits(r, &low))
			return 0;
		if (low < LOW || low >= PAIRS_END)
			return refuse(r, "half of a pair");
		c = 0x10000 + ((c - HIGH) << 10 | (low - LOW));
	} else if (c >= HIGH && c < PAIRS_END) {
		return refuse(r, "half of a pair");
	}
	put_utf8(r, c);
	return 1;
}

/* Behind a backslash. */
static int take_escape(struct reader *r)
{
	static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
	const char *found;
	char c;

	if (r->at == r->end)
		return refuse(r, "a string is not closed");
	c = *r->at++;
	if (c == 'u')
		return take_unicode(r);
	found = c ? strchr(names, c) : NULL;
	if (!found)
		return refuse(r, "no such escape");
	*r->out++ = means[found - names];
	return 1;
}

/* Behind a quote: all up to the next one. */
static int take_text(struct reader *r, const char **text, size_t *len)
{
	int n;

	*text = r->out;
	while (r->at < r->end && *r->at != '"') {
		if (*r->at == '\\') {
			r->at++;
			if (!take_escape(r))
				return 0;
			continue;
		}
		n = bfo_text_utf8(r->at, r->end - r->at);
		if ((unsigned char) *r->at < 0x20)
			return refuse(r, "a control character in a string");
		if (!n)
			return refuse(r, "no UTF-8");
		memcpy(r->out, r->at, n);
		r->out += n;
		r->at += n;
	}
	if (r->at == r->end)
		return refuse(r, "a string is not closed");
	r->at++;
	*len = r->out - *text;
	*r->out++ = 0;
	return 1;
}

/* ---- numbers and words ---- */

static size_t count_digits(const char *at, const char *end)
{
	size_t n = 0;

	while (at + n < end && at[n] >= '0' && at[n] <= '9')
		n++;
	return n;
}

/* The bytes of the number at AT, or 0. */
static size_t measure_number(const char *at, const char *end)
{
	const char *p = at;
	size_t n;

	p += p < end && *p == '-';
	n = count_digits(p, end);
	if (!n || (n > 1 && *p == '0'))
		return 0;
	p += n;
	if (p < end && *p == '.') {
		n = count_digits(p + 1, end);
		if (!n)
			return 0;
		p += 1 + n;
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		p++;
		p += p < end && (*p == '+' || *p == '-');
		n = count_digits(p, end);
		if (!n)
			return 0;
		p += n;
	}
	return p - at;
}

static int take_number(struct reader *r, struct json_value *value)
{
	size_t n = measure_number(r->at, r->end);

	if (!n)
		return refuse(r, "no value");
	value->kind = JSON_NUMBER;
	value->text = r->out;
	value->len = n;
	memcpy(r->out, r->at, n);
	r->out[n] = 0;
	r->out += n + 1;
	r->at += n;
	return 1;
}

static int take_word(struct reader *r, struct json_value *value)
{
	static const struct {
		const char *word;
		enum json_kind kind;
	} words[] = {
		{ "null", JSON_NULL }, { "false", JSON_FALSE }, { "true", JSON_TRUE },
	};
	size_t i, n;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		n = strlen(words[i].word);
		if ((size_t) (r->end - r->at) >= n && !memcmp(r->at, words[i].word, n)) {
			value->kind = words[i].kind;
			r->at += n;
			return 1;
		}
	}
	return take_number(r, value);
}

/* ---- values ---- */

static int take_value(struct reader *r, const char *name);

/* NAME is to be another member of the object at index I. */
static int check_name(struct reader *r, size_t i, const char *name, size_t len)
{
	const struct json_in *j = r->j;
	size_t k, n = 0;

	if (strlen(name) != len)
		return refuse(r, "a name with a zero byte");
	for (k = i + 1; k < j->v.n; k = j->v.v[k].end, n++)
		if (!strcmp(j->v.v[k].name, name))
			return refuse(r, "a member of this name was there before");
	return n < JSON_MEMBERS ? 1 : refuse(r, "too many members");
}

static int take_member(struct reader *r, size_t object)
{
	const char *name;
	size_t len;

	if (!take(r, '"'))
		return refuse(r, "no name of a member");
	if (!take_text(r, &name, &len) || !check_name(r, object, name, len))
		return 0;
	return take(r, ':') ? take_value(r, name) : refuse(r, "no ':' behind a name");
}

/* Behind the bracket of value I. */
static int take_inside(struct reader *r, size_t i, char close)
{
	int is_object = close == '}';

	if (take(r, close))
		return 1;
	do {
		if (!(is_object ? take_member(r, i) : take_value(r, NULL)))
			return 0;
	} while (take(r, ','));
	return take(r, close) ? 1 : refuse(r, is_object ? "no ',' or '}'" : "no ',' or ']'");
}

static int take_bracket(struct reader *r, size_t i, char open)
{
	int done;

	r->at++;
	if (r->depth == JSON_DEPTH)
		return refuse(r, "too deep");
	r->depth++;
	r->j->v.v[i].kind = open == '{' ? JSON_OBJECT : JSON_ARRAY;
	done = take_inside(r, i, open == '{' ? '}' : ']');
	r->depth--;
	return done;
}

static int take_value(struct reader *r, const char *name)
{
	struct json_value value = { .name = name };
	size_t i = r->j->v.n;
	int done;
	char c;

	r->err = bfo_vec_push(&r->j->v, value);
	if (r->err)
		return 0;
	skip_blanks(r);
	c = r->at < r->end ? *r->at : 0;
	if (c == '{' || c == '[') {
		done = take_bracket(r, i, c);
	} else {
		if (c == '"') {
			value.kind = JSON_STRING;
			r->at++;
			done = take_text(r, &value.text, &value.len);
		} else {
			done = take_word(r, &value);
		}
		r->j->v.v[i] = value;
	}
	r->j->v.v[i].end = r->j->v.n;
	return done;
}

errcode_t json_read(struct json_in *j, const char *text, size_t len, const char **why, size_t *at)
{
	struct reader r = { .j = j, .begin = text, .at = text, .end = text + len };

	j->v.n = 0;
	j->text.n = 0;
	r.err = bfo_vec_reserve(&j->text, len + 1);
	r.out = j->text.v;
	if (!r.err && take_value(&r, NULL)) {
		skip_blanks(&r);
		if (r.at < r.end)
			refuse(&r, "something stands behind its end");
	}
	*why = r.why;
	*at = r.at - r.begin;
	return r.err;
}

void json_in_free(struct json_in *j)
{
	bfo_vec_free(&j->v);
	bfo_vec_free(&j->text);
}
