/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * transaction.h - blocks that belong to somebody already, collected and written last
 *
 * A transaction holds new images of live blocks in memory until bfo_transaction_apply() writes
 * them.  Nothing else may write a live block.
 *
 * Parts of inode tables that nobody uses are written before.  Without checksums of group descriptors
 * no bg_itable_unused says so, and e2fsck takes every inode with links for one in use: such parts
 * are noted here, and become zero again if the transaction does not come to be.
 */
#ifndef BFO_COMMIT_TRANSACTION_H
#define BFO_COMMIT_TRANSACTION_H

#include "base/range.h"
#include "base/vec.h"
#include "commit/writer.h"

struct bfo_txn_block {
	uint64_t blk;
	void *data;		/* one block of the target */
};

struct bfo_transaction {
	struct bfo_writer *w;
	BFO_VEC(struct bfo_txn_block) blocks;	/* ascending by blk */
	bfo_ranges exposed;	/* blocks with new inodes that e2fsck sees already */
};

/*
 * The image of block BLK: what an earlier call returned for it, else a new one with what the
 * target holds there.  Changes to it are part of the transaction.
 */
errcode_t bfo_transaction_get(struct bfo_transaction *t, uint64_t blk, void **data);

/* The same for a block whose content is replaced as a whole: a new image is not read. */
errcode_t bfo_transaction_set(struct bfo_transaction *t, uint64_t blk, const void *data);

/* Writes all images, ascending, and flushes. */
errcode_t bfo_transaction_apply(struct bfo_transaction *t);

/* Instead of that, after a failure: what is exposed becomes zero, and is flushed. */
errcode_t bfo_transaction_withdraw(struct bfo_transaction *t);

void bfo_transaction_free(struct bfo_transaction *t);

#endif
