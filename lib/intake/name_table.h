/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * name_table.h - names of a tree that is being made, found by directory and bytes
 *
 *   names[]   hash: of (dir, name)
 *   table     open hash over names[]
 *
 * The hash is keyed with random bytes, so that nobody can choose names that all meet.  No tree
 * depends on it: whoever ends the tree sets `hash` of its names to 0.
 *
 * Memory: 8 to 16 bytes a name.
 */
#ifndef BFO_INTAKE_NAME_TABLE_H
#define BFO_INTAKE_NAME_TABLE_H

#include "tree/tree.h"

struct bfo_name_table {
	uint32_t *table;		/* index of a name + 1, or 0 */
	size_t size;			/* a power of two */
	uint64_t key[2];
};

/* Begins an empty one.  ENOMEM, or why there are no random bytes. */
errcode_t bfo_name_table_init(struct bfo_name_table *nt);

/* What a name of LEN bytes in directory DIR is looked for by. */
struct bfo_name_key {
	bfo_row dir;
	uint32_t hash;
	const char *name;
	size_t len;
};

struct bfo_name_key bfo_name_key(const struct bfo_name_table *nt, bfo_row dir, const char *name,
				 size_t len);

/* The name of KEY in T, all of whose names are in NT; or NULL. */
struct bfo_name *bfo_name_table_find_key(const struct bfo_name_table *nt, const struct bfo_tree *t,
					 const struct bfo_name_key *key);

/* The same of the name of LEN bytes in directory DIR. */
struct bfo_name *bfo_name_table_find(const struct bfo_name_table *nt, const struct bfo_tree *t,
				     bfo_row dir, const char *name, size_t len);

/* Takes name AT of T, whose names before that are in NT, and which has none like it.  ENOMEM. */
errcode_t bfo_name_table_add(struct bfo_name_table *nt, struct bfo_tree *t, size_t at);

/* The same of one that was looked for by a key, which has HASH. */
errcode_t bfo_name_table_add_hash(struct bfo_name_table *nt, struct bfo_tree *t, size_t at,
				  uint32_t hash);

void bfo_name_table_free(struct bfo_name_table *nt);	/* of a zeroed one, too */

#endif
