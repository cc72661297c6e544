// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * readdir_batch.c - a batch of names: their inodes are fetched together, then told in order
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/prefetch.h"
#include "base/sort.h"
#include "job/readdir.h"

#define AHEAD 16U		/* names: a cache miss takes as long as so many */

struct number {			/* for bfo_sort() */
	uint32_t ino, unused;
};

errcode_t bfo_readdir_names_add(struct bfo_readdir_names *names, struct bfo_readdir_name name,
				const char *text, uint32_t len, const void *hashes)
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

void bfo_readdir_names_free(struct bfo_readdir_names *names)
{
	bfo_vec_free(&names->v);
	bfo_vec_free(&names->text);
}

/* The inode numbers of names FIRST to END - 1, ascending, each once, to INOS; returns how many. */
static size_t list_numbers(const struct bfo_readdir_names *names, size_t first, size_t end,
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

errcode_t bfo_readdir_read(struct bfo_readdir *l, struct bfo_readdir_inodes *in,
			   const uint32_t *inos, size_t n)
{
	errcode_t err;
	int tries = 0;

	if (l->tree)
		return bfo_readdir_read_tree(l, &in->stats, inos, n);
	err = bfo_stats_read(&in->stats, l->reader, inos, n);
	while (!err && has_bad(&in->stats) && bfo_users_again(l->reader->vol, &tries))
		err = bfo_stats_read(&in->stats, l->reader, inos, n);
	if (!err && l->opt.xattrs)
		err = bfo_ea_names_read(&in->names, l->reader, &in->stats);
	return err;
}

void bfo_readdir_inodes_free(struct bfo_readdir_inodes *in)
{
	bfo_stats_free(&in->stats);
	bfo_ea_names_free(&in->names);
}

static errcode_t read_inodes(struct bfo_readdir *l, const struct bfo_readdir_names *names,
			     size_t first, size_t end)
{
	struct number *sorted = malloc((end - first) * sizeof(*sorted) + 1);
	uint32_t *inos = malloc((end - first) * sizeof(*inos) + 1);
	errcode_t err = ENOMEM;

	if (sorted && inos)
		err = bfo_readdir_read(l, &l->inodes, inos,
				    list_numbers(names, first, end, sorted, inos));
	free(sorted);
	free(inos);
	return err;
}

errcode_t bfo_readdir_tell_damage(struct bfo_readdir *l, const char *name, size_t len,
				  enum bfo_finding_kind kind, uint32_t ino)
{
	static const struct bfo_tree none;
	const struct bfo_finding f = { .kind = kind, .ino = ino, .len = BFO_NO_NAME };

	return l->to->damage(l->to->priv, name, len, &none, &f);
}

errcode_t bfo_readdir_tell(struct bfo_readdir *l, struct bfo_readdir_inodes *in,
			   const struct bfo_stat *st, const char *name, size_t len, int *sound)
{
	struct bfo_readdir_entry e = { .name = name, .len = len, .st = st, .ino = st->ino };
	errcode_t err;

	if (sound)
		*sound = st->bad == BFO_FOUND_KINDS;
	if (st->bad != BFO_FOUND_KINDS)
		return bfo_readdir_tell_damage(l, name, len, st->bad, st->ino);
	e.target = st->target_len ? in->stats.targets.v + st->target : NULL;
	e.xattrs = l->opt.xattrs ? &in->names : NULL;
	err = l->to->entry(l->to->priv, &e);
	return err || !st->strange ? err :
	       bfo_readdir_tell_damage(l, name, len, BFO_FOUND_INODE_FLAGS, st->ino);
}

errcode_t bfo_readdir_dots(struct bfo_readdir *l, uint32_t dir)
{
	const struct bfo_readdir_dir *d = &l->queue.dirs.v[dir];
	uint32_t above = dir ? l->queue.dirs.v[d->parent].ino : l->parent;
	uint32_t inos[2] = { d->ino < above ? d->ino : above, d->ino < above ? above : d->ino };
	errcode_t err = bfo_readdir_read(l, &l->dots, inos, 1 + (inos[0] != inos[1]));

	if (!err)
		err = bfo_readdir_tell(l, &l->dots, bfo_stats_find(&l->dots.stats, d->ino), ".", 1,
				       NULL);
	if (!err)
		err = bfo_readdir_tell(l, &l->dots, bfo_stats_find(&l->dots.stats, above), "..", 2,
				       NULL);
	return err;
}

static errcode_t tell_name(struct bfo_readdir *l, const struct bfo_readdir_name *n,
			   const char *name)
{
	const struct bfo_stat *st = bfo_stats_find(&l->inodes.stats, n->ino);
	const struct ext2_inode *raw = st->raw;
	int sound, told;
	errcode_t err = bfo_readdir_tell_members(l, l->queue.dirs.v[n->dir].ino, st, name, n->len,
						 &told);

	if (err || told)
		return err;
	err = bfo_readdir_tell(l, &l->inodes, st, name, n->len, &sound);
	if (err || !sound || !l->opt.recursive || !S_ISDIR(ext2fs_le16_to_cpu(raw->i_mode)))
		return err;
	return bfo_readdir_add(l, n->dir, name, n->len, st);
}

errcode_t bfo_readdir_batch(struct bfo_readdir *l, const struct bfo_readdir_names *names,
			    size_t first, size_t end, uint32_t *entered)
{
	errcode_t err = read_inodes(l, names, first, end);
	const struct bfo_readdir_name *n;
	size_t i;

	for (i = first; i < end && !err; i++) {
		n = &names->v.v[i];
		if (i + AHEAD < end)
			bfo_prefetch(names->text.v + n[AHEAD].text);
		while (!err && *entered != n->dir)
			err = bfo_readdir_enter(l, ++*entered);
		if (!err)
			err = tell_name(l, n, names->text.v + n->text);
	}
	l->to->pause(l->to->priv);
	return err;
}
