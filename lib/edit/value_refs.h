/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * value_refs.h - values of attributes in inodes of their own (feature ea_inode), by references
 *
 * Each entry, in an inode or in an attribute block, that names such an inode is a reference.  Their
 * number changes with the entries that come and go; without any the inode goes.  Part of a commit.
 *
 * Errors: BFO_ET_DAMAGED; those of edit/edit.h.
 */
#ifndef BFO_EDIT_VALUE_REFS_H
#define BFO_EDIT_VALUE_REFS_H

#include "edit/edit.h"

struct bfo_value_ref {
	uint32_t ino;
	int32_t change;		/* of its references */
};

typedef BFO_VEC(struct bfo_value_ref) bfo_value_refs;

/*
 * What draft N has in its inode and its new attribute block, and what it had in its inode; sets
 * n->values and n->values_before.  Before the block has its place.
 */
errcode_t bfo_value_refs_note(struct bfo_edit *e, struct bfo_draft *n, bfo_value_refs *refs);

/* Attribute block BLOCK is freed. */
errcode_t bfo_value_refs_drop(struct bfo_edit *e, const void *block, bfo_value_refs *refs);

/* All that was noted: inodes of values change, or go; so do new ones without references. */
errcode_t bfo_value_refs_settle(struct bfo_edit *e, bfo_value_refs *refs);

#endif
