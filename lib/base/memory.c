// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * memory.c - what the system has of it
 */
#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"

#define MEMORY_MAX (1ULL << 30)

uint64_t bfo_spare_memory(const struct bfo_context *ctx)
{
	unsigned long long kilobytes = 0;
	char line[128];
	FILE *f;

	if (ctx->spare_memory)
		return ctx->spare_memory;
	f = fopen("/proc/meminfo", "re");
	while (f && fgets(line, sizeof(line), f) &&
	       sscanf(line, "MemAvailable: %llu", &kilobytes) != 1)
		;
	if (f)
		fclose(f);
	return kilobytes * 1024;
}

uint64_t bfo_default_memory(void)
{
	uint64_t ram = (uint64_t) sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 4;

	return ram < MEMORY_MAX ? ram : MEMORY_MAX;
}
