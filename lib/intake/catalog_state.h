/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * catalog_state.h - what catalog.c and catalog_end.c share
 *
 *   names[]   dir: row of the directory; bfo_name_draft(): row of what the name stands for;
 *             hash: name_table.h; minor: 1 + the place of a target that is still to come, or 0
 */
#ifndef BFO_INTAKE_CATALOG_STATE_H
#define BFO_INTAKE_CATALOG_STATE_H

#include "intake/catalog.h"
#include "intake/name_table.h"
#include "tree/access.h"

#define NO_ROW BFO_NONE			/* of a name whose target is still to come */

/* A name that is ciphertext, for which another stands until the end. */
struct bfo_catalog_secret {
	uint32_t name;			/* in names[] */
	uint32_t len;
	size_t at;			/* in `secret_text`; its BFO_HASH_BYTES behind it, if ... */
	int has_hashes;
};

struct bfo_catalog {
	struct bfo_intake *in;
	struct bfo_members *from;
	unsigned int strip;
	struct bfo_attrs made;		/* of directories that are only implied */
	struct bfo_name_table names;
	bfo_chars targets;		/* paths of targets to come, each u32 length and bytes */
	bfo_rows instead;		/* of a row that a link gave new data: the new; or itself */
	BFO_VEC(struct bfo_catalog_secret) secrets;	/* ascending by name */
	bfo_chars secret_text;
	bfo_xattrs set;
	bfo_chars acls;
};

static inline struct bfo_tree *tree_of(const struct bfo_catalog *c)
{
	return c->in->tree;
}

/* What ROW has become. */
static inline bfo_row current(const struct bfo_catalog *c, bfo_row row)
{
	while (row < c->instead.n && c->instead.v[row] != row)
		row = c->instead.v[row];
	return row;
}

static inline int is_dir(const struct bfo_catalog *c, bfo_row row)
{
	return row != NO_ROW && S_ISDIR(tree_of(c)->inodes.v[row].mode);
}

/* The name that PATH leads to, or NULL: there is none, or it is the root's (*IS_ROOT). */
struct bfo_name *bfo_catalog_look_up(const struct bfo_catalog *c, const char *path, size_t len,
				     int *is_root);

#endif
