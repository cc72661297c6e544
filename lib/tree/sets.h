/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sets.h - sets of attributes, each distinct one once
 *
 * An open hash over the packed sets (tree/xattr.h); security labels and inherited ACLs make
 * them few, however many inodes there are.
 *
 * Errors: ENOMEM, BFO_ET_OVERFLOW.
 */
#ifndef BFO_TREE_SETS_H
#define BFO_TREE_SETS_H

#include "tree/tree.h"
#include "tree/xattr.h"

/* A zeroed one is empty; one with a list and bytes alone has these. */
struct bfo_sets {
	bfo_eas list;
	bfo_chars bytes;		/* packed, of all; list[].at is a place here */
	uint32_t *table;		/* index + 1, or 0 */
	size_t table_size;		/* a power of two */
	bfo_chars packed;		/* scratch */
};

/* The number of SET, sorted, in the list; BFO_NONE if it is empty.  SET may point into bytes. */
errcode_t bfo_sets_add(struct bfo_sets *sets, const bfo_xattrs *set, uint32_t *index);

/* Appends set number INDEX (BFO_NONE: nothing) to OUT, which then points into bytes. */
errcode_t bfo_sets_append(const struct bfo_sets *sets, uint32_t index, bfo_xattrs *out);

void bfo_sets_free(struct bfo_sets *sets);

#endif
