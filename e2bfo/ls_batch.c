// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ls_batch.c - a batch of names: their inodes are fetched together, then they are printed in order
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/sort.h"
#include "ls.h"

struct number {			/* for bfo_sort() */
	uint32_t ino, unused;
};

/* The inode numbers of names FIRST to END - 1, ascending, each once, to INOS; returns how many. */
static size_t list_numbers(const struct bfo_tree *t, size_t first, size_t end,
			   struct number *sorted, uint32_t *inos)
{
	size_t i, n = 0;

	for (i = first; i < end; i++)
		sorted[i - first] = (struct number) { .ino = t->names.v[i].ino };
	bfo_sort(sorted, end - first, sizeof(*sorted), 1);
	for (i = 0; i < end - first; i++)
		if (!n || inos[n - 1] != sorted[i].ino)
			inos[n++] = sorted[i].ino;
	return n;
}

static errcode_t read_inodes(struct ls *ls, const struct bfo_tree *t, size_t first, size_t end)
{
	struct number *sorted = malloc((end - first) * sizeof(*sorted) + 1);
	uint32_t *inos = malloc((end - first) * sizeof(*inos) + 1);
	errcode_t err = ENOMEM;

	if (sorted && inos)
		err = bfo_stats_read(&ls->stats, &ls->reader, inos,
				     list_numbers(t, first, end, sorted, inos));
	free(sorted);
	free(inos);
	return err;
}

static errcode_t print_name(struct ls *ls, const struct bfo_tree *t, const struct bfo_name *n)
{
	const struct bfo_stat *st = bfo_stats_find(&ls->stats, n->ino);
	const char *name = bfo_name_text(t, n);
	uint32_t len = bfo_name_len(n);
	const struct ext2_inode *raw = st->raw;

	if (st->bad != BFO_FOUND_KINDS) {
		ls_print_damage(&ls->print, st->bad, name, len, st->ino, 0);
		return 0;
	}
	ls_print_entry(&ls->print, name, len, st,
		       st->target_len ? ls->stats.targets.v + st->target : NULL);
	if (!ls->opt.recursive || !S_ISDIR(ext2fs_le16_to_cpu(raw->i_mode)))
		return 0;
	return ls_queue_add(ls, n->dir, name, len, st);
}

errcode_t ls_batch_list(struct ls *ls, const struct bfo_tree *t, size_t first, size_t end,
			uint32_t *entered)
{
	errcode_t err = read_inodes(ls, t, first, end);
	size_t i;

	for (i = first; i < end && !err; i++) {
		bfo_names_ask_text(t, i, end);
		while (!err && *entered != t->names.v[i].dir)
			err = ls_queue_enter(ls, ++*entered);
		if (!err)
			err = print_name(ls, t, &t->names.v[i]);
	}
	fflush(stdout);
	return err;
}
