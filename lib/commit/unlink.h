/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unlink.h - inodes of files that lose names to what is copied (gather/displaced.h)
 *
 * Errors: ENOMEM; those of reading a block of the target.
 */
#ifndef BFO_COMMIT_UNLINK_H
#define BFO_COMMIT_UNLINK_H

#include "commit/transaction.h"
#include "plan/plan.h"

/*
 * In T, last of all: inodes that go become zero, for which their owners are not charged any more;
 * others have fewer links, or references.  After bfo_tables_write(), before bfo_quotas_write().
 */
errcode_t bfo_unlink_write(struct bfo_plan *plan, struct bfo_transaction *t);

#endif
