/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lookup.h - following a path through the source's sorted names
 */
#ifndef BFO_PLAN_LOOKUP_H
#define BFO_PLAN_LOOKUP_H

#include "plan/plan.h"
#include "tree/path.h"

/* Where a path has led so far. */
struct bfo_lookup {
	const char *path, *rest;
	uint32_t pos;		/* in names[]; BFO_NONE: the root */
};

static inline struct bfo_lookup bfo_lookup_begin(const char *path)
{
	return (struct bfo_lookup) { .path = path, .rest = path, .pos = BFO_NONE };
}

/*
 * Follows one component; *MORE is 0 at the end of the path.  Refused are paths that do not exist,
 * go through something that is no directory, are excluded (plan/filter), or have "..".  Needs
 * bfo_plan_names(), and a root that is a directory.
 */
errcode_t bfo_lookup_step(struct bfo_plan *plan, struct bfo_lookup *l, int *more);

/*
 * The record that name N leads to, or BFO_NONE: it is not to be copied, or leads to what only the
 * target has.  Among merged directories it needs their order (bfo_plan_order()).
 */
bfo_row bfo_lookup_record(const struct bfo_plan *plan, const struct bfo_name *n);

/* Follows it to its end. */
errcode_t bfo_lookup_end(struct bfo_plan *plan, struct bfo_lookup *l);

/* The same; *FOUND is 0 if that is not there, which is no error here. */
errcode_t bfo_lookup_rest(struct bfo_plan *plan, struct bfo_lookup *l, int *found);

/*
 * The record of the file at the end of L, anything but a directory, that is copied; BFO_NONE if
 * there is no such file.  After bfo_plan_order().
 */
errcode_t bfo_lookup_file(struct bfo_plan *plan, struct bfo_lookup l, bfo_row *row);

#endif
