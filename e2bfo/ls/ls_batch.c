// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ls_batch.c - a batch of names: their inodes are fetched together, then they are printed in order
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/prefetch.h"
#include "base/sort.h"
#include "ls.h"

#define AHEAD 16U		/* names: a cache miss takes as long as so many */

struct number {			/* for bfo_sort() */
	uint32_t ino, unused;
};

errcode_t ls_names_add(struct ls_names *names, struct ls_name name, const char *text, uint32_t len,
		       const void *hashes)
{
	errcode_t err = bfo_vec_reserve(&names->text, len + BFO_HASH_BYTES);

	if (err)
		return err;
	name.text = names->text.n;
	name.len = len;
	memcpy(names->text.v + names->text.n, text, len);
	names->text.n += len;
	if (hashes) {
		memcpy(names->text.v + names->text.n, hashes, BFO_HASH_BYTES);
		names->text.n += BFO_HASH_BYTES;
	}
	return bfo_vec_push(&names->v, name);
}

void ls_names_free(struct ls_names *names)
{
	bfo_vec_free(&names->v);
	bfo_vec_free(&names->text);
}

/* The inode numbers of names FIRST to END - 1, ascending, each once, to INOS; returns how many. */
static size_t list_numbers(const struct ls_names *names, size_t first, size_t end,
			   struct number *sorted, uint32_t *inos)
{
	size_t i, n = 0;

	for (i = first; i < end; i++)
		sorted[i - first] = (struct number) { .ino = names->v.v[i].ino };
	bfo_sort(sorted, end - first, sizeof(*sorted), 1);
	for (i = 0; i < end - first; i++)
		if (!n || inos[n - 1] != sorted[i].ino)
			inos[n++] = sorted[i].ino;
	return n;
}

static int has_bad(const struct bfo_stats *stats)
{
	size_t i;

	for (i = 0; i < stats->v.n && stats->v.v[i].bad == BFO_FOUND_KINDS; i++)
		;
	return i < stats->v.n;
}

errcode_t ls_batch_read(struct ls *ls, struct ls_inodes *in, const uint32_t *inos, size_t n)
{
	errcode_t err = bfo_stats_read(&in->stats, &ls->reader, inos, n);
	int tries = 0;

	while (!err && has_bad(&in->stats) && bfo_users_again(ls->volume, &tries))
		err = bfo_stats_read(&in->stats, &ls->reader, inos, n);
	ls->attrs.names = &in->names;
	if (!err && ls->opt.common.json)
		err = bfo_ea_names_read(&in->names, &ls->reader, &in->stats);
	return err;
}

void ls_batch_free(struct ls_inodes *in)
{
	bfo_stats_free(&in->stats);
	bfo_ea_names_free(&in->names);
}

static errcode_t read_inodes(struct ls *ls, const struct ls_names *names, size_t first, size_t end)
{
	struct number *sorted = malloc((end - first) * sizeof(*sorted) + 1);
	uint32_t *inos = malloc((end - first) * sizeof(*inos) + 1);
	errcode_t err = ENOMEM;

	if (sorted && inos)
		err = ls_batch_read(ls, &ls->inodes, inos,
				    list_numbers(names, first, end, sorted, inos));
	free(sorted);
	free(inos);
	return err;
}

/* Returns 1 if ST, one of IN, is sound. */
static int print_stat(struct ls *ls, const struct ls_inodes *in, const struct bfo_stat *st,
		      const char *name, uint32_t len)
{
	if (st->bad != BFO_FOUND_KINDS) {
		ls_print_damage(&ls->print, name, len, &(struct damage) { .kind = st->bad,
				.ino = st->ino });
		return 0;
	}
	ls_print_entry(&ls->print, name, len, st,
		       st->target_len ? in->stats.targets.v + st->target : NULL);
	return 1;
}

errcode_t ls_batch_dots(struct ls *ls, uint32_t dir)
{
	const struct ls_dir *d = &ls->queue.dirs.v[dir];
	uint32_t above = dir ? ls->queue.dirs.v[d->parent].ino : ls->parent;
	uint32_t inos[2] = { d->ino < above ? d->ino : above, d->ino < above ? above : d->ino };
	errcode_t err = ls_batch_read(ls, &ls->dots, inos, 1 + (inos[0] != inos[1]));

	if (!err) {
		print_stat(ls, &ls->dots, bfo_stats_find(&ls->dots.stats, d->ino), ".", 1);
		print_stat(ls, &ls->dots, bfo_stats_find(&ls->dots.stats, above), "..", 2);
	}
	ls->attrs.names = &ls->inodes.names;
	return err;
}

static errcode_t print_name(struct ls *ls, const struct ls_name *n, const char *name)
{
	const struct bfo_stat *st = bfo_stats_find(&ls->inodes.stats, n->ino);
	const struct ext2_inode *raw = st->raw;

	if (!print_stat(ls, &ls->inodes, st, name, n->len))
		return 0;
	if (!ls->opt.recursive || !S_ISDIR(ext2fs_le16_to_cpu(raw->i_mode)))
		return 0;
	return ls_queue_add(ls, n->dir, name, n->len, st);
}

errcode_t ls_batch_list(struct ls *ls, const struct ls_names *names, size_t first, size_t end,
			uint32_t *entered)
{
	errcode_t err = read_inodes(ls, names, first, end);
	const struct ls_name *n;
	size_t i;

	for (i = first; i < end && !err; i++) {
		n = &names->v.v[i];
		if (i + AHEAD < end)
			bfo_prefetch(names->text.v + n[AHEAD].text);
		while (!err && *entered != n->dir)
			err = ls_queue_enter(ls, ++*entered);
		if (!err)
			err = print_name(ls, n, names->text.v + n->text);
	}
	fflush(stdout);
	return err;
}
