// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * crc32c.c - hardware crc32c, with tables for eight bytes at a time as the fallback
 *
 * libext2fs has such tables, too; but what is preloaded into other programs has no libext2fs.
 */
#include <string.h>

#include "base/crc32c.h"
#include "base/disk.h"

#define POLYNOMIAL 0x82f63b78U		/* reflected */

/* table[k][b]: what byte b changes, k bytes before the last one. */
static uint32_t table[8][256];

__attribute__((constructor)) static void make_table(void)
{
	uint32_t b, k, bit;

	for (b = 0; b < 256; b++) {
		table[0][b] = b;
		for (bit = 0; bit < 8; bit++)
			table[0][b] = table[0][b] >> 1 ^ (table[0][b] & 1 ? POLYNOMIAL : 0);
	}
	for (k = 1; k < 8; k++)
		for (b = 0; b < 256; b++)
			table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 0xff];
}

uint32_t bfo_crc32c_by_table(uint32_t crc, const void *data, size_t len)
{
	const uint8_t *p = data;
	uint32_t lo, hi;

	for (; len >= 8; len -= 8, p += 8) {
		lo = crc ^ get_le32(p, 0);
		hi = get_le32(p, 4);
		crc = table[7][lo & 0xff] ^ table[6][lo >> 8 & 0xff] ^
		      table[5][lo >> 16 & 0xff] ^ table[4][lo >> 24] ^
		      table[3][hi & 0xff] ^ table[2][hi >> 8 & 0xff] ^
		      table[1][hi >> 16 & 0xff] ^ table[0][hi >> 24];
	}
	for (; len; len--)
		crc = crc >> 8 ^ table[0][(crc ^ *p++) & 0xff];
	return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2")))
static uint32_t crc32c_hw(uint32_t crc, const uint8_t *p, size_t len)
{
	uint64_t c = crc, word;

	for (; len >= 8; len -= 8, p += 8) {
		memcpy(&word, p, 8);
		c = __builtin_ia32_crc32di(c, word);
	}
	for (; len; len--)
		c = __builtin_ia32_crc32qi(c, *p++);
	return c;
}

static int have_hw(void)
{
	return __builtin_cpu_supports("sse4.2");
}
#else
static uint32_t crc32c_hw(uint32_t crc, const uint8_t *p, size_t len)
{
	return bfo_crc32c_by_table(crc, p, len);
}

static int have_hw(void)
{
	return 0;
}
#endif

uint32_t bfo_crc32c(uint32_t crc, const void *data, size_t len)
{
	if (have_hw())
		return crc32c_hw(crc, data, len);
	return bfo_crc32c_by_table(crc, data, len);
}

uint32_t bfo_crc32c_inode_seed(uint32_t fs_seed, uint32_t ino, uint32_t generation)
{
	uint32_t key[2] = { to_le32(ino), to_le32(generation) };

	return bfo_crc32c(fs_seed, key, sizeof(key));
}
