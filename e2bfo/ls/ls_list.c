// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ls_list.c - what the paths of a list are
 */
#include <errno.h>
#include <stdlib.h>

#include "job/lists.h"
#include "ls.h"

static errcode_t list(struct ls *ls, const char *const *paths, size_t n,
		      struct bfo_resolved *ways)
{
	errcode_t err = ways ? ls_resolve(ls, paths, n, ways)
			     : bfo_fail(&ls->ctx, ENOMEM, "listing"), why;
	size_t i;

	for (i = 0; i < n && !err; i++) {
		why = bfo_resolved_check(&ls->ctx, ls->opt.volume, paths[i], &ways[i]);
		if (why)
			ls_complain(ls, why);
	}
	return err ? err : bfo_readdir_paths(&ls->list, paths, ways, n);
}

errcode_t ls_list_files(struct ls *ls)
{
	const struct bfo_copy_options names = { .files_from = ls->opt.files_from,
						.from0 = ls->opt.from0, .allow_empty = 1 };
	struct bfo_lists lists = { .from0 = 0 };
	struct bfo_resolved *ways = NULL;
	errcode_t err = bfo_lists_read(&lists, &ls->ctx, &names);

	if (!err) {
		ways = malloc(lists.files.v.n * sizeof(*ways) + 1);
		err = list(ls, lists.files.v.v, lists.files.v.n, ways);
	}
	free(ways);
	bfo_lists_free(&lists);
	return err;
}
