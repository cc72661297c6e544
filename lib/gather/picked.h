/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picked.h - a tree of a few files: these, and the directories on the way to them
 *
 * Errors: ENOMEM, and those of reading (gather/batch.h).
 */
#ifndef BFO_GATHER_PICKED_H
#define BFO_GATHER_PICKED_H

#include "gather/batch.h"
#include "tree/tree.h"

/*
 * Fills TREE as gathering a volume does (gather/source.h), but with no more than N PATHS want, by
 * looking them up (gather/resolve.h).  *PICKED is 0, and TREE as it was, where that would not do:
 * one leads nowhere, or to a directory, which has more below it; names have their hashes beside
 * them, or values of attributes inodes of their own; or all of it is doubtful, as the superblock is
 * a backup.
 *
 * Memory: 40 bytes a path and directory on the way, beside the tree and what looking for paths
 * takes.
 */
errcode_t bfo_gather_picked(struct bfo_reader *r, struct bfo_tree *tree, const char *const *paths,
			    size_t n, int *picked);

#endif
