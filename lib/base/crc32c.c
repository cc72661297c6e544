// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * crc32c.c - hardware crc32c with libext2fs's table version as the fallback
 */
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "base/crc32c.h"

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
	return ext2fs_crc32c_le(crc, p, len);
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
	return ext2fs_crc32c_le(crc, data, len);
}

uint32_t bfo_crc32c_inode_seed(uint32_t fs_seed, uint32_t ino, uint32_t generation)
{
	uint32_t key[2] = { ext2fs_cpu_to_le32(ino), ext2fs_cpu_to_le32(generation) };

	return bfo_crc32c(fs_seed, key, sizeof(key));
}
