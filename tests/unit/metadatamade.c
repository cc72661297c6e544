// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * metadatamade.c - texts of metadata, made up
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/crc32c.h"
#include "metadatamade.h"
#include "unit.h"

char *metadata_whole(const char *body)
{
	size_t len = sizeof(HEAD) - 1 + strlen(body), lines = 0, i;
	char *text = unit_alloc(len + 64);

	strcat(strcpy(text, HEAD), body);
	for (i = 0; i < len; i++)
		lines += text[i] == '\n';
	sprintf(text + len, "end %zu %08x\n", lines, ~bfo_crc32c(UINT32_MAX, text, len));
	return text;
}
