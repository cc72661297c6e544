/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * name_scan.h - all names of all directories, read in the order in which their blocks lie
 */
#ifndef BFO_GATHER_NAME_SCAN_H
#define BFO_GATHER_NAME_SCAN_H

#include "gather/batch.h"
#include "gather/tree.h"

/*
 * Appends to TREE a record for every name in every directory that has one in TREE, except "."
 * and "..".  Indexes of directories are not used: their blocks read as empty ones.
 */
errcode_t bfo_name_scan(struct bfo_reader *r, struct bfo_tree *tree);

/*
 * Gives all names the type of their inode, which must be read for that: needed where directories
 * do not say it (no feature filetype) and the inodes are not in TREE.
 */
errcode_t bfo_name_types(struct bfo_reader *r, struct bfo_tree *tree);

#endif
