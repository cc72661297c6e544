/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quota.h - the hidden quota files of ext4: read, charged, written anew
 *
 * The files are small and their trees awkward to change in place.  A tool that adds many files
 * reads each of them once, adds up what every id will own, and writes a new one:
 *
 *     old file - bfo_quota_parse() - bfo_quota ---.
 *                                                 +-- bfo_quota_apply() - bfo_quota_build() - new
 *     inodes - bfo_quota_charge() - bfo_quota_use '                                           file
 *
 * What is charged (kernel, e2fsck): every inode in use that is the root directory or has a number
 * from s_first_ino on, but not the project quota file nor the orphan file; 1 inode and its i_blocks
 * in bytes, to its uid, its gid and its project (0 where the inode has no room for one).
 *
 * Format: vfsv1 (QFMT_VFS_V1), the only one allowed behind the feature "quota"; kernel
 * fs/quota/quota_v2.c and quota_tree.c, e2fsprogs lib/support/quotaio*.c.  All little-endian, in
 * blocks of 1024 bytes whatever the filesystem's are:
 *
 *     block 0   header: magic, version 1, bgrace, igrace, flags, blocks of the file, first block of
 *               the list of free blocks, first data block with a free slot (32-bit words)
 *     block 1   root of the tree.  A tree block is 256 block numbers, 0 = none; four levels of
 *               them, each for 8 bits of the id, the most significant in the root; the last level's
 *               numbers are data blocks
 *     data      16 bytes: next and previous block with a free slot (32 bits each), used slots (16),
 *               padding; then 14 slots of 72 bytes; an unused slot is all zero:
 *                    0 id (32)   4 padding   8 ihard  16 isoft  24 inodes
 *                   32 bhard    40 bsoft    48 space  56 btime  64 itime
 *               id 0 without usage and limits would look unused: its itime is 1 and means 0
 */
#ifndef BFO_PLAN_QUOTA_H
#define BFO_PLAN_QUOTA_H

#include "base/vec.h"

/* As in the kernel: inode 3, inode 4, and the inode that s_prj_quota_inum names. */
enum bfo_quota_type { BFO_QUOTA_USER, BFO_QUOTA_GROUP, BFO_QUOTA_PROJECT, BFO_QUOTA_TYPES };

struct bfo_quota_entry {
	uint32_t id;
	uint64_t ihard, isoft;	/* limits in inodes; 0 = none */
	uint64_t inodes;	/* used */
	uint64_t bhard, bsoft;	/* limits in units of 1024 bytes, as stored; 0 = none */
	uint64_t space;		/* used, in bytes */
	int64_t btime, itime;	/* when grace ends, in seconds since 1970; 0 = it has not begun */
};

/* What a quota file says.  A zeroed one is valid and empty. */
struct bfo_quota {
	BFO_VEC(struct bfo_quota_entry) entries;	/* ascending by id */
	uint32_t bgrace, igrace;			/* seconds above a soft limit */
	uint32_t flags;					/* none is defined; kept */
};

/*
 * Reads a whole quota file of SIZE bytes into Q, which may hold anything before.  Bytes behind the
 * blocks that the header counts are ignored, and so are both free lists: bfo_quota_build() makes
 * its own.  Returns BFO_ET_DAMAGED, also for what e2fsck does not look at but the kernel relies on
 * (blocks used twice, used slots that no path of the tree leads to, wrong counts of slots), or
 * ENOMEM; Q is empty then.  Not noticed, as by the kernel: a block number of the tree that is zero
 * and was not, if whole data blocks go with it.  Work and memory are proportional to SIZE.
 */
errcode_t bfo_quota_parse(struct bfo_quota *q, enum bfo_quota_type type, const void *file,
			  uint64_t size);
void bfo_quota_free(struct bfo_quota *q);

/*
 * Makes a new file without gaps, the same for the same Q, in memory that the caller frees.  Entries
 * without usage and limits are left out, as e2fsprogs and the kernel do; that goes for id 0 too.
 * The caller may leave a longer i_size as it is, but what follows these bytes then must be zero.
 * Returns ENOMEM, or BFO_ET_FILE_TOO_BIG beyond 2 GiB, where e2fsprogs gives up.
 */
errcode_t bfo_quota_build(const struct bfo_quota *q, enum bfo_quota_type type, void **file,
			  uint64_t *size);

/* What one id is charged. */
struct bfo_quota_charge {
	uint32_t id, unused;
	uint64_t inodes, bytes;
};

#define BFO_QUOTA_RECENT_BITS 8

/* Charges being added up.  A zeroed one is empty. */
struct bfo_quota_use {
	BFO_VEC(struct bfo_quota_charge) charges;	/* an id may come more than once */
	size_t distinct;				/* ids, when they were summed up last */
	size_t recent[1 << BFO_QUOTA_RECENT_BITS];	/* by a hash of the id: its charge + 1 */
};

/*
 * Adds to what ID is charged; sums stay at 2^64 - 1.  Some nanoseconds if ID came lately, else a
 * share in a radix sort, whatever the ids are.  Memory: 72 bytes per distinct id, at least 144 KiB.
 * Returns ENOMEM; USE is as before then.
 */
errcode_t bfo_quota_charge(struct bfo_quota_use *use, uint32_t id, uint64_t inodes, uint64_t bytes);

/*
 * Adds all charges of USE (which stays valid) to the usage in Q.  Limits and grace times stay: if a
 * soft limit is exceeded now, the kernel begins the grace time at the next allocation.  Returns
 * ENOMEM, or BFO_ET_OVERFLOW if a charged usage would pass 2^63 - 1, the kernel's limit; Q is as
 * before then.
 */
errcode_t bfo_quota_apply(struct bfo_quota *q, struct bfo_quota_use *use);
void bfo_quota_use_free(struct bfo_quota_use *use);

/*
 * Where in FILE, SIZE bytes, the entry of ID stands: *AT is its first byte, and it crosses no block
 * of 1024 bytes.  Returns BFO_ET_NO_PATH if there is none, BFO_ET_DAMAGED if the tree leads
 * outside.
 */
errcode_t bfo_quota_slot(const void *file, uint64_t size, uint32_t id, uint64_t *at);

/* The usage in the entry that begins at SLOT, in inodes and bytes; and more or less of it. */
void bfo_quota_slot_usage(const void *slot, uint64_t *inodes, uint64_t *bytes);
void bfo_quota_slot_add(void *slot, int64_t inodes, int64_t bytes);

#endif
