/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * transaction.h - blocks that belong to somebody already, collected and written last
 *
 * A transaction holds new images of live blocks in memory until one of these writes them; nothing
 * else may write a live block:
 *
 *   bfo_transaction_commit()  through the target's journal: all of them or none (P5)
 *   bfo_transaction_apply()   in place, what leads to the others last
 *
 * Parts of inode tables that nobody uses are written before.  Without checksums of group
 * descriptors no bg_itable_unused says so, and e2fsck takes every inode with links for one in use:
 * such parts are noted here, and become zero again if the transaction does not come to be.
 *
 * The images are the transaction's until bfo_transaction_free(); its writer and journal are the
 * caller's.
 *
 * Errors: ENOMEM, BFO_ET_OVERFLOW; those of reading a block of the target, and of writing
 * (commit/writer.h).  BFO_ET_JOURNAL_SMALL if the journal has no room.
 */
#ifndef BFO_COMMIT_TRANSACTION_H
#define BFO_COMMIT_TRANSACTION_H

#include "base/range.h"
#include "base/vec.h"
#include "commit/txlog.h"

/* When a change is made: where what is new is led to from what is old, and what that needs less. */
enum bfo_lateness {
	BFO_LATE,		/* after all that is new */
	BFO_LAST,		/* when nothing leads to what was there before */
	BFO_LATENESS,
};

struct bfo_late {
	uint64_t blk;
	uint32_t byte, len;	/* place and length in the block */
	size_t at;		/* in late_bytes; BFO_LATE_ZEROES: zeroes */
	enum bfo_lateness when;
};

#define BFO_LATE_ZEROES SIZE_MAX

struct bfo_transaction {
	struct bfo_writer *w;
	int atomic;		/* it is going to be committed, not applied */
	BFO_VEC(struct bfo_image) blocks;	/* ascending by blk */
	BFO_VEC(struct bfo_late) late;
	bfo_chars late_bytes;
	bfo_ranges exposed;	/* blocks with new inodes that e2fsck sees already */
};

/*
 * The image of block BLK: what an earlier call returned for it, else a new one with what the
 * target holds there.  Changes to it are part of the transaction.
 */
errcode_t bfo_transaction_get(struct bfo_transaction *t, uint64_t blk, void **data);

/* The same for a bitmap or descriptor block, of which all is new: it is not read. */
errcode_t bfo_transaction_set(struct bfo_transaction *t, uint64_t blk, const void *data);

/* DATA, from malloc(3), is the image of block BLK: it is not read.  DATA is T's in any case. */
errcode_t bfo_transaction_put(struct bfo_transaction *t, uint64_t blk, void *data);

/*
 * LEN bytes at BYTE of block BLK become DATA, or zeroes if that is NULL, but not before all the
 * rest is written, and what comes earlier by WHEN.
 */
errcode_t bfo_transaction_late(struct bfo_transaction *t, enum bfo_lateness when, uint64_t blk,
			       uint32_t byte, uint32_t len, const void *data);

/* The primary superblock becomes SB, which gets its checksum.  For bfo_transaction_commit(). */
errcode_t bfo_transaction_super(struct bfo_transaction *t, struct ext2_super_block *sb);

/*
 * All or nothing, through journal J, which has to have room; with what the writer has written
 * before, flushed or not.  *DURABLE tells whether what comes after an error is "all", once the
 * journal is replayed.  When this returns 0 it is on the device; that nothing is to be replayed, is
 * after the next flush.
 */
errcode_t bfo_transaction_commit(struct bfo_transaction *t, struct bfo_txlog *j, int *durable);

/* Once more what comes after "durable", which failed, on a writer that did. */
errcode_t bfo_transaction_redo(struct bfo_transaction *t, struct bfo_txlog *j);

/* After one that did not become durable: the superblock does not ask for a replay. */
errcode_t bfo_transaction_settle(struct bfo_writer *w);

/*
 * In place, a flush after each: inodes and what belongs to them; bitmaps and descriptors; late
 * changes; the last ones.
 */
errcode_t bfo_transaction_apply(struct bfo_transaction *t);

/* Instead of that, after a failure: what is exposed becomes zero, and is flushed. */
errcode_t bfo_transaction_withdraw(struct bfo_transaction *t);

void bfo_transaction_free(struct bfo_transaction *t);

#endif
