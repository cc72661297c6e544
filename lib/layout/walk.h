/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk.h - whoever walks a tree: depth first, each directory in an order
 *
 * As tar does: a directory is listed whole, then each of its names is taken in the order, and a
 * directory with all that is below it before the next name.  Needs names as bfo_names_list() leaves
 * them.
 *
 * Errors: ENOMEM.
 */
#ifndef BFO_LAYOUT_WALK_H
#define BFO_LAYOUT_WALK_H

#include "tree/tree.h"

enum bfo_walk_order {
	BFO_WALK_READDIR,	/* as a kernel lists it */
	BFO_WALK_NAME,		/* bytes of names */
	BFO_WALK_INODE,		/* inode numbers */
	BFO_WALK_ORDERS
};

/* Appends the names of directory record DIR to OUT, as positions in names[], in ORDER. */
errcode_t bfo_walk_names(const struct bfo_tree *t, bfo_row dir, enum bfo_walk_order order,
			 bfo_numbers *out);

/*
 * Appends the records that are met from the N records in ROOTS on to OUT, each once and where it is
 * met first, directories before what is in them.  Damaged ones are left out.
 *
 * In readdir order it also leaves traces in T: BFO_INODE_PLACED and the first name in each record
 * that is met, BFO_INODE_MET in damaged ones; a second name of a directory becomes a finding.
 */
errcode_t bfo_walk(struct bfo_tree *t, const bfo_row *roots, size_t n, enum bfo_walk_order order,
		   bfo_rows *out);

#endif
