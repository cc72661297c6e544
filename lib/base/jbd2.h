/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jbd2.h - the format of the journal
 *
 * A journal is an array of blocks of the filesystem's size: the blocks of an inode, or of a
 * device.  Block 0 of the array is the journal's superblock; on a device one like a filesystem's
 * comes first, and the journal's stands in the block behind that (block 1; with 1 KiB blocks 2).
 * The log goes round in [first, last), last being the array's length without the fast commit
 * area at its end.  All numbers are big-endian, but for those of fast commits.
 *
 * Each block that is not a copy of one of the filesystem's begins with a header:
 *
 *    0x00  4  magic
 *    0x04  4  type: 1 descriptor, 2 commit, 3 and 4 superblock (version 1, 2), 5 revoke
 *    0x08  4  sequence number of its transaction
 *
 * A transaction is descriptors, each followed by the blocks that its tags name, in their order,
 * and revoke blocks, in any order, then one commit block.
 *
 * Superblock (1024 bytes):
 *
 *    0x0c  4  block size                       0x48  4  most blocks of a transaction (unused)
 *    0x10  4  blocks of the journal            0x4c  4  most data blocks of one (unused)
 *    0x14  4  first block of the log           0x50  1  type of checksums: 4 is crc32c
 *    0x18  4  first sequence number expected   0x54  4  blocks of the fast commit area; 0: 256
 *    0x1c  4  block where it stands; 0: empty  0x58  4  head of an empty log
 *    0x20  4  errno of an abort, or 0          0xfc  4  crc32c of these 1024 bytes, this being 0
 *    and from here only in version 2:          0x100    users, 16 bytes each
 *    0x24  4  features, compatible
 *    0x28  4  features, incompatible
 *    0x2c  4  features, read-only compatible
 *    0x30 16  UUID
 *    0x40  4  number of users (filesystems)
 *    0x44  4  copy of the superblock (unused)
 *
 * Descriptor: tags from byte 12 on, up to the one flagged as the last; the last 4 bytes of the
 * block are its crc32c with CSUM_V2 or V3.  Behind each tag without SAME_UUID 16 bytes of UUID.
 *
 *    CSUM_V3 (16 bytes)              else (8 bytes; with 64BIT 12; with CSUM_V2 2 more, unused)
 *    0x00  4  block, low             0x00  4  block, low
 *    0x04  4  flags                  0x04  2  with CSUM_V2: lower half of the checksum
 *    0x08  4  block, high            0x06  2  flags
 *    0x0c  4  checksum               0x08  4  with 64BIT: block, high
 *
 * A tag's checksum is crc32c over the sequence number (4 bytes, big-endian) and the block as it
 * stands in the journal: a block that begins with the magic has zeroes there ("escaped").
 *
 * Revoke block:
 *
 *    0x0c  4  bytes in use, these 16 included
 *    0x10     block numbers, 4 bytes each, with 64BIT 8; last 4 bytes of the block as above
 *
 * Commit block (60 bytes):
 *
 *    0x0c  1  type of checksum: 1 is crc32        with COMPAT_CHECKSUM (version 1); else 0
 *    0x0d  1  bytes of the checksum: 4
 *    0x10  4  version 1: crc32 (big-endian, without inversion at the end) over all blocks of the
 *             transaction but revoke blocks and this one; version 2 and 3: crc32c of this block,
 *             these 4 bytes being 0
 *    0x30  8  seconds since 1970
 *    0x38  4  nanoseconds
 *
 * All crc32c but the superblock's (which begins with ~0) begin with crc32c(~0, UUID); none is
 * inverted at the end.
 *
 * Fast commits (little-endian): tags one behind the other from the first block of their area on,
 * each 2 bytes type, 2 bytes length of what follows.  The first of a fast commit is a head:
 * 4 bytes features, 4 bytes sequence number; the last is a tail: 4 bytes sequence number, 4 bytes
 * crc32c, from ~0, over everything from the previous tail (or the area's begin) up to these.
 */
#ifndef BFO_BASE_JBD2_H
#define BFO_BASE_JBD2_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/crc32c.h"

#define BFO_JBD2_MAGIC 0xc03b3998U

enum bfo_jbd2_type {
	BFO_JBD2_DESCRIPTOR = 1,
	BFO_JBD2_COMMIT = 2,
	BFO_JBD2_SUPER_V1 = 3,
	BFO_JBD2_SUPER_V2 = 4,
	BFO_JBD2_REVOKE = 5,
};

/* Features of the journal's superblock. */
enum {
	BFO_JBD2_COMPAT_CHECKSUM = 0x1,

	BFO_JBD2_INCOMPAT_REVOKE = 0x1,
	BFO_JBD2_INCOMPAT_64BIT = 0x2,
	BFO_JBD2_INCOMPAT_ASYNC_COMMIT = 0x4,
	BFO_JBD2_INCOMPAT_CSUM_V2 = 0x8,
	BFO_JBD2_INCOMPAT_CSUM_V3 = 0x10,
	BFO_JBD2_INCOMPAT_FAST_COMMIT = 0x20,
};

/* Flags of tags. */
enum {
	BFO_JBD2_TAG_ESCAPE = 1,
	BFO_JBD2_TAG_SAME_UUID = 2,
	BFO_JBD2_TAG_DELETED = 4,
	BFO_JBD2_TAG_LAST = 8,
};

/* Where fields stand, in bytes. */
enum {
	BFO_JBD2_H_MAGIC = 0x00,
	BFO_JBD2_H_TYPE = 0x04,
	BFO_JBD2_H_SEQUENCE = 0x08,
	BFO_JBD2_HEADER_BYTES = 12,

	BFO_JBD2_SB_BLOCK_SIZE = 0x0c,
	BFO_JBD2_SB_LENGTH = 0x10,
	BFO_JBD2_SB_FIRST = 0x14,
	BFO_JBD2_SB_SEQUENCE = 0x18,
	BFO_JBD2_SB_START = 0x1c,
	BFO_JBD2_SB_ERRNO = 0x20,
	BFO_JBD2_SB_COMPAT = 0x24,
	BFO_JBD2_SB_INCOMPAT = 0x28,
	BFO_JBD2_SB_RO_COMPAT = 0x2c,
	BFO_JBD2_SB_UUID = 0x30,
	BFO_JBD2_SB_USERS = 0x40,
	BFO_JBD2_SB_CSUM_TYPE = 0x50,
	BFO_JBD2_SB_FC_BLOCKS = 0x54,
	BFO_JBD2_SB_HEAD = 0x58,
	BFO_JBD2_SB_CSUM = 0xfc,
	BFO_JBD2_SB_BYTES = 1024,

	BFO_JBD2_TAGS = 0x0c,		/* of a descriptor */
	BFO_JBD2_UUID_BYTES = 16,
	BFO_JBD2_TAIL_BYTES = 4,	/* of descriptors and revoke blocks */

	BFO_JBD2_T_BLOCK = 0x00,	/* of a tag */
	BFO_JBD2_T_CSUM16 = 0x04,	/* CSUM_V2 */
	BFO_JBD2_T_FLAGS32 = 0x04,	/* CSUM_V3, 4 bytes */
	BFO_JBD2_T_FLAGS = 0x06,	/* 2 bytes; CSUM_V3: the lower half, which is used */
	BFO_JBD2_T_BLOCK_HIGH = 0x08,
	BFO_JBD2_T_CSUM = 0x0c,		/* CSUM_V3 */

	BFO_JBD2_R_USED = 0x0c,
	BFO_JBD2_R_BLOCKS = 0x10,

	BFO_JBD2_C_CSUM_TYPE = 0x0c,
	BFO_JBD2_C_CSUM_SIZE = 0x0d,
	BFO_JBD2_C_CSUM = 0x10,
	BFO_JBD2_C_SECONDS = 0x30,
	BFO_JBD2_C_NANOSECONDS = 0x38,
};

enum {
	BFO_JBD2_CSUM_CRC32 = 1,	/* commit blocks, version 1 */
	BFO_JBD2_CSUM_CRC32C = 4,	/* superblock, version 2 and 3 */
	BFO_JBD2_MIN_BLOCKS = 1024,	/* no journal is shorter, without its fast commit area */
	BFO_JBD2_FC_BLOCKS = 256,	/* of the fast commit area, where the superblock has 0 */
	BFO_JBD2_FC_TAG_TAIL = 8,
	BFO_JBD2_FC_TAG_HEAD = 9,
};

static inline uint16_t bfo_jbd2_get16(const void *block, size_t at)
{
	uint16_t v;

	memcpy(&v, (const char *) block + at, sizeof(v));
	return be16toh(v);
}

static inline uint32_t bfo_jbd2_get32(const void *block, size_t at)
{
	uint32_t v;

	memcpy(&v, (const char *) block + at, sizeof(v));
	return be32toh(v);
}

static inline uint64_t bfo_jbd2_get64(const void *block, size_t at)
{
	uint64_t v;

	memcpy(&v, (const char *) block + at, sizeof(v));
	return be64toh(v);
}

static inline void bfo_jbd2_put16(void *block, size_t at, uint16_t value)
{
	value = htobe16(value);
	memcpy((char *) block + at, &value, sizeof(value));
}

static inline void bfo_jbd2_put32(void *block, size_t at, uint32_t value)
{
	value = htobe32(value);
	memcpy((char *) block + at, &value, sizeof(value));
}

static inline void bfo_jbd2_put64(void *block, size_t at, uint64_t value)
{
	value = htobe64(value);
	memcpy((char *) block + at, &value, sizeof(value));
}

/* True if blocks and tags have checksums of their own: the incompatible features of the journal. */
static inline int bfo_jbd2_has_csum(uint32_t incompat)
{
	return !!(incompat & (BFO_JBD2_INCOMPAT_CSUM_V2 | BFO_JBD2_INCOMPAT_CSUM_V3));
}

/* Bytes of a tag, without a UUID behind it. */
static inline uint32_t bfo_jbd2_tag_bytes(uint32_t incompat)
{
	if (incompat & BFO_JBD2_INCOMPAT_CSUM_V3)
		return 16;
	return 8 + (incompat & BFO_JBD2_INCOMPAT_64BIT ? 4 : 0) +
	       (incompat & BFO_JBD2_INCOMPAT_CSUM_V2 ? 2 : 0);
}

/* Bytes of a descriptor or revoke block before its checksum. */
static inline uint32_t bfo_jbd2_room(uint32_t incompat, uint32_t block_size)
{
	return block_size - (bfo_jbd2_has_csum(incompat) ? BFO_JBD2_TAIL_BYTES : 0);
}

/* The flags of the tag at byte AT of descriptor BLOCK. */
static inline uint16_t bfo_jbd2_tag_flags(const void *block, uint32_t at)
{
	return bfo_jbd2_get16(block, at + BFO_JBD2_T_FLAGS);
}

/* Where the tag behind that stands; 0: that was the last one, or there is no room for another. */
static inline uint32_t bfo_jbd2_tag_next(uint32_t incompat, uint32_t block_size, const void *block,
					 uint32_t at)
{
	uint32_t bytes = bfo_jbd2_tag_bytes(incompat);
	uint16_t flags = bfo_jbd2_tag_flags(block, at);

	at += bytes + (flags & BFO_JBD2_TAG_SAME_UUID ? 0 : BFO_JBD2_UUID_BYTES);
	return flags & BFO_JBD2_TAG_LAST || at + bytes > bfo_jbd2_room(incompat, block_size) ?
	       0 : at;
}

/* Bytes of a block number in a revoke block. */
static inline uint32_t bfo_jbd2_revoke_bytes(uint32_t incompat)
{
	return incompat & BFO_JBD2_INCOMPAT_64BIT ? 8 : 4;
}

/* What all checksums but the superblock's begin with. */
static inline uint32_t bfo_jbd2_seed(const void *uuid)
{
	return bfo_crc32c(~0U, uuid, BFO_JBD2_UUID_BYTES);
}

/* crc32c of BYTES at BLOCK, the 4 at byte AT taken as 0. */
static inline uint32_t bfo_jbd2_block_csum(uint32_t seed, const void *block, size_t bytes,
					   size_t at)
{
	const char *b = block;
	uint32_t zero = 0, csum;

	csum = bfo_crc32c(seed, b, at);
	csum = bfo_crc32c(csum, &zero, sizeof(zero));
	return bfo_crc32c(csum, b + at + sizeof(zero), bytes - at - sizeof(zero));
}

/* The checksum in a tag: of a block as it stands in the journal.  CSUM_V2 keeps its lower half. */
static inline uint32_t bfo_jbd2_tag_csum(uint32_t seed, uint32_t sequence, const void *block,
					 size_t bytes)
{
	uint32_t be = htobe32(sequence);

	return bfo_crc32c(bfo_crc32c(seed, &be, sizeof(be)), block, bytes);
}

#endif
