// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compress.c - how a stream is compressed
 */
#include <stdlib.h>
#include <string.h>

#include "export/packed.h"
#include "job/compress.h"

#define MOST 19

int bfo_compress_read(const char *text, int *level, int *is_auto)
{
	char *end;
	long n;

	*is_auto = !strcmp(text, "auto");
	*level = !strcmp(text, "none") ? BFO_PACKED_NONE : !strcmp(text, "fast") ? -1 : 1;
	if (*is_auto || *level != 1)
		return 1;
	n = strtol(text, &end, 10);
	*level = n;
	return *text >= '1' && *text <= '9' && !*end && n <= MOST;
}
