// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json.c - one JSON object on standard output
 *
 * A writer of its own because nothing is ever read: it needs no tree in memory, and the escape
 * for bytes that are not UTF-8 is not what JSON libraries do.
 */
#include <math.h>
#include <string.h>

#include "cli/json.h"

/* Length of the valid UTF-8 sequence at P (of at most N bytes), 0 if there is none. */
static int utf8_length(const unsigned char *p, size_t n)
{
	uint32_t c;
	int len, i;

	if (p[0] < 0x80)
		return 1;
	len = p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;
	if (!len || p[0] > 0xf4 || (size_t) len > n)
		return 0;
	c = p[0] & (0x7f >> len);
	for (i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if ((len == 3 && c < 0x800) || (len == 4 && (c < 0x10000 || c > 0x10ffff)) ||
	    (c >= 0xd800 && c < 0xe000))
		return 0;
	return len;
}

/* How many of N bytes at P stand in a string as they are. */
static size_t plain_length(const unsigned char *p, size_t n)
{
	size_t i = 0;
	int len;

	for (; i < n && p[i] != '"' && p[i] != '\\' && p[i] >= 0x20; i += len) {
		len = utf8_length(p + i, n - i);
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

void json_bytes(struct json *j, const char *name, const char *text, size_t len)
{
	begin(j, name);
	if (text)
		put_text(j->out, text, len);
	else
		fputs("null", j->out);
}

void json_string(struct json *j, const char *name, const char *text)
{
	json_bytes(j, name, text, text ? strlen(text) : 0);
}
