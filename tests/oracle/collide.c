// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * collide: names whose half-MD4 directory hashes are equal.
 *
 *   collide SEED TRIES
 *
 * SEED is the hash seed of a filesystem, written as a UUID. Of TRIES names those are printed
 * that share their hash with another one. In a directory of nothing but such names every
 * second boundary between leaves tends to fall between two equal hashes, which an index has to
 * mark.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <ctype.h>
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2_fs.h>
#include <ext2fs/ext2fs.h>

struct hashed {
	uint32_t hash, number;
};

static void read_seed(const char *text, uint32_t seed[4])
{
	unsigned char byte[16];
	int n = 0;

	for (; *text && n < 16; text++) {
		char pair[3] = { text[0], text[1], 0 };

		if (*text == '-')
			continue;
		if (!isxdigit((unsigned char)pair[0]) || !isxdigit((unsigned char)pair[1]))
			break;
		byte[n++] = strtoul(pair, NULL, 16);
		text++;
	}
	if (*text || n != 16)
		errx(2, "the seed is not a UUID");
	memcpy(seed, byte, 16);
}

static int name_of(uint32_t number, char *name)
{
	return sprintf(name, "name-%u", number);
}

static int compare(const void *a, const void *b)
{
	uint32_t x = ((const struct hashed *)a)->hash, y = ((const struct hashed *)b)->hash;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	uint32_t seed[4], tries, minor;
	struct hashed *list;
	char name[32];

	if (argc != 3)
		errx(2, "usage: collide SEED TRIES");
	read_seed(argv[1], seed);
	tries = strtoul(argv[2], NULL, 10);
	list = calloc(tries, sizeof(*list));
	if (!list)
		err(2, "memory");
	for (uint32_t i = 0; i < tries; i++) {
		list[i].number = i;
		if (ext2fs_dirhash2(EXT2_HASH_HALF_MD4, name, name_of(i, name), NULL, 0, seed,
				    &list[i].hash, &minor))
			errx(2, "hash");
	}
	qsort(list, tries, sizeof(*list), compare);
	for (uint32_t i = 0; i < tries; i++) {
		if ((i && list[i].hash == list[i - 1].hash) ||
		    (i + 1 < tries && list[i].hash == list[i + 1].hash)) {
			name_of(list[i].number, name);
			puts(name);
		}
	}
	free(list);
	return 0;
}
