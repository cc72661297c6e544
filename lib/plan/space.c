// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * space.c - the stem: where every new block goes
 *
 * The items' lengths are known, so their places in the stem are a running sum.  How many blocks
 * of extent trees are needed depends on where the stem's runs end, and how many runs there are
 * on how many blocks are needed: the runs are chosen again with more room until it suffices.
 *
 * What is kept where it lies is not free for the stem.
 */
#include <errno.h>
#include <stdlib.h>
#include <ext2fs/ext2_fs.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "plan/dirimage.h"
#include "plan/inline.h"
#include "plan/itrees.h"
#include "plan/map.h"
#include "plan/plan.h"
#include "plan/runs.h"
#include "tree/access.h"
#include "tree/path.h"

/* Sizes directory record ROW. */
static errcode_t size_dir(struct bfo_plan *plan, bfo_row row)
{
	struct bfo_inode *rec = &plan->tree->inodes.v[row];
	struct bfo_dirimage img;
	uint32_t len = 0;
	char path[256];
	errcode_t err;

	err = bfo_dirimage_init(&img, plan->tree, plan->target, row, plan->dir_fill);
	if (err)
		bfo_fail(plan->ctx, err, "planning directory %s",
			 bfo_tree_shown_path(plan->tree, row, path, sizeof(path)));
	rec->size = (uint64_t) img.blocks * plan->target->block_size;
	rec->state &= ~(BFO_INODE_INDEX | BFO_INODE_STUFF);
	if (!err && !(rec->state & BFO_INODE_EXISTS) && !(rec->flags & EXT4_ENCRYPT_FL) &&
	    (rec->state & BFO_INODE_INLINE || !plan->tree->inline_data))
		len = bfo_inline_dir(&img, bfo_inline_room(plan, rec), NULL);
	if (len) {
		rec->size = len;
		rec->state |= BFO_INODE_STUFF;
	} else if (img.indexed) {
		rec->state |= BFO_INODE_INDEX;
	}
	bfo_dirimage_free(&img);
	return err;
}

/* Files and symbolic links: in the inode or not? */
static void choose_inline(const struct bfo_plan *plan, struct bfo_inode *rec)
{
	rec->state &= ~BFO_INODE_STUFF;
	if (!(rec->state & BFO_INODE_EXISTS) && bfo_inline_fits(plan, rec))
		rec->state |= BFO_INODE_STUFF;
}

static errcode_t too_big(const struct bfo_plan *plan, bfo_row row)
{
	char path[256];

	return bfo_fail(plan->ctx, BFO_ET_FILE_TOO_BIG, "planning %s",
			bfo_tree_shown_path(plan->tree, row, path, sizeof(path)));
}

/* A run that stays where it lies takes whole clusters there. */
static errcode_t keep_run(struct bfo_plan *plan, const struct bfo_run *run)
{
	uint64_t ratio = plan->target->cluster_blocks, first = run->kept / ratio * ratio;
	uint64_t end = (run->kept + run->len + ratio - 1) / ratio * ratio;

	plan->kept_blocks += run->len;
	return bfo_vec_push(&plan->kept, (struct bfo_range) { .start = first,
			    .len = end - first });
}

/* Blocks of the stem that REC takes; counts what is read and written for it. */
static errcode_t item_blocks(struct bfo_plan *plan, const struct bfo_inode *rec, uint64_t *blocks)
{
	struct bfo_run_walk walk;
	struct bfo_run run;
	errcode_t err = 0;

	bfo_runs_begin(&walk, plan, rec);
	while (!err && bfo_runs_next(&walk, &run)) {
		if (run.lblk + run.len > UINT32_MAX)
			return too_big(plan, rec - plan->tree->inodes.v);
		if (run.kept)
			err = keep_run(plan, &run);
		else if (S_ISDIR(rec->mode))
			plan->dir_len += run.len;
		else if (!run.unwritten && !bfo_plan_is_written_last(plan, rec))
			plan->data_blocks += run.len;
	}
	*blocks = bfo_runs_taken(&walk);
	return err;
}

/* Gives every item its place in the stem; an attribute block stands before its first user. */
static errcode_t place_items(struct bfo_plan *plan)
{
	struct bfo_tree *t = plan->tree;
	uint64_t at = 0, blocks = 0;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < t->eas.n; i++)
		t->eas.v[i].stem = UINT64_MAX;
	for (i = 0; i < plan->order.n && !err; i++, at += blocks) {
		struct bfo_inode *rec = bfo_plan_item(plan, i);

		if (S_ISDIR(rec->mode))
			err = size_dir(plan, plan->order.v[i]);
		else
			choose_inline(plan, rec);
		if (rec->ea != BFO_NONE && !t->eas.v[rec->ea].no_block &&
		    t->eas.v[rec->ea].stem == UINT64_MAX) {
			t->eas.v[rec->ea].stem = at;
			at += plan->target->cluster_blocks;
			plan->ea_len++;
		}
		rec->stem = at;
		if (!err)
			err = item_blocks(plan, rec, &blocks);
	}
	plan->stem_len = at;
	return err;
}

/* What is free for the stem: *FREE.  Of what is kept, only what was free becomes used. */
static errcode_t set_kept_apart(struct bfo_plan *plan, bfo_ranges *free)
{
	bfo_ranges common = { 0 };
	errcode_t err;

	bfo_ranges_settle(&plan->kept);
	err = bfo_ranges_cut(&plan->target->free_blocks, &plan->kept, free, &common);
	bfo_vec_free(&plan->kept);
	plan->kept = common;
	return err;
}

static errcode_t choose_runs(struct bfo_plan *plan, const bfo_ranges *free, uint64_t need)
{
	bfo_ranges chosen = { 0 };
	uint64_t at = 0, have = bfo_ranges_total(free);
	errcode_t err;
	size_t i;

	err = bfo_ranges_choose(free, need, &chosen);
	if (err == BFO_ET_NO_SPACE) {
		plan->shortage = (struct bfo_shortage) { .needed = need, .free = have };
		bfo_fail(plan->ctx, err, "planning: %llu blocks of %u bytes needed, %llu free, "
			 "%llu missing", (unsigned long long) need, plan->target->block_size,
			 (unsigned long long) have, (unsigned long long) (need - have));
	}
	plan->stem.n = 0;
	for (i = 0; i < chosen.n && !err; i++) {
		err = bfo_vec_push(&plan->stem, (struct bfo_stem_run) { .at = at,
				   .blk = chosen.v[i].start, .len = chosen.v[i].len });
		at += chosen.v[i].len;
	}
	bfo_vec_free(&chosen);
	return err;
}

BFO_SORT_BY(by_inode, struct bfo_map_tree, row)

/* i_blocks counts sectors in 32 bits, unless the target has huge_file. */
static int can_count(const struct bfo_plan *plan, const struct bfo_map *map)
{
	return plan->target->has_huge_file ||
	       map->allocated < UINT32_MAX / (plan->target->block_size / 512);
}

/* Lays out the map of record ROW; one that has blocks becomes a tree behind all items. */
static errcode_t plan_tree(struct bfo_plan *plan, bfo_row row, struct bfo_map *map)
{
	struct bfo_map_tree tree = { .row = row };
	errcode_t err = bfo_map_init(map, plan, row);

	if (err == BFO_ET_FILE_TOO_BIG || (!err && !can_count(plan, map)))
		return too_big(plan, row);
	plan->extents += map->ext.n;
	if (err || !map->blocks)
		return err;
	tree.extents = map->ext.n;
	tree.blocks = map->blocks;
	tree.stem = plan->stem_len + plan->tree_len;
	plan->tree_len += (uint64_t) tree.blocks * plan->target->cluster_blocks;
	return bfo_vec_push(&plan->trees, tree);
}

static errcode_t plan_trees(struct bfo_plan *plan)
{
	struct bfo_map map = { 0 };
	errcode_t err = 0;
	size_t i;

	plan->trees.n = 0;
	plan->tree_len = 0;
	plan->extents = 0;
	for (i = 0; i < plan->order.n && !err; i++) {
		const struct bfo_inode *rec = bfo_plan_item(plan, i);

		if (S_ISDIR(rec->mode) || bfo_seg_count(plan->tree, rec) ||
		    rec->state & BFO_INODE_INLINE)
			err = plan_tree(plan, plan->order.v[i], &map);
	}
	bfo_map_free(&map);
	if (plan->trees.n)
		qsort(plan->trees.v, plan->trees.n, sizeof(*plan->trees.v), by_inode);
	return err;
}

/* Cuts off what the chosen runs hold beyond the end of the stem. */
static void trim(struct bfo_plan *plan)
{
	uint64_t end = plan->stem_len + plan->tree_len;

	while (plan->stem.n && plan->stem.v[plan->stem.n - 1].at >= end)
		plan->stem.n--;
	if (plan->stem.n && plan->stem.v[plan->stem.n - 1].at +
	    plan->stem.v[plan->stem.n - 1].len > end)
		plan->stem.v[plan->stem.n - 1].len = end - plan->stem.v[plan->stem.n - 1].at;
}

errcode_t bfo_plan_space(struct bfo_plan *plan)
{
	const bfo_ranges *free = &plan->target->free_blocks;
	bfo_ranges rest = { 0 };
	uint64_t room = 0;
	errcode_t err;

	plan->data_blocks = plan->kept_blocks = plan->dir_len = plan->ea_len = 0;
	plan->kept.n = 0;
	err = place_items(plan);
	if (!err && plan->kept.n) {
		err = set_kept_apart(plan, &rest);
		free = &rest;
	}
	while (!err) {
		err = choose_runs(plan, free, plan->stem_len + room);
		if (!err)
			err = plan_trees(plan);
		if (err || plan->tree_len <= room)
			break;
		room = plan->tree_len;
	}
	if (!err)
		trim(plan);
	bfo_vec_free(&rest);
	return err;
}
