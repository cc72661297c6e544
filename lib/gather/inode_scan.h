/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inode_scan.h - all used inodes of a volume, read from the inode tables in order
 *
 * Errors: ENOMEM, and those of reading (gather/batch.h).
 */
#ifndef BFO_GATHER_INODE_SCAN_H
#define BFO_GATHER_INODE_SCAN_H

#include "gather/batch.h"
#include "tree/tree.h"

/*
 * Fills TREE (zeroed by the caller) with every inode that is in use and not the filesystem's
 * own, its segments and its extended attribute blocks; what is damaged becomes a finding.
 * Extent tree blocks, indirect blocks and extended attribute blocks are read in block order.
 */
errcode_t bfo_inode_scan(struct bfo_reader *r, struct bfo_tree *tree);

/* The same for the N inodes in INOS (ascending) alone. */
errcode_t bfo_inode_scan_some(struct bfo_reader *r, struct bfo_tree *tree, const uint32_t *inos,
			      size_t n);

/*
 * What a scan is to take: 1 if record of inode INO (RAW as it stands in the table, sound or not) is
 * wanted.
 */
typedef int (*bfo_wanted_inode)(void *priv, uint32_t ino, const struct ext2_inode *raw);

/* The same for the inodes that are WANTED. */
errcode_t bfo_inode_scan_wanted(struct bfo_reader *r, struct bfo_tree *tree,
				bfo_wanted_inode wanted, void *priv);

#endif
