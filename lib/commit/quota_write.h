/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quota_write.h - the target's new quota files
 */
#ifndef BFO_COMMIT_QUOTA_WRITE_H
#define BFO_COMMIT_QUOTA_WRITE_H

#include "commit/writer.h"
#include "plan/plan.h"

/* Writes them to their blocks in the stem, after bfo_tables_write(), which charges every inode. */
errcode_t bfo_quotas_write(struct bfo_plan *plan, struct bfo_writer *w);

#endif
