/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * orphan_scan.h - inodes that the next mount will delete or cut off
 *
 * A file that was unlinked while it was open, or that was just being truncated, is an orphan: in
 * the list that begins in the superblock and goes on in the inodes' deletion times, or in the
 * orphan file.
 *
 * Errors: ENOMEM, and those of reading (gather/batch.h).
 */
#ifndef BFO_GATHER_ORPHAN_SCAN_H
#define BFO_GATHER_ORPHAN_SCAN_H

#include "gather/batch.h"
#include "tree/tree.h"

/*
 * Sets tree->unlinked and tree->truncated.  A list that is damaged ends there, as for the kernel:
 * nothing that has a name is lost by that.
 */
errcode_t bfo_orphan_scan(struct bfo_reader *r, struct bfo_tree *tree);

#endif
