// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text.c - names from disks, and texts that hold arguments, for terminals
 */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

/* C0 controls and DEL; C1 controls, as two bytes of UTF-8 or as one that is no part of any. */
static int is_control(const unsigned char *text, size_t i, size_t len)
{
	unsigned char c = text[i];

	if (c < 0x20 || c == 0x7f)
		return 1;
	if (c == 0xc2)
		return i + 1 < len && text[i + 1] < 0xa0;
	return c >= 0x80 && c < 0xa0 && (!i || text[i - 1] < 0x80 || text[i - 1] == 0xc2);
}

static const char *put(const char *text, size_t len, int also, char *out, size_t size)
{
	const unsigned char *p = (const unsigned char *) text;
	size_t at = 0, i;

	for (i = 0; i < len && at + 5 <= size; i++) {
		if (p[i] == also || is_control(p, i, len))
			at += snprintf(out + at, size - at, "\\x%02x", p[i]);
		else
			out[at++] = p[i];
	}
	out[at] = 0;
	return out;
}

const char *bfo_text_escape(const char *text, size_t len, char *out, size_t size)
{
	return put(text, len, '\\', out, size);
}

const char *bfo_text_tame(const char *text, size_t len, char *out, size_t size)
{
	return put(text, len, 0, out, size);
}

int bfo_text_utf8(const void *text, size_t len)
{
	const unsigned char *p = text;
	uint32_t c;
	int bytes, i;

	if (p[0] < 0x80)
		return 1;
	bytes = p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;
	if (!bytes || p[0] > 0xf4 || (size_t) bytes > len)
		return 0;
	c = p[0] & (0x7f >> bytes);
	for (i = 1; i < bytes; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if ((bytes == 3 && c < 0x800) || (bytes == 4 && (c < 0x10000 || c > 0x10ffff)) ||
	    (c >= 0xd800 && c < 0xe000))
		return 0;
	return bytes;
}

int bfo_text_is_utf8(const void *text, size_t len)
{
	const char *p = text;
	size_t i;
	int bytes;

	for (i = 0; i < len; i += bytes) {
		bytes = bfo_text_utf8(p + i, len - i);
		if (!bytes)
			return 0;
	}
	return 1;
}

int bfo_text_hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void bfo_text_put_hex(const void *bytes, size_t size, char *out)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *p = bytes;
	size_t i;

	for (i = 0; i < size; i++) {
		out[2 * i] = digits[p[i] >> 4];
		out[2 * i + 1] = digits[p[i] & 15];
	}
}

int bfo_text_get_hex(const char *digits, void *bytes, size_t size)
{
	uint8_t *p = bytes;
	size_t i;

	for (i = 0; i < size; i++) {
		int high = bfo_text_hex(digits[2 * i]), low;

		if (high < 0)
			return 0;
		low = bfo_text_hex(digits[2 * i + 1]);
		if (low < 0)
			return 0;
		p[i] = high << 4 | low;
	}
	return 1;
}

const char *bfo_text_uuid(const void *uuid, char *out)
{
	const uint8_t *u = uuid;
	int i, at = 0;

	for (i = 0; i < 16; i++)
		at += sprintf(out + at, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			      u[i]);
	return out;
}

int bfo_text_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "kmgtpe";
	const char *unit;
	double value;
	char *end;
	int power = 0;

	if (!isdigit((unsigned char) text[0]))
		return 0;
	value = strtod(text, &end);
	if (end != text + strspn(text, "0123456789."))	/* an exponent, hexadecimal digits */
		return 0;
	if (*end) {
		unit = strchr(units, tolower((unsigned char) *end));
		if (!unit || (end[1] && strcasecmp(end + 1, "b") && strcasecmp(end + 1, "ib")))
			return 0;
		power = unit - units + 1;
	}
	value = floor(value * (double) (1ULL << 10 * power));
	if (!(value < 9e18))
		return 0;
	*bytes = (uint64_t) value;
	return 1;
}
