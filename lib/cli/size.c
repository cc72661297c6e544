// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * size.c - sizes and counts for people
 */
#include <stdio.h>

#include "cli/size.h"

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
