/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * values.h - the extended attributes of two inodes beside each other (sets: tree/xattr.h)
 */
#ifndef BFO_COMPARE_VALUES_H
#define BFO_COMPARE_VALUES_H

#include "tree/xattr.h"

/*
 * Walks two sorted sets together, *I and *J being positions that begin at 0: the next attribute
 * of either.  A and B are that of both, or one of them is NULL.  Returns 0 at the end.
 */
int bfo_values_next(const bfo_xattrs *a, const bfo_xattrs *b, size_t *i, size_t *j,
		    const struct bfo_xattr **x, const struct bfo_xattr **y);

/* The attribute that holds what of inline data has no room in i_block; NULL if there is none. */
const struct bfo_xattr *bfo_values_inline_data(const bfo_xattrs *set);

#endif
