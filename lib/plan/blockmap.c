// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * blockmap.c - the block maps of ext2 and ext3
 */
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "plan/blockmap.h"

#define DIRECT EXT2_NDIR_BLOCKS

static int has_ind(const struct bfo_blockmap *map)
{
	return map->leaves.n && !map->leaves.v[0].number;
}

/* Leaf NUMBER, in which extent EXT begins or goes on. */
static errcode_t add_leaf(struct bfo_blockmap *map, uint32_t number, uint32_t ext)
{
	uint32_t n = map->per_block;
	errcode_t err = bfo_vec_push(&map->leaves, (struct bfo_map_part) { number, ext });

	if (err || !number)
		return err;
	if (number <= n) {
		map->in_dind++;
		return 0;
	}
	number = (number - n - 1) / n;
	if (map->middles.n && map->middles.v[map->middles.n - 1].number == number)
		return 0;
	return bfo_vec_push(&map->middles, (struct bfo_map_part) { number, map->leaves.n - 1 });
}

/* The leaves of extent EXT. */
static errcode_t add_extent(struct bfo_blockmap *map, const struct bfo_seg *ext, uint32_t index)
{
	uint64_t n = map->per_block, end = (uint64_t) ext->lblk + ext->len, leaf, last;
	errcode_t err = 0;

	if (end > DIRECT + n + n * n + n * n * n || bfo_seg_blk(ext) + ext->len > UINT32_MAX)
		return BFO_ET_FILE_TOO_BIG;
	if (end <= DIRECT)
		return 0;
	leaf = ext->lblk < DIRECT ? 0 : (ext->lblk - DIRECT) / n;
	last = (end - 1 - DIRECT) / n;
	if (map->leaves.n && map->leaves.v[map->leaves.n - 1].number == leaf)
		leaf++;
	for (; leaf <= last && !err; leaf++)
		err = add_leaf(map, leaf, index);
	return err;
}

errcode_t bfo_blockmap_init(struct bfo_blockmap *map, const struct bfo_seg *ext, uint32_t n_ext,
			    uint32_t block_size)
{
	errcode_t err = 0;
	uint32_t i;

	map->leaves.n = map->middles.n = 0;
	map->per_block = block_size / 4;
	map->in_dind = 0;
	for (i = 0; i < n_ext && !err; i++)
		err = add_extent(map, &ext[i], i);
	map->blocks = map->leaves.n + map->middles.n + !!map->in_dind + !!map->middles.n;
	return err;
}

void bfo_blockmap_free(struct bfo_blockmap *map)
{
	bfo_vec_free(&map->leaves);
	bfo_vec_free(&map->middles);
}

/* Puts the numbers of logical blocks [FIRST, FIRST + COUNT), N extents from EXT on, at OUT. */
static void put_data(const struct bfo_seg *ext, uint32_t n, uint64_t first, uint32_t count,
		     uint32_t *out)
{
	uint64_t lblk, stop;

	for (; n && ext->lblk < first + count; ext++, n--) {
		lblk = ext->lblk > first ? ext->lblk : first;
		stop = (uint64_t) ext->lblk + ext->len;
		if (stop > first + count)
			stop = first + count;
		for (; lblk < stop; lblk++)
			out[lblk - first] = to_le32(
				(uint32_t) (bfo_seg_blk(ext) + lblk - ext->lblk));
	}
}

/* Puts where the parts [FIRST, END) are, the first one's place being number BASE, at OUT. */
static void put_parts(const struct bfo_plan *plan, const struct bfo_map_tree *tree,
		      const struct bfo_map_part *parts, uint32_t first, uint32_t end,
		      uint32_t behind, uint32_t base, uint32_t *out)
{
	uint32_t i;

	for (i = first; i < end; i++)
		out[parts[i].number - base] = to_le32((uint32_t) bfo_plan_tree_block(plan, tree,
								behind + i));
}

void bfo_blockmap_root(const struct bfo_blockmap *map, const struct bfo_plan *plan,
		       const struct bfo_map_tree *tree, const struct bfo_seg *ext, uint32_t n_ext,
		       void *i_block)
{
	uint32_t numbers[EXT2_N_BLOCKS] = { 0 };

	put_data(ext, n_ext, 0, DIRECT, numbers);
	if (has_ind(map))
		numbers[EXT2_IND_BLOCK] = to_le32((uint32_t) bfo_plan_tree_block(plan, tree, 0));
	if (map->in_dind)
		numbers[EXT2_DIND_BLOCK] = to_le32((uint32_t) bfo_plan_tree_block(plan, tree,
						   map->leaves.n + map->middles.n));
	if (map->middles.n)
		numbers[EXT2_TIND_BLOCK] = to_le32((uint32_t) bfo_plan_tree_block(plan, tree,
						   map->blocks - 1));
	memcpy(i_block, numbers, sizeof(numbers));
}

void bfo_blockmap_block(const struct bfo_blockmap *map, const struct bfo_plan *plan,
			const struct bfo_map_tree *tree, const struct bfo_seg *ext, uint32_t n_ext,
			uint32_t k, void *buf)
{
	uint32_t n = map->per_block, leaves = map->leaves.n, middles = map->middles.n;
	const struct bfo_map_part *part;
	uint32_t ind = has_ind(map), end;

	memset(buf, 0, plan->target->block_size);
	if (k < leaves) {
		part = &map->leaves.v[k];
		put_data(ext + part->first, n_ext - part->first,
			 DIRECT + (uint64_t) part->number * n, n, buf);
	} else if (k < leaves + middles) {
		part = &map->middles.v[k - leaves];
		end = k + 1 < leaves + middles ? part[1].first : leaves;
		put_parts(plan, tree, map->leaves.v, part->first, end, 0,
			  1 + n + part->number * n, buf);
	} else if (map->in_dind && k == leaves + middles) {
		put_parts(plan, tree, map->leaves.v, ind, ind + map->in_dind, 0, 1, buf);
	} else {
		put_parts(plan, tree, map->middles.v, 0, middles, leaves, 0, buf);
	}
}
