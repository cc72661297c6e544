/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk.h - numbers as ext4 keeps them on the disk: little-endian
 *
 * le16() and le32() give what a field of an on-disk struct means, to_le16() and to_le32() what has
 * to be stored there.  The get_ and put_ functions do so at any byte, aligned or not, for formats
 * without a struct in libext2fs.
 */
#ifndef BFO_BASE_DISK_H
#define BFO_BASE_DISK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#define le16 ext2fs_le16_to_cpu
#define le32 ext2fs_le32_to_cpu
#define to_le16 ext2fs_cpu_to_le16
#define to_le32 ext2fs_cpu_to_le32
#define to_le64 ext2fs_cpu_to_le64

static inline uint16_t get_le16(const void *block, size_t at)
{
	uint16_t v;

	memcpy(&v, (const char *) block + at, sizeof(v));
	return le16(v);
}

static inline uint32_t get_le32(const void *block, size_t at)
{
	uint32_t v;

	memcpy(&v, (const char *) block + at, sizeof(v));
	return le32(v);
}

static inline uint64_t get_le64(const void *block, size_t at)
{
	return get_le32(block, at) | (uint64_t) get_le32(block, at + 4) << 32;
}

static inline void put_le16(void *block, size_t at, uint16_t value)
{
	value = to_le16(value);
	memcpy((char *) block + at, &value, sizeof(value));
}

static inline void put_le32(void *block, size_t at, uint32_t value)
{
	value = to_le32(value);
	memcpy((char *) block + at, &value, sizeof(value));
}

static inline void put_le64(void *block, size_t at, uint64_t value)
{
	put_le32(block, at, value);
	put_le32(block, at + 4, value >> 32);
}

/* A directory entry without its name: the beginning of struct ext2_dir_entry_2. */
struct bfo_disk_dirent {
	uint32_t ino;
	uint16_t rec_len;
	uint8_t name_len, type;
};

_Static_assert(sizeof(struct bfo_disk_dirent) == offsetof(struct ext2_dir_entry_2, name),
	       "as on the disk");

#endif
