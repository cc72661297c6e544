/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quota_write.h - the target's quota files: new ones, or a change of those there are
 *
 * Errors: ENOMEM, and those of writing (commit/writer.h).
 */
#ifndef BFO_COMMIT_QUOTA_WRITE_H
#define BFO_COMMIT_QUOTA_WRITE_H

#include "commit/transaction.h"
#include "plan/plan.h"

/* Writes them to their blocks in the stem, after bfo_tables_write(), which charges every inode. */
errcode_t bfo_quotas_write(struct bfo_plan *plan, struct bfo_writer *w);

/*
 * In the quota files as they stand: OWNER (user, group, project; each has an entry) is charged for
 * INODES inodes and BYTES more, or less; in T.  Nothing without the feature.
 */
errcode_t bfo_quota_adjust(struct bfo_transaction *t, const uint32_t owner[3], int64_t inodes,
			   int64_t bytes);

#endif
