/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables.h - the target's inode tables
 *
 * Errors: BFO_ET_CHANGED if an inode is gone, BFO_ET_CANCELLED, ENOMEM; those of reading and
 * writing.
 */
#ifndef BFO_COMMIT_TABLES_H
#define BFO_COMMIT_TABLES_H

#include "commit/transaction.h"
#include "gather/source.h"
#include "plan/plan.h"

/*
 * Writes the inodes of all items: blocks of the tables that nobody looks at yet are written at
 * once, ascending, whole, padded with zeroes; those that hold others' inodes, or lie in the used
 * part of a table with group checksums, become part of the transaction T.  MEMORY bytes of
 * inodes are held at a time; within that, the source's tables are read in order.
 */
errcode_t bfo_tables_write(struct bfo_plan *plan, struct bfo_source *source,
			   struct bfo_transaction *t, uint64_t memory);

/*
 * True if nobody looks yet at the block of VOL's inode tables that begins with inode FIRST_INO, so
 * that it may be written before the transaction; ATOMIC: not even after a crash.
 */
int bfo_table_is_unseen(const struct bfo_volume *vol, uint32_t first_ino, int atomic);

#endif
