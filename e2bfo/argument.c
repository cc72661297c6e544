// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * argument.c - what the command lines of all commands have in common
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "argument.h"
#include "e2bfo.h"
#include "size.h"

#define MEMORY_MAX (1ULL << 30)
#define MEMORY_MIN (1ULL << 20)

int argument_complain(const char *command, const char *fmt, ...)
{
	va_list ap;

	fputs("e2bfo: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "; try 'e2bfo %s --help'\n", command);
	return EXIT_USAGE;
}

int argument_size(const char *command, const char *name, const char *text, uint64_t min,
		  uint64_t max, uint64_t *out)
{
	if (!size_parse(text, out) || *out < min || *out > max)
		return argument_complain(command, "--%s %s: no size, or out of range", name, text);
	return -1;
}

int argument_memory(const char *command, const char *text, uint64_t *out)
{
	return argument_size(command, "memory", text, MEMORY_MIN, SIZE_MAX / 2, out);
}

uint64_t argument_memory_default(void)
{
	uint64_t ram = (uint64_t) sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 4;

	return ram < MEMORY_MAX ? ram : MEMORY_MAX;
}

int argument_progress(const char *command, const char *text, enum progress_mode *out)
{
	static const char *const words[] = { "auto", "bar", "none" };
	int i;

	for (i = 0; i < 3; i++)
		if (!strcmp(text, words[i])) {
			*out = i;
			return -1;
		}
	return argument_complain(command, "--progress %s: not auto, bar or none", text);
}
