/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h - names that are not to be copied: --exclude, --files-from
 */
#ifndef BFO_PLAN_FILTER_H
#define BFO_PLAN_FILTER_H

#include "plan/plan.h"

/* A path that was listed, and is not there. */
struct bfo_missing {
	size_t entry;		/* index */
	errcode_t why;		/* BFO_ET_NO_PATH, BFO_ET_NOT_DIR, EINVAL ("..") */
};

struct bfo_filter {
	const char *const *exclude;	/* patterns (plan/glob.h) for paths of the source */
	size_t n_exclude;
	int selects;			/* only `files` and what leads to them */
	const char *const *files;	/* paths in the source; directories with all below */
	size_t n_files;
	/* What came of it, by bfo_plan_filter(): */
	BFO_VEC(struct bfo_missing) missing;	/* of `files` */
	BFO_VEC(size_t) idle;		/* patterns that excluded nothing: indexes */
};

void bfo_filter_free(struct bfo_filter *filter);

/*
 * Kills names between bfo_plan_names() and bfo_plan_land(), and drops findings about names that
 * would have been dropped.  A dropped directory is not entered.  Sets
 * plan->filtered.  Fails if one of the files does not exist, but looks at all of them first.
 *
 * Time: bytes of names times bytes of patterns / 64.  Memory: two bits per name, one per inode,
 * and one per byte of the patterns for each level of directories.
 */
errcode_t bfo_plan_filter(struct bfo_plan *plan, struct bfo_filter *filter);

#endif
