// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json.c - one JSON object on standard output
 *
 * A writer of its own: it needs no tree in memory, and the escape for bytes that are not UTF-8 is
 * not what JSON libraries do.  (The reader is json_in.c.)
 */
#include <math.h>
#include <string.h>

#include "base/base64.h"
#include "base/text.h"
#include "cli/json.h"

/* How many of N bytes at P stand in a string as they are. */
static size_t plain_length(const unsigned char *p, size_t n)
{
	size_t i = 0;
	int len;

	for (; i < n && p[i] != '"' && p[i] != '\\' && p[i] >= 0x20; i += len) {
		len = bfo_text_utf8(p + i, n - i);
		if (!len)
			break;
	}
	return i;
}

static void put_text(FILE *out, const char *text, size_t len)
{
	const unsigned char *p = (const unsigned char *) text, *end = p + len;
	size_t n;

	putc('"', out);
	for (;; p++) {
		n = plain_length(p, end - p);
		fwrite(p, 1, n, out);
		p += n;
		if (p == end)
			break;
		if (*p == '"' || *p == '\\')
			fprintf(out, "\\%c", *p);
		else
			fprintf(out, *p < 0x20 ? "\\u%04x" : "\\udc%02x", *p);
	}
	putc('"', out);
}

static void put_base64(FILE *out, const unsigned char *p, size_t n)
{
	char digits[BFO_BASE64_DIGITS];
	size_t i;

	putc('"', out);
	for (i = 0; i < n; i += 3) {
		bfo_base64_put(p + i, n - i, digits);
		fwrite(digits, 1, sizeof(digits), out);
	}
	putc('"', out);
}

static void begin(struct json *j, const char *name)
{
	if (j->more)
		fputs(", ", j->out);
	j->more = 1;
	if (name) {
		put_text(j->out, name, strlen(name));
		fputs(": ", j->out);
	}
}

void json_open(struct json *j, const char *name, char bracket)
{
	begin(j, name);
	putc(bracket, j->out);
	j->more = 0;
}

void json_close(struct json *j, char bracket)
{
	putc(bracket, j->out);
	j->more = 1;
}

void json_number(struct json *j, const char *name, uint64_t value)
{
	begin(j, name);
	fprintf(j->out, "%llu", (unsigned long long) value);
}

void json_real(struct json *j, const char *name, double value)
{
	begin(j, name);
	if (isfinite(value))
		fprintf(j->out, "%.6g", value);
	else
		fputs("null", j->out);
}

void json_bool(struct json *j, const char *name, int value)
{
	begin(j, name);
	fputs(value ? "true" : "false", j->out);
}

/* Behind NAME: its key, for what is not UTF-8. */
static void begin_bytes(struct json *j, const char *name)
{
	char key[64];

	snprintf(key, sizeof(key), "%s_bytes", name);
	begin(j, key);
}

void json_bytes(struct json *j, const char *name, const char *text, size_t len)
{
	begin(j, name);
	if (text)
		put_text(j->out, text, len);
	else
		fputs("null", j->out);
	if (!text || !name || bfo_text_is_utf8(text, len))
		return;
	begin_bytes(j, name);
	put_base64(j->out, (const unsigned char *) text, len);
}

void json_strings(struct json *j, const char *name, size_t n,
		  const char *(*get)(void *priv, size_t i, size_t *len), void *priv)
{
	const char *text;
	size_t i, len;
	int odd = 0;

	json_open(j, name, '[');
	for (i = 0; i < n; i++) {
		text = get(priv, i, &len);
		json_bytes(j, NULL, text, len);
		odd |= !bfo_text_is_utf8(text, len);
	}
	json_close(j, ']');
	if (!odd)
		return;
	begin_bytes(j, name);
	j->more = 0;
	putc('[', j->out);
	for (i = 0; i < n; i++) {
		text = get(priv, i, &len);
		begin(j, NULL);
		if (bfo_text_is_utf8(text, len))
			fputs("null", j->out);
		else
			put_base64(j->out, (const unsigned char *) text, len);
	}
	json_close(j, ']');
}

static const char *get_word(void *priv, size_t i, size_t *len)
{
	const char *const *words = priv;

	*len = strlen(words[i]);
	return words[i];
}

void json_words(struct json *j, const char *name, const char *const *words, size_t n)
{
	json_strings(j, name, n, get_word, (void *) words);
}

void json_string(struct json *j, const char *name, const char *text)
{
	json_bytes(j, name, text, text ? strlen(text) : 0);
}
