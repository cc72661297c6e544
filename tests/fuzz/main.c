// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - runs a target on files, without an engine: TARGET FILE...
 *
 * TARGET -r COUNT FILE...: on so many mutations of them, always the same ones.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

#define MOST (1U << 20)		/* bytes of a file that are looked at */

/* (Memory of its own for each, so that tools see what is read behind the end.) */
static void run_bytes(const uint8_t *bytes, size_t size)
{
	uint8_t *data = malloc(size + !size);

	if (!data)
		fuzz_fail("no memory");
	memcpy(data, bytes, size);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
}

static size_t read_file(const char *path, uint8_t *buffer)
{
	FILE *f = fopen(path, "r");
	size_t size;

	if (!f)
		fuzz_fail("%s cannot be read", path);
	size = fread(buffer, 1, MOST, f);
	fclose(f);
	return size;
}

/* ---- mutations ---- */

static uint64_t state = 1;

static uint32_t draw(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return below ? (state >> 16) % below : 0;
}

/* A number that makes a difference, in 1 to 8 bytes. */
static void put_value(uint8_t *at, size_t room)
{
	static const uint64_t values[] = { 0, 1, 2, 4, 8, 16, 255, 256, 4095, 4096, 4097, 65535,
					   65536, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX };
	uint64_t value = draw(2) ? values[draw(sizeof(values) / sizeof(*values))]
				 : draw(UINT32_MAX);
	size_t n = 1U << draw(4), i;

	for (i = 0; i < n && i < room; i++)
		at[i] = value >> 8 * i;
}

/* One piece of it is changed, doubled, dropped, or written over another. */
static size_t mutate(uint8_t *data, size_t size)
{
	size_t from = draw(size), to = draw(size);
	size_t most = size - (from > to ? from : to), n = 1 + draw(most < 64 ? most : 64);

	if (!size)
		return 0;
	n = n < most ? n : most;
	switch (draw(8)) {
	case 0:
		memmove(data + to, data + from, n);
		return size;
	case 1:
		memmove(data + from, data + from + n, size - from - n);
		return size - n;
	case 2:
		if (size + n > MOST)
			return size;
		memmove(data + from + n, data + from, size - from);
		return size + n;
	case 3:
	case 4:
		data[from] ^= 1U << draw(8);
		return size;
	default:
		put_value(data + from, size - from);
		return size;
	}
}

static void run_mutations(unsigned long count, char **files, int n, uint8_t *buffer)
{
	unsigned long i;

	for (i = 0; i < count; i++) {
		size_t size = read_file(files[i % n], buffer);
		uint32_t k = 1 + draw(4);

		while (k--)
			size = mutate(buffer, size);
		run_bytes(buffer, size);
	}
	dprintf(STDERR_FILENO, "%lu mutations of %d files\n", count, n);
}

int main(int argc, char **argv)
{
	int mutates = argc > 3 && !strcmp(argv[1], "-r"), i;
	uint8_t *buffer = malloc(MOST);

	LLVMFuzzerInitialize(&argc, &argv);
	if (buffer && mutates)
		run_mutations(strtoul(argv[2], NULL, 10), argv + 3, argc - 3, buffer);
	for (i = 1; buffer && !mutates && i < argc; i++)
		run_bytes(buffer, read_file(argv[i], buffer));
	free(buffer);
	return !buffer || argc < 2;
}
