// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batches.c - how much is read at once
 */
#include <string.h>

#include "commit/batches.h"

#define GAPS_COST 8		/* 1/8 read in vain is less than a copy of everything */
#define BATCH_COST 64		/* 1/64 more than the least is next to nothing */

/* The end of the batch that begins with node FIRST: nodes of SIZE units of the buffer. */
static size_t batch_end(const bfo_order_list *nodes, size_t first, uint32_t size)
{
	uint64_t limit = nodes->v[first].to + size;
	size_t end = first + 1;

	while (end < nodes->n && nodes->v[end].to < limit)
		end++;
	return end;
}

/* Cost of reading in batches of SIZE units; sorts a copy of the nodes in SCRATCH. */
static uint64_t cost_of(const struct bfo_reader *r, const bfo_order_list *nodes,
			bfo_order_list *scratch, uint32_t size)
{
	bfo_order_list part = { 0 };
	uint64_t cost = 0, at = 0;
	size_t i, end;

	if (!nodes->n)
		return 0;
	memcpy(scratch->v, nodes->v, nodes->n * sizeof(*nodes->v));
	for (i = 0; i < nodes->n; i = end) {
		end = batch_end(nodes, i, size);
		part.v = scratch->v + i;
		part.n = end - i;
		bfo_order_list_sort(&part);
		cost += bfo_reader_cost(r, part.v, part.n, &at);
	}
	return cost;
}

errcode_t bfo_batches_choose(const struct bfo_reader *r, const bfo_order_list *nodes,
			     uint32_t smallest, uint32_t *size)
{
	bfo_order_list scratch = { 0 };
	errcode_t err = bfo_vec_reserve(&scratch, nodes->n);
	uint64_t most;

	if (err || smallest >= *size)
		goto out;
	most = cost_of(r, nodes, &scratch, *size);
	most += most / BATCH_COST;
	if (cost_of(r, nodes, &scratch, smallest) <= most) {	/* mostly */
		*size = smallest;
		goto out;
	}
	while (*size / 2 > smallest && cost_of(r, nodes, &scratch, *size / 2) <= most)
		*size /= 2;
out:
	bfo_vec_free(&scratch);
	return err;
}

/* True if COST blocks are hardly more than those of the batch. */
static int is_little(const bfo_order_list *batch, uint64_t cost)
{
	uint64_t wanted = 0;
	size_t i;

	for (i = 0; i < batch->n; i++)
		wanted += batch->v[i].len;
	return cost <= wanted + wanted / GAPS_COST;
}

/* How a batch is read: past the page cache, by way of it, or whole regions into it. */
static void choose_way(struct bfo_reader *r, const bfo_order_list *batch, int all,
		       struct bfo_regions *regions)
{
	uint64_t cost, span, at = batch->n ? bfo_node_blk(&batch->v[0]) : 0;

	r->regions = NULL;
	cost = bfo_reader_cost(r, batch->v, batch->n, &at);
	span = bfo_reader_span(r, batch->v, batch->n);
	if (!all && !is_little(batch, cost))
		r->regions = regions;
	r->direct = !r->regions && (all || is_little(batch, span));
}

errcode_t bfo_batches_read(struct bfo_reader *r, bfo_order_list *batch, int all,
			   struct bfo_regions *regions, const struct bfo_sink *sink)
{
	errcode_t err;

	bfo_order_list_sort(batch);
	choose_way(r, batch, all, regions);
	err = bfo_reader_run(r, batch->v, batch->n, sink);
	r->direct = 0;
	r->regions = NULL;
	return err;
}
