/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * meta.h - bitmaps, group descriptors and superblock of the target
 */
#ifndef BFO_COMMIT_META_H
#define BFO_COMMIT_META_H

#include "commit/transaction.h"
#include "plan/plan.h"

/*
 * Marks in memory what the plan takes and gives back, and puts the bitmap and descriptor blocks
 * of the groups concerned into the transaction: each once, whatever number of files is in them.
 */
errcode_t bfo_meta_update(struct bfo_plan *plan, struct bfo_transaction *t);

#endif
