/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reproducible.h - what a new filesystem is called and dated by, when the same tree is to give the
 * same bytes
 */
#ifndef BFO_JOB_REPRODUCIBLE_H
#define BFO_JOB_REPRODUCIBLE_H

#include "gather/source.h"

struct bfo_identity {
	uint8_t uuid[16];		/* also seeds the hash of names */
	int64_t newest;			/* seconds: when content was changed last */
};

/*
 * What follows from SEED (NULL: an empty one) and from TREE, gathered from S: names, and of what
 * they lead to types, permissions, owners, sizes and times, in whatever order they come.  The UUID
 * is of version 8 (RFC 9562).  ENOMEM, and errors of S.
 */
errcode_t bfo_identity_of(struct bfo_source *s, const struct bfo_tree *tree, const char *seed,
			  struct bfo_identity *id);

#endif
