/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loss.h - what a target cannot hold, as far as records tell (gather/repack reads the rest)
 *
 * Errors: ENOMEM, BFO_ET_OVERFLOW.
 */
#ifndef BFO_PLAN_LOSS_H
#define BFO_PLAN_LOSS_H

#include "plan/plan.h"

/* Why record REC cannot be on the target at all; BFO_FOUND_KINDS if it can. */
enum bfo_finding_kind bfo_loss_of_all(const struct bfo_plan *plan, const struct bfo_inode *rec);

/* Adds to the findings what record REC, which is copied, loses of itself. */
errcode_t bfo_loss_of_parts(struct bfo_plan *plan, const struct bfo_inode *rec);

/*
 * Appends to LOST, ascending, where those names of directory DIR stand that the target cannot hold
 * in it, of those that come along as far as is known: in a casefolded directory those that are one
 * with another name, which stands before them, and those that are no text where all have to be.
 */
errcode_t bfo_loss_of_names(const struct bfo_plan *plan, const struct bfo_inode *dir,
			    bfo_numbers *lost);

/* The largest blocks of a volume whose fs-verity trees TARGET holds, in bytes; 0: it holds none. */
uint32_t bfo_loss_verity_blocks(const struct bfo_target *target);

/* Inode flags that the target's features do not allow. */
uint32_t bfo_loss_flags(const struct bfo_target *target, const struct bfo_tree *tree);

#endif
