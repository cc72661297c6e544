/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lists.h - the files behind --exclude-from, --files-from and --order=list
 *
 *   lists.c          reads them
 *   lists_report.c   tells what they name and is not there
 */
#ifndef E2BFO_COPY_LISTS_H
#define E2BFO_COPY_LISTS_H

#include "base/context.h"
#include "cli/json.h"
#include "copy_options.h"
#include "plan/filter.h"

/* Where entries come from, from this one on. */
struct list_source {
	size_t first;
	const char *name;		/* of a file; NULL: options of the command line */
};

/* Entries, and where each stands in its file: in which line, or, with --from0, the how many-th. */
struct list {
	BFO_VEC(const char *) v;
	bfo_numbers lines;		/* from 1 */
	BFO_VEC(struct list_source) sources;
};

/* What is read stays in `texts`; the filter points into them. */
struct lists {
	struct bfo_filter filter;
	struct list exclude, files, order;
	bfo_numbers order_missing;	/* entries of `order` that lead to no file that is copied */
	int from0;
	BFO_VEC(char *) texts;
};

/* Reads what OPT names.  Release with lists_free(), also after an error. */
errcode_t lists_read(struct lists *l, struct bfo_context *ctx, const struct copy_options *opt);
void lists_free(struct lists *l);

/* ERR came from bfo_plan_filter(): adds to its message where the first missing path stands. */
void lists_explain(const struct lists *l, struct bfo_context *ctx, errcode_t err);

/*
 * To standard error, what is in the lists and not in the source, ten of each kind unless ALL: paths that
 * are missing, if there are several; patterns that exclude nothing; files to be put in order.
 */
void lists_tell(const struct lists *l, int all);

/* The same, all of it: arrays "missing_paths" and "unmatched_excludes", if OPT has such lists. */
void lists_json(struct json *j, const struct lists *l, const struct copy_options *opt);

/* For order[]: the array "missing_paths". */
void lists_json_order(struct json *j, const struct lists *l);

#endif
