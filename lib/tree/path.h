/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path.h - paths through a tree
 */
#ifndef BFO_TREE_PATH_H
#define BFO_TREE_PATH_H

#include "tree/tree.h"

/*
 * The next component of *PATH (slashes and single dots skipped), at *NAME; its length, 0 at the
 * end.
 */
size_t bfo_path_next(const char **path, const char **name);

/*
 * The position in names[] of the name of LEN bytes in directory DIR, in a sliced tree; BFO_NONE: it
 * has none.  It looks at all of them.
 */
uint32_t bfo_tree_child(const struct bfo_tree *t, bfo_row dir, const char *name, size_t len);

#endif
