/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slices.h - names in an order, and each directory's slice of them
 *
 * Errors: ENOMEM.
 */
#ifndef BFO_TREE_SLICES_H
#define BFO_TREE_SLICES_H

#include "tree/tree.h"

/* Compares the bytes of two names, of different trees or of one; the shorter comes first. */
int bfo_name_order(const struct bfo_tree *a_tree, const struct bfo_name *a,
		   const struct bfo_tree *b_tree, const struct bfo_name *b);

/*
 * Sorts names[] by directory, `hash`, `minor`, which the caller has set, and bytes.  Of names that
 * stand twice in a directory the first that was read stays; the others become findings, and go.
 * Gives every directory its slice.
 */
errcode_t bfo_slices_sort(struct bfo_tree *t);

/* The end of the names from position I on that share directory, `hash` and `minor`. */
size_t bfo_slices_tie_end(const struct bfo_tree *t, size_t i);

/* Gives every directory its slice of names[], which are sorted by directory. */
void bfo_slices_cut(struct bfo_tree *t);

#endif
