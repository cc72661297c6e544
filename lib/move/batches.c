// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batches.c - how much is read at once
 */
#include "move/batches.h"

#define LITTLE 8	/* 1/8 more does not matter */

/* The same batches, but of SIZE units. */
static errcode_t try_size(const struct bfo_cache *cache, const bfo_order_list *nodes, uint32_t size,
			  struct bfo_cache_way *way)
{
	way->size = size;
	return bfo_cache_cost(cache, nodes, way);
}

errcode_t bfo_batches_choose(const struct bfo_cache *cache, const bfo_order_list *nodes,
			     uint32_t smallest, struct bfo_cache_way *way)
{
	struct bfo_cache_way try = *way;
	uint32_t size = way->size;
	errcode_t err = try_size(cache, nodes, size, &try);
	uint64_t most;

	if (err)
		return err;
	*way = try;
	most = try.cost + bfo_order_list_blocks(nodes) / LITTLE;
	if (smallest >= size)
		return 0;
	err = try_size(cache, nodes, smallest, &try);
	if (!err && try.cost <= most) {		/* mostly */
		*way = try;
		return 0;
	}
	for (size /= 2; size > smallest && !err; size /= 2) {
		err = try_size(cache, nodes, size, &try);
		if (err || try.cost > most)
			break;
		*way = try;
	}
	return err;
}
