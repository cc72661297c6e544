/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * indexes.h - the container of indexes in a copy: not copied, but kept up to date or made
 *
 * A container in the source is left behind: it lists other inode numbers.  One on the target stays as
 * it is unless a directory that it lists gains names: then that directory's tree is built anew, and
 * all others are taken over.  --itree makes trees of all big directories that are written.
 */
#ifndef E2BFO_COPY_INDEXES_H
#define E2BFO_COPY_INDEXES_H

#include "commit/itrees_write.h"
#include "plan/itrees.h"

struct copy;

struct itrees {
	struct bfo_itrees plan;
	struct bfo_reader reader;	/* of the target */
	struct bfo_container old;	/* what the target has */
	bfo_container_catalogue trees;	/* in it */
	int has_old;			/* it is there; */
	int is_fresh;			/* and was made for the target as it is */
	struct bfo_extsort *names;
	struct bfo_itree_source source;
	uint64_t built;			/* trees */
};

/* Looks at the target VOL: before bfo_plan_land(). */
errcode_t itrees_begin(struct copy *c, struct bfo_volume *vol);

/* Once the order is settled: is there something to be done? */
errcode_t itrees_choose(struct copy *c);

/* Between numbers and space: collects names, sizes trees. */
errcode_t itrees_place(struct copy *c, const struct bfo_volume *vol);

void itrees_free(struct itrees *it);

#endif
