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
