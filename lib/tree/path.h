/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path.h - from a path to a record
 *
 * It goes from name to name.  What a name leads to is not the same in every phase of every tree: who
 * knows better than the tree says so by a function.
 */
#ifndef BFO_TREE_PATH_H
#define BFO_TREE_PATH_H

#include "tree/tree.h"

/* ---- components ---- */

/*
 * The next component of *PATH (slashes and single dots skipped), at *NAME; its length, 0 at the
 * end.
 */
size_t bfo_path_next(const char **path, const char **name);

/* True for "..", which nothing here follows. */
int bfo_path_is_up(const char *name, size_t len);

/*
 * The position in names[] of the name of LEN bytes in directory DIR, in a sliced tree; BFO_NONE: it
 * has none.  It looks at all of them.
 */
uint32_t bfo_tree_child(const struct bfo_tree *t, bfo_row dir, const char *name, size_t len);

/* ---- from a path to a record ---- */

/* Does what bfo_tree_child() does, faster. */
typedef uint32_t (*bfo_way_find)(const void *priv, bfo_row dir, const char *name, size_t len);

/* The row that name N leads to; BFO_NONE: nowhere. */
typedef bfo_row (*bfo_way_row)(const void *priv, const struct bfo_name *n);

/* A path on which somebody is, in a sliced tree. */
struct bfo_way {
	const struct bfo_tree *tree;
	const char *rest;		/* of the path */
	bfo_row row;			/* where it has led; at first where it begins */
	uint32_t at;			/* in names[]: the name that led there; at first BFO_NONE */
	bfo_way_find find;		/* or NULL: bfo_tree_child() */
	bfo_way_row row_of;		/* or NULL: what names of a tree that was read lead to */
	const void *priv;
};

/*
 * Follows one component; *MORE is 0 at the end of the path.  If that fails, `row` is still where
 * the way was left, and the error says why:
 *
 *   EINVAL           the component is ".."
 *   BFO_ET_NOT_DIR   `row` is no directory
 *   BFO_ET_NO_PATH   it has no such name (`at` is BFO_NONE), or that name leads nowhere
 */
errcode_t bfo_way_step(struct bfo_way *w, int *more);

/* Follows all that is left of it. */
errcode_t bfo_way_end(struct bfo_way *w);

#endif
