// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batches.c - how much is read at once, and how
 */
#include <string.h>

#include "move/batches.h"

/*
 * 1/8 more than what is wanted costs less than what is avoided by reading it: that nothing is written
 * until a large batch has been read.
 */
#define LITTLE 8

/* What it would cost to read some nodes in batches of one size or another. */
struct trial {
	const struct bfo_reader *r;
	const bfo_order_list *nodes;
	struct bfo_regions *regions;	/* that could be read, or NULL */
	struct bfo_regions left;	/* those of them that were not, so far */
	bfo_order_list sorted;		/* a copy of the nodes, batch by batch */
	uint64_t little;		/* blocks that do not matter */
	uint64_t cost;			/* blocks (gather/batch.h) */
	int by_regions;			/* that is by way of them: clearly less, or some are held */
};

/* The end of the batch that begins with node FIRST: nodes of SIZE units of the buffer. */
static size_t batch_end(const bfo_order_list *nodes, size_t first, uint32_t size)
{
	uint64_t limit = nodes->v[first].to + size;
	size_t end = first + 1;

	while (end < nodes->n && nodes->v[end].to < limit)
		end++;
	return end;
}

static uint64_t blocks_of(const bfo_order_list *nodes)
{
	uint64_t blocks = 0;
	size_t i;

	for (i = 0; i < nodes->n; i++)
		blocks += nodes->v[i].len;
	return blocks;
}

/* Takes the regions that NODE touches and that are left; returns what getting there costs. */
static uint64_t try_regions(struct trial *t, const struct bfo_node *node, uint64_t *at)
{
	uint64_t start, cost = 0;
	uint32_t count;

	while ((count = bfo_regions_take(&t->left, bfo_node_blk(node), node->len, &start))) {
		cost += bfo_skip_cost(*at, start, bfo_reader_seek(t->r));
		*at = start + count;
	}
	return cost;
}

/* Cost of PART, which is sorted, by way of regions; leaves what does not lie in them. */
static uint64_t cost_by_regions(struct trial *t, bfo_order_list *part, uint64_t *at)
{
	uint64_t bytes = 0, skipped = 0;
	size_t i, n = 0;

	for (i = 0; i < part->n; i++) {
		const struct bfo_node *node = &part->v[i];

		if (!bfo_regions_hold(t->regions, bfo_node_blk(node))) {
			part->v[n++] = *node;
			continue;
		}
		bytes += bfo_regions_share(t->regions, bfo_node_blk(node), node->len);
		skipped += try_regions(t, node, at);
	}
	part->n = n;
	return bytes / t->r->vol->block_size + skipped + bfo_reader_cost(t->r, part->v, n, at);
}

/* Batches of SIZE units. */
static errcode_t try_size(struct trial *t, uint32_t size)
{
	uint64_t by_regions = 0, regions_at = 0, at = 0;
	bfo_order_list part = { 0 };
	errcode_t err = 0;
	size_t i, end;

	if (!t->nodes->n)
		return 0;
	if (t->regions)
		err = bfo_regions_copy(&t->left, t->regions);
	if (err)
		return err;
	memcpy(t->sorted.v, t->nodes->v, t->nodes->n * sizeof(*t->nodes->v));
	for (t->cost = 0, i = 0; i < t->nodes->n; i = end) {
		end = batch_end(t->nodes, i, size);
		part.v = t->sorted.v + i;
		part.n = end - i;
		bfo_order_list_sort(&part);
		t->cost += bfo_reader_cost(t->r, part.v, part.n, &at);
		if (t->regions)
			by_regions += cost_by_regions(t, &part, &regions_at);
	}
	t->by_regions = t->regions && (t->regions->held || by_regions + t->little < t->cost);
	if (t->by_regions)
		t->cost = by_regions;
	bfo_regions_free(&t->left);
	return 0;
}

/* What was tried is how it will be done. */
static void settle(const struct trial *t, uint32_t size, struct bfo_batching *how)
{
	how->size = size;
	how->regions = t->by_regions ? t->regions : NULL;
}

errcode_t bfo_batches_choose(const struct bfo_reader *r, const bfo_order_list *nodes,
			     uint32_t smallest, struct bfo_batching *how)
{
	struct trial t = { .r = r, .nodes = nodes, .regions = how->regions,
			   .little = blocks_of(nodes) / LITTLE };
	errcode_t err = bfo_vec_reserve(&t.sorted, nodes->n);
	uint32_t size = how->size;
	uint64_t most;

	if (!err)
		err = try_size(&t, size);
	if (err)
		goto out;
	settle(&t, size, how);
	most = t.cost + t.little;
	if (smallest < size)
		err = try_size(&t, smallest);
	if (!err && smallest < size && t.cost <= most) {	/* mostly */
		settle(&t, smallest, how);
		goto out;
	}
	for (size /= 2; size > smallest && !err; size /= 2) {
		err = try_size(&t, size);
		if (err || t.cost > most)
			break;
		settle(&t, size, how);
	}
out:
	bfo_vec_free(&t.sorted);
	return err;
}

errcode_t bfo_batches_read(struct bfo_reader *r, bfo_order_list *batch, int all,
			   struct bfo_regions *regions, const struct bfo_sink *sink)
{
	errcode_t err;

	bfo_order_list_sort(batch);
	r->regions = regions;
	r->direct = !regions && (all || bfo_reader_is_dense(r, batch->v, batch->n));
	err = bfo_reader_run(r, batch->v, batch->n, sink);
	r->direct = 0;
	r->regions = NULL;
	return err;
}
