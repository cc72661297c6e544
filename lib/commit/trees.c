// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trees.c - extent trees and block maps: what of them has no room in inodes
 *
 * They stand behind all items in the stem, so they are one more ascending run.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "commit/stem.h"
#include "plan/map.h"

#define TREE_BYTES (1U << 20)	/* blocks written together */

/* Tree blocks on their way out: consecutive ones leave in one write. */
struct tree_writer {
	struct bfo_writer *w;
	char *buf;
	uint64_t blk;		/* of the first in buf */
	uint32_t n, max;	/* blocks in buf, blocks that fit */
};

static errcode_t drain(struct tree_writer *tw)
{
	uint32_t n = tw->n;

	tw->n = 0;
	return n ? bfo_writer_write(tw->w, tw->blk, n, tw->buf) : 0;
}

static errcode_t write_tree(struct bfo_plan *plan, struct tree_writer *tw,
			    const struct bfo_map_tree *tree, struct bfo_map *map)
{
	errcode_t err = bfo_map_init(map, plan, tree->row);
	uint64_t blk;
	uint32_t k;

	for (k = 0; k < tree->blocks && !err; k++) {
		blk = bfo_plan_tree_block(plan, tree, k);
		if (tw->n == tw->max || blk != tw->blk + tw->n)
			err = drain(tw);
		if (!tw->n)
			tw->blk = blk;
		bfo_map_block(map, plan, tree, k,
			      tw->buf + (size_t) tw->n++ * plan->target->block_size);
	}
	return err;
}

BFO_SORT_BY(by_stem, struct bfo_map_tree, stem)

errcode_t bfo_trees_write(struct bfo_plan *plan, struct bfo_writer *w)
{
	struct tree_writer tw = { .w = w, .max = TREE_BYTES / plan->target->block_size };
	struct bfo_map_tree *sorted;
	struct bfo_map map = { 0 };
	errcode_t err = 0;
	size_t i;

	sorted = malloc(plan->trees.n * sizeof(*sorted) + 1);
	tw.buf = malloc(TREE_BYTES);
	if (!sorted || !tw.buf)
		err = bfo_fail(plan->ctx, ENOMEM, "writing extent trees");
	for (i = 0; i < plan->trees.n && !err; i++)
		sorted[i] = plan->trees.v[i];
	if (!err)
		qsort(sorted, plan->trees.n, sizeof(*sorted), by_stem);
	for (i = 0; i < plan->trees.n && !err; i++)
		err = write_tree(plan, &tw, &sorted[i], &map);
	if (!err)
		err = drain(&tw);
	bfo_map_free(&map);
	free(sorted);
	free(tw.buf);
	return err;
}
