// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vis.c - names as vis(3) and mtree(5) write them
 *
 * libarchive writes three octal digits only; mtree-netbsd writes "\s" for a blank, "\M-i" for 0xe9,
 * and a backslash in front of what would mean something.
 */
#include <ctype.h>
#include <string.h>

#include "intake/vis.h"

static int octal(const char **at, const char *end)
{
	int value = 0, digits;

	for (digits = 0; digits < 3 && *at < end && **at >= '0' && **at <= '7'; digits++)
		value = value * 8 + *(*at)++ - '0';
	return value <= 0xff ? value : -1;
}

static int control(const char **at, const char *end)
{
	unsigned char c;

	if (*at == end)
		return -1;
	c = *(*at)++;
	return c == '?' ? 0x7f : c & 0x1f;
}

/* Behind "\M". */
static int meta(const char **at, const char *end)
{
	int c = -1;

	if (end - *at < 2)
		return -1;
	switch (*(*at)++) {
	case '-':
		c = (unsigned char) *(*at)++;
		break;
	case '^':
		c = control(at, end);
		break;
	}
	return c < 0 ? -1 : c | 0x80;
}

int bfo_vis_next(const char **at, const char *end)
{
	static const char letters[] = "abfnrstvE", bytes[] = "\a\b\f\n\r \t\v\033";
	unsigned char c = *(*at)++;
	const char *letter;

	if (c != '\\')
		return c;
	if (*at == end)
		return -1;
	if (**at >= '0' && **at <= '7')
		return octal(at, end);
	c = *(*at)++;
	if (c == 'M')
		return meta(at, end);
	if (c == '^')
		return control(at, end);
	letter = c ? strchr(letters, c) : NULL;
	if (letter)
		return bytes[letter - letters];
	return isalnum(c) ? -1 : c;
}
