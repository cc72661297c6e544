/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crc32c.h - the checksum of ext4 metadata, by the processor's own instruction where it has one
 *
 * Same convention as ext2fs_crc32c_le(): no inversion before or after (Castagnoli polynomial,
 * reflected; kernel Documentation/filesystems/ext4/checksums.rst).
 */
#ifndef BFO_BASE_CRC32C_H
#define BFO_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continues CRC over LEN bytes. */
uint32_t bfo_crc32c(uint32_t crc, const void *data, size_t len);

/* The same without that instruction: what other processors do. */
uint32_t bfo_crc32c_by_table(uint32_t crc, const void *data, size_t len);

/* The seed of everything that belongs to one inode: (filesystem seed, number, generation). */
uint32_t bfo_crc32c_inode_seed(uint32_t fs_seed, uint32_t ino, uint32_t generation);

#endif
