// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * name_set.c - sets of names
 *
 * A file of its own: it needs the directory hash of libext2fs, and readers of trees do not.
 */
#include <ext2fs/ext2fs.h>

#include "itree/format.h"

uint64_t itree_name_digest(uint32_t ino, const char *name, uint32_t len)
{
	uint32_t seed[4] = { 0x67452301 ^ ino, 0xefcdab89, 0x98badcfe, 0x10325476 };
	ext2_dirhash_t hash = 0, minor = 0;

	ext2fs_dirhash2(EXT2_HASH_HALF_MD4_UNSIGNED, name, len, NULL, 0, seed, &hash, &minor);
	return (uint64_t) hash << 32 | minor;
}
