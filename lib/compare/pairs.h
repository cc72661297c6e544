/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairs.h - names sorted by their bytes, so that two directories can be laid side by side
 *
 * Errors: BFO_ET_ROOT_DAMAGED, BFO_ET_NO_PATH, BFO_ET_NOT_DIR, BFO_ET_CANCELLED, ENOMEM.
 */
#ifndef BFO_COMPARE_PAIRS_H
#define BFO_COMPARE_PAIRS_H

#include "tree/tree.h"

/*
 * Sorts names[] by (directory, bytes) and gives every directory its slice.  Names that lead to no
 * record, and names that stand twice, become findings and go.
 */
errcode_t bfo_pairs_sort_names(struct bfo_tree *tree);

#endif
