/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path.h - from a path to a record, and from a record to its path
 *
 * Both go from name to name.  What a name leads to, and by which name a record was reached, are not
 * the same in every phase of every tree: those who know better than the tree say so by a function.
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

/* Puts PATH in its shortest form to OUT: "/a/b", "/" of the root.  ENOMEM. */
errcode_t bfo_path_clean(const char *path, bfo_chars *out);

/* The last component of PATH, at *NAME; its length, 0 of the root. */
size_t bfo_path_last(const char *path, const char **name);

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

/* ---- from a record to its path ---- */

/* A path that is built from its end.  What does not fit into OUT is cut off in front. */
struct bfo_trail {
	char *out;
	size_t at, size;		/* the path stands in [at, size) */
};

/* A component: its bytes, and what has that name in it. */
struct bfo_trail_step {
	const char *text;
	size_t len;
	uint32_t above;
};

/* The component that leads to NODE, a row or what else the caller counts by; 0: there is none. */
typedef int (*bfo_trail_above)(const void *priv, uint32_t node, struct bfo_trail_step *s);

/* OUT takes SIZE bytes, at least one. */
struct bfo_trail bfo_trail_begin(char *out, size_t size);

/* Puts "/NAME" in front. */
void bfo_trail_put(struct bfo_trail *trail, const char *name, size_t len);

/*
 * Puts all that leads to NODE in front, until nothing more does, or no room is left: so circles of
 * damaged directories end.  Returns the node at which it has come to the end.
 */
uint32_t bfo_trail_climb(struct bfo_trail *trail, uint32_t node, bfo_trail_above above,
			 const void *priv);

/*
 * The path begins at ROW.  Unless that is the root, of the source or of the target, "<NUMBER>"
 * comes in front, as debugfs would write it, if there is room.
 */
void bfo_trail_origin(struct bfo_trail *trail, const struct bfo_tree *t, bfo_row row);

/* Moves the path to the front of OUT, without a NUL; "/" if it is empty.  Returns its length. */
size_t bfo_trail_end(struct bfo_trail *trail);

/* The name that leads to ROW in the source, by its record; a bfo_trail_above of a bfo_tree. */
int bfo_tree_above(const void *tree, uint32_t row, struct bfo_trail_step *s);

/*
 * The path of ROW in the source, by `name` of the records: its bytes into OUT, whose length is
 * returned.  It begins with <inode number> if no name leads there.
 */
size_t bfo_tree_path(const struct bfo_tree *t, bfo_row row, char *out, size_t size);

/* The same for what finding F is about; SIZE is at least 32. */
size_t bfo_tree_finding_path(const struct bfo_tree *t, const struct bfo_finding *f, char *out,
			     size_t size);

/* The path of ROW for a message: printable.  Returns OUT. */
const char *bfo_tree_shown_path(const struct bfo_tree *t, bfo_row row, char *out, size_t size);

#endif
