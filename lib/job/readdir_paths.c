// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * readdir_paths.c - what many paths are: stat(2) of a whole list
 *
 * Their inodes are read in ascending order, in batches.
 */
#include <errno.h>

#include "base/sort.h"
#include "job/readdir.h"
#include "tree/path.h"

#define BATCH 16384U		/* inodes that are read together */

/* A path; the sort key. */
struct item {
	uint32_t ino;
	uint32_t index;
};

struct sweep {
	struct bfo_readdir *l;
	const char *const *paths;
	BFO_VEC(struct item) items;
	bfo_numbers inos;	/* of a batch */
	bfo_chars clean;	/* a path in its shortest form */
};

static errcode_t tell_one(struct sweep *s, const struct item *item)
{
	const struct bfo_readdir_sink *to = s->l->to;
	errcode_t err = bfo_path_clean(s->paths[item->index], &s->clean);

	s->l->index = item->index;
	if (!err)
		err = to->alone(to->priv);
	if (!err && bfo_readdir_is_member(s->l, item->ino))
		return bfo_readdir_tell_member(s->l, item->ino, s->clean.v, s->clean.n);
	return err ? err : bfo_readdir_tell(s->l, &s->l->inodes,
					    bfo_stats_find(&s->l->inodes.stats, item->ino),
					    s->clean.v, s->clean.n, NULL);
}

/* Items FIRST to END - 1. */
static errcode_t tell_batch(struct sweep *s, size_t first, size_t end)
{
	const struct item *v = s->items.v;
	errcode_t err = 0;
	size_t i;

	s->inos.n = 0;
	for (i = first; i < end && !err; i++)
		if ((i == first || v[i].ino != v[i - 1].ino) &&
		    !bfo_readdir_is_member(s->l, v[i].ino))
			err = bfo_vec_push(&s->inos, v[i].ino);
	if (!err)
		err = bfo_readdir_read(s->l, &s->l->inodes, s->inos.v, s->inos.n);
	for (i = first; i < end && !err; i++)
		err = tell_one(s, &v[i]);
	return err;
}

errcode_t bfo_readdir_paths(struct bfo_readdir *l, const char *const *paths,
			    const struct bfo_resolved *ways, size_t n)
{
	struct sweep s = { .l = l, .paths = paths };
	errcode_t err = 0;
	size_t i, end;

	for (i = 0; i < n && !err; i++)
		if (ways[i].fault == BFO_PATH_SOUND)
			err = bfo_vec_push(&s.items, (struct item) { ways[i].ino, i });
	bfo_sort(s.items.v, s.items.n, sizeof(*s.items.v), 2);
	for (i = 0; i < s.items.n && !err; i = end) {
		end = s.items.n - i < BATCH ? s.items.n : i + BATCH;
		err = tell_batch(&s, i, end);
	}
	bfo_vec_free(&s.items);
	bfo_vec_free(&s.inos);
	bfo_vec_free(&s.clean);
	return err == ENOMEM ? bfo_fail(l->ctx, err, "listing") : err;
}
