/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repack.h - what inodes hold that a target with other inodes or blocks holds elsewhere or not
 *
 * Attributes stand in the inode and in one block; how much fits where depends on the sizes of
 * inodes and blocks.  Where these differ, the attributes are taken out: every distinct set is kept
 * once, in memory, however many inodes have it (security labels, inherited ACLs), and becomes one
 * block on the target, or none.  In these sets the `inum` of a value that stands in an inode of its
 * own is one more than the index of that inode's record, as not all of them have an inode in the
 * source (gather/ea_fit.h).
 *
 * Errors: ENOMEM, and those of reading (gather/batch.h).
 */
#ifndef BFO_GATHER_REPACK_H
#define BFO_GATHER_REPACK_H

#include "gather/source.h"
#include "gather/target.h"
#include "tree/tree.h"

/*
 * True if TARGET's inodes or blocks differ from those of TREE so that bfo_repack_scan() has to be
 * called.
 */
int bfo_repack_needed(const struct bfo_tree *tree, const struct bfo_target *target);

/*
 * Reads the inodes that the plan has put in order, and, of a tree that is not `repacked` yet, the
 * attribute blocks, once more.  Then eas[] holds sets that fit, TREE is `repacked`, and what TARGET
 * cannot hold is among the findings.
 */
errcode_t bfo_repack_scan(struct bfo_source *source, struct bfo_tree *tree,
			  const struct bfo_target *target);

#endif
