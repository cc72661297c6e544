// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ls_list.c - what many paths are: stat(2) of a whole list
 *
 * All are looked up together, then their inodes are read in ascending order, in batches.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "job/lists.h"
#include "tree/path.h"
#include "ls.h"

#define BATCH 16384U		/* inodes that are read together */

/* A path; the sort key. */
struct item {
	uint32_t ino;
	uint32_t index;		/* in the list */
};

struct listed {
	struct ls *ls;
	struct bfo_lists lists;
	const char *const *paths;
	size_t n;
	struct bfo_resolved *ways;
	BFO_VEC(struct item) items;
	bfo_numbers inos;	/* of a batch */
};

/* What leads somewhere becomes an item; all else is told. */
static errcode_t collect(struct listed *l)
{
	struct ls *ls = l->ls;
	errcode_t err = 0, why;
	uint32_t i;

	for (i = 0; i < l->n && !err; i++) {
		why = bfo_resolved_check(&ls->ctx, ls->opt.volume, l->paths[i], &l->ways[i]);
		if (why)
			ls_complain(ls, why);
		else
			err = bfo_vec_push(&l->items, (struct item) { l->ways[i].ino, i });
	}
	bfo_sort(l->items.v, l->items.n, sizeof(*l->items.v), 2);
	return err;
}

/* Items FIRST to END - 1. */
static errcode_t print_batch(struct listed *l, size_t first, size_t end)
{
	struct ls *ls = l->ls;
	const struct item *v = l->items.v;
	errcode_t err = 0;
	size_t i;

	l->inos.n = 0;
	for (i = first; i < end && !err; i++)
		if (i == first || v[i].ino != v[i - 1].ino)
			err = bfo_vec_push(&l->inos, v[i].ino);
	if (!err)
		err = bfo_readdir_read(&ls->list, &ls->list.inodes, l->inos.v, l->inos.n);
	for (i = first; i < end && !err; i++) {
		err = bfo_path_clean(l->paths[v[i].index], &ls->path);
		if (!err)
			err = ls->sink.alone(ls);
		if (!err)
			err = bfo_readdir_tell(&ls->list, &ls->list.inodes,
					       bfo_stats_find(&ls->list.inodes.stats, v[i].ino),
					       ls->path.v, ls->path.n, NULL);
	}
	return err;
}

static errcode_t list(struct listed *l)
{
	struct ls *ls = l->ls;
	errcode_t err;
	size_t i, end;

	l->ways = malloc(l->n * sizeof(*l->ways) + 1);
	if (!l->ways)
		return bfo_fail(&ls->ctx, ENOMEM, "listing");
	err = bfo_resolve(&ls->reader, l->paths, l->n, l->ways);
	if (!err)
		err = collect(l);
	for (i = 0; i < l->items.n && !err; i = end) {
		end = l->items.n - i < BATCH ? l->items.n : i + BATCH;
		err = print_batch(l, i, end);
	}
	return err;
}

errcode_t ls_list_files(struct ls *ls)
{
	const struct bfo_copy_options names = { .files_from = ls->opt.files_from,
						.from0 = ls->opt.from0, .allow_empty = 1 };
	struct listed l = { .ls = ls };
	errcode_t err = bfo_lists_read(&l.lists, &ls->ctx, &names);

	l.paths = l.lists.files.v.v;
	l.n = l.lists.files.v.n;
	if (!err)
		err = list(&l);
	bfo_lists_free(&l.lists);
	free(l.ways);
	bfo_vec_free(&l.items);
	bfo_vec_free(&l.inos);
	return err == ENOMEM ? bfo_fail(&ls->ctx, err, "listing") : err;
}
