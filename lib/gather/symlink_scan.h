/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symlink_scan.h - symbolic links whose target does not fit into their inode
 *
 * Errors: ENOMEM, and those of reading (gather/batch.h).
 */
#ifndef BFO_GATHER_SYMLINK_SCAN_H
#define BFO_GATHER_SYMLINK_SCAN_H

#include "gather/batch.h"
#include "tree/tree.h"

/*
 * Reads the blocks of long symbolic links; those whose text is not as long as it should be are bad.
 */
errcode_t bfo_symlink_scan(struct bfo_reader *r, struct bfo_tree *tree);

#endif
