// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * legacyties: names that have one place in directories with the hash "legacy", which has no minor
 *
 *   legacyties LENGTH TRIES
 *
 * Prints those of TRIES names of LENGTH characters that share their hash with another one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

struct hashed {
	uint32_t hash, number;
};

static int compare(const void *pa, const void *pb)
{
	const struct hashed *a = pa, *b = pb;

	return (a->hash > b->hash) - (a->hash < b->hash);
}

int main(int argc, char **argv)
{
	int length = argc == 3 ? atoi(argv[1]) : 0;
	uint32_t tries = argc == 3 ? strtoul(argv[2], NULL, 10) : 0, i;
	struct hashed *v = calloc(tries + 1, sizeof(*v));
	ext2_dirhash_t minor;
	char name[256];

	if (!v || length < 8 || length > 255)
		return 2;
	for (i = 0; i < tries; i++) {
		snprintf(name, sizeof(name), "%0*u", length, i * 2654435761U);
		v[i].number = i;
		ext2fs_dirhash2(EXT2_HASH_LEGACY_UNSIGNED, name, length, NULL, 0, NULL, &v[i].hash,
				&minor);
	}
	qsort(v, tries, sizeof(*v), compare);
	for (i = 0; i < tries; i++)
		if ((i && v[i - 1].hash == v[i].hash) ||
		    (i + 1 < tries && v[i + 1].hash == v[i].hash))
			printf("%0*u\n", length, v[i].number * 2654435761U);
	return 0;
}
