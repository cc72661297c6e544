/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lists.h - the files that list patterns, paths to be copied, and paths in order
 */
#ifndef BFO_JOB_LISTS_H
#define BFO_JOB_LISTS_H

#include "base/context.h"
#include "job/job_options.h"
#include "plan/filter.h"

/* Where entries come from, from this one on. */
struct bfo_list_source {
	size_t first;
	const char *name;		/* of a file; NULL: patterns of the options */
};

/* Entries, and where each stands in its file: in which line, or the how many-th it is. */
struct bfo_list {
	BFO_VEC(const char *) v;
	bfo_numbers lines;		/* from 1 */
	/* entries before which a group ends, as an empty entry says */
	bfo_numbers ends;
	BFO_VEC(struct bfo_list_source) sources;
};

/* What is read stays in `texts`; the filter points into them. */
struct bfo_lists {
	struct bfo_filter filter;
	struct bfo_list exclude, files, order;
	bfo_numbers order_missing;	/* entries of `order` that lead to no file that is copied */
	int from0;			/* entries end in NUL */
	BFO_VEC(char *) texts;
};

/*
 * Reads what OPT names ("-": standard input).  EINVAL: a line that has a NUL, or ends in a carriage
 * return; BFO_ET_EMPTY_LIST; errors of open(2) and read(2).  Free also after an error.
 */
errcode_t bfo_lists_read(struct bfo_lists *l, struct bfo_context *ctx,
			 const struct bfo_copy_options *opt);
void bfo_lists_free(struct bfo_lists *l);

/* The file that ENTRY of L stands in, or NULL. */
const char *bfo_list_file(const struct bfo_list *l, size_t entry);

#endif
