/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lists.h - the files behind --exclude-from, --files-from and --order=list
 */
#ifndef E2BFO_LISTS_H
#define E2BFO_LISTS_H

#include "base/context.h"
#include "options.h"
#include "plan/filter.h"

typedef BFO_VEC(const char *) list_entries;

/* What is read stays in `texts`; the filter points into them. */
struct lists {
	struct bfo_filter filter;
	list_entries exclude, files, order;
	BFO_VEC(char *) texts;
};

/* Reads what OPT names.  Release with lists_free(), also after an error. */
errcode_t lists_read(struct lists *l, struct bfo_context *ctx, const struct copy_options *opt);
void lists_free(struct lists *l);

#endif
