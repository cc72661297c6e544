/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lists_report.h - what is told of lists: what they name and is not there
 */
#ifndef E2BFO_LISTS_REPORT_H
#define E2BFO_LISTS_REPORT_H

#include "cli/json.h"
#include "job/lists.h"

/* ERR came from bfo_plan_filter(): adds to its message where the first missing path stands. */
void lists_explain(const struct bfo_lists *l, struct bfo_context *ctx, errcode_t err);

/*
 * To standard error, what is in the lists and not in the source, ten of each kind unless ALL: paths
 * that are missing, if there are several; patterns that exclude nothing; files to be put in order.
 */
void lists_tell(const struct bfo_lists *l, int all);

/* The same, all of it: arrays "missing_paths" and "unmatched_excludes", if OPT has such lists. */
void lists_json(struct json *j, const struct bfo_lists *l, const struct bfo_copy_options *opt);

/* For order[]: the array "missing_paths". */
void lists_json_order(struct json *j, const struct bfo_lists *l);

#endif
