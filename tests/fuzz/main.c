// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - runs a target on files, without an engine: TARGET FILE...
 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

#define MOST (1U << 20)		/* bytes of a file that are looked at */

/* (A file of its own for each, so that tools see what is read behind the end.) */
static int run_file(const char *path, uint8_t *buffer)
{
	FILE *f = fopen(path, "r");
	uint8_t *data;
	size_t size;

	if (!f)
		return 0;
	size = fread(buffer, 1, MOST, f);
	fclose(f);
	data = malloc(size + !size);
	if (!data)
		return 0;
	for (size_t i = 0; i < size; i++)
		data[i] = buffer[i];
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 1;
}

int main(int argc, char **argv)
{
	uint8_t *buffer = malloc(MOST);
	int i;

	LLVMFuzzerInitialize(&argc, &argv);
	for (i = 1; buffer && i < argc; i++)
		if (!run_file(argv[i], buffer))
			fuzz_fail("%s cannot be read", argv[i]);
	free(buffer);
	return !buffer || argc < 2;
}
