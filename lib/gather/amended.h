/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * amended.h - a source whose tree is amended (tree/amend.h)
 *
 * It stands before another one, and hands on what that says, amended; contents are as they are.
 * With `is_reproducible`, whole blocks of zeroes become holes: for that all data are read once.
 */
#ifndef BFO_GATHER_AMENDED_H
#define BFO_GATHER_AMENDED_H

#include "gather/source.h"
#include "tree/amend.h"

struct bfo_amended {
	struct bfo_source source;
	struct bfo_source *of;
	const struct bfo_amend *amend;
	const struct bfo_tree *tree;	/* once it is gathered */
	uint32_t hole;			/* bytes of a block that becomes a hole (zeroes.h) */
	bfo_chars raw;			/* scratch: an inode */
};

/*
 * a->source becomes one of OF, which is closed with it; AMEND has to stay, and the tree that is
 * gathered.  Before that the caller sets a->hole.  Errors of its calls beside those of OF: ENOMEM;
 * EINVAL for an owner who has no successor, of an inode that the plan has put in order.
 */
void bfo_amended_begin(struct bfo_amended *a, struct bfo_source *of,
		       const struct bfo_amend *amend);

#endif
