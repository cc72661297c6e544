// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * map.c - where a planned item's blocks are, as its inode says it
 */
#include "plan/map.h"
#include "plan/runs.h"

/* Blocks of the runs of record ROW, whole clusters. */
static uint64_t data_blocks(const struct bfo_plan *plan, bfo_row row)
{
	struct bfo_run_walk walk;
	struct bfo_run run;

	bfo_runs_begin(&walk, plan, &plan->tree->inodes.v[row]);
	while (bfo_runs_next(&walk, &run))
		;
	return bfo_runs_taken(&walk) + bfo_runs_kept(&walk);
}

errcode_t bfo_map_init(struct bfo_map *map, const struct bfo_plan *plan, bfo_row row)
{
	const struct bfo_target *target = plan->target;
	errcode_t err = bfo_extents_of(plan, row, &map->ext);

	if (!err && target->has_extents)
		map->blocks = bfo_extent_tree_blocks(map->ext.n, target->block_size);
	else if (!err) {
		err = bfo_blockmap_init(&map->numbers, map->ext.v, map->ext.n, target->block_size);
		map->blocks = map->numbers.blocks;
	}
	map->allocated = data_blocks(plan, row) + (uint64_t) map->blocks * target->cluster_blocks;
	return err;
}

void bfo_map_free(struct bfo_map *map)
{
	bfo_vec_free(&map->ext);
	bfo_blockmap_free(&map->numbers);
}

void bfo_map_root(const struct bfo_map *map, const struct bfo_plan *plan,
		  const struct bfo_map_tree *tree, void *i_block)
{
	if (plan->target->has_extents)
		bfo_extent_root(plan, tree, map->ext.v, map->ext.n, i_block);
	else
		bfo_blockmap_root(&map->numbers, plan, tree, map->ext.v, map->ext.n, i_block);
}

void bfo_map_block(const struct bfo_map *map, const struct bfo_plan *plan,
		   const struct bfo_map_tree *tree, uint32_t k, void *buf)
{
	if (plan->target->has_extents)
		bfo_extent_block(plan, tree, map->ext.v, k, buf);
	else
		bfo_blockmap_block(&map->numbers, plan, tree, map->ext.v, map->ext.n, k, buf);
}
