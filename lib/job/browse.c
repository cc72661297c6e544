// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * browse.c - an archive or a stream that somebody looks at, path by path
 */
#include <errno.h>

#include "base/bfo_err.h"
#include "job/browse.h"
#include "tree/access.h"
#include "tree/path.h"
#include "tree/slices.h"

errcode_t bfo_browse_tell(struct bfo_browse *b, struct bfo_context *ctx, const char *spec,
			  int *is_one)
{
	errcode_t err;

	*b = (struct bfo_browse) { .ctx = ctx };
	err = bfo_end_tell(ctx, spec, &b->end);
	*is_one = b->end.kind == BFO_END_ARCHIVE || b->end.kind == BFO_END_STREAM;
	return err;
}

/* Names in the order of numbers, and to each record the first name that leads to it. */
static errcode_t sort_names(struct bfo_tree *t)
{
	errcode_t err;
	size_t i;

	for (i = 0; i < t->names.n; i++) {
		t->names.v[i].hash = bfo_name_number(t, &t->names.v[i]);
		t->names.v[i].minor = 0;
	}
	err = bfo_slices_sort(t);
	for (i = 0; i < t->names.n && !err; i++) {
		bfo_row row = bfo_tree_find(t, bfo_name_number(t, &t->names.v[i]));

		if (row != BFO_NONE && t->inodes.v[row].name == BFO_NONE)
			t->inodes.v[row].name = i;
	}
	return err;
}

errcode_t bfo_browse_open(struct bfo_browse *b, const struct bfo_end_options *how)
{
	errcode_t err = bfo_end_open(b->ctx, &b->end, how, &b->source);

	if (!err)
		err = b->source->ops->gather(b->source, &b->tree, 0);
	if (err)
		return err;
	err = sort_names(&b->tree);
	return err ? bfo_fail(b->ctx, err, "reading %s", b->source->name) : 0;
}

errcode_t bfo_browse_check(const struct bfo_browse *b, const struct bfo_medium *medium)
{
	const char *what = medium->mapfile ? "a mapfile" :
			   medium->how.superblock ? "a backup superblock" : NULL;

	return !what ? 0 : bfo_fail(b->ctx, BFO_ET_OPTION, "opening %s: %s is for sources that are "
				    "ext2, ext3 or ext4 volumes", b->end.path, what);
}

void bfo_browse_resolve(const struct bfo_browse *b, const char *path, struct bfo_resolved *way)
{
	const struct bfo_tree *t = &b->tree;
	struct bfo_way w = { .tree = t, .rest = path, .at = BFO_NONE };
	errcode_t err = bfo_way_end(&w);
	uint32_t at = w.at != BFO_NONE ? w.at : t->inodes.v[w.row].name;

	*way = (struct bfo_resolved) { .ino = t->inodes.v[w.row].ino };
	way->parent = !w.row || at == BFO_NONE ? way->ino : t->inodes.v[t->names.v[at].dir].ino;
	if (err == EINVAL)
		way->fault = BFO_PATH_UP;
	else if (err == BFO_ET_NOT_DIR)
		way->fault = S_ISLNK(t->inodes.v[w.row].mode) ? BFO_PATH_LINK : BFO_PATH_NO_DIR;
	else if (err)
		way->fault = BFO_PATH_MISSING;
}

void bfo_browse_resolve_all(const struct bfo_browse *b, const char *const *paths, size_t n,
			    struct bfo_resolved *ways)
{
	size_t i;

	for (i = 0; i < n; i++)
		bfo_browse_resolve(b, paths[i], &ways[i]);
}

void bfo_browse_free(struct bfo_browse *b)
{
	if (b->source)
		b->source->ops->close(b->source);
	bfo_tree_free(&b->tree);
	bfo_end_free(&b->end);
	b->source = NULL;
}
