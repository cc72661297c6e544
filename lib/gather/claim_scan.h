/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * claim_scan.h - blocks that more than one thing says it owns
 *
 * Errors: ENOMEM.
 */
#ifndef BFO_GATHER_CLAIM_SCAN_H
#define BFO_GATHER_CLAIM_SCAN_H

#include "gather/batch.h"
#include "tree/tree.h"

/*
 * Compares all blocks of the records of TREE (data; block maps, from map_blocks, which are dropped
 * afterwards; attribute blocks) with each other and with what belongs to the filesystem itself.
 * Each inode that has a block somebody else has too is reported once; its data are copied as they
 * read, as e2fsck would clone them.
 *
 * Memory, while it runs: 16 bytes per extent, which the names take later (P7).
 */
errcode_t bfo_claim_scan(struct bfo_reader *r, struct bfo_tree *tree);

#endif
