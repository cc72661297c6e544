// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * size.c - sizes and counts as people write and read them
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/size.h"

int size_parse(const char *text, uint64_t *bytes)
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

const char *size_text(uint64_t bytes, char *out, size_t size)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB" };
	double value = bytes;
	int u = 0;

	while (value >= 1024 && u < 5) {
		value /= 1024;
		u++;
	}
	snprintf(out, size, u ? "%.1f %s" : "%.0f %s", value, units[u]);
	return out;
}

const char *count_text(uint64_t files, uint64_t dirs, char *out, size_t size)
{
	snprintf(out, size, "%llu file%s and %llu director%s", (unsigned long long) files,
		 files == 1 ? "" : "s", (unsigned long long) dirs, dirs == 1 ? "y" : "ies");
	return out;
}
