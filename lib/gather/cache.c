// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cache.c - what becomes of the page cache while bulk is read
 */
#include <errno.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/memory.h"
#include "gather/cache.h"
#include "gather/read_run.h"

_Static_assert(BFO_REGION_BYTES <= BFO_MERGE_BYTES, "regions are read to the merge buffer");

#define WATCH_EVERY 4		/* runs of which one is looked at: rule 6 */

/*
 * 1/8 more than what is wanted costs less than what is avoided by reading it: that nothing is
 * written until a large batch has been read.
 */
#define LITTLE 8

/* ---- opening ---- */

/* As if LEN blocks from BLK on were read, by way of the regions that they touch. */
static void go_through(struct bfo_regions *s, uint64_t blk, uint64_t len)
{
	uint64_t start, part;

	for (; len; blk += part, len -= part) {
		part = bfo_regions_within(s, blk, len);
		bfo_regions_take(s, blk, part, &start);
		bfo_regions_drop(s, blk, part);
	}
}

/* Most bytes of regions that will be in use at a time. */
static errcode_t most_held(const struct bfo_cache *c, bfo_cache_wants *wants, const void *priv,
			   uint64_t *bytes)
{
	struct bfo_regions trial;
	errcode_t err = bfo_regions_copy(&trial, &c->regions);

	if (err)
		return err;
	wants(priv, &trial, go_through);
	*bytes = (uint64_t) trial.most * BFO_REGION_BYTES;
	bfo_regions_free(&trial);
	return 0;
}

/* On bad media nothing is read but what is wanted. */
static int may_use_regions(const struct bfo_volume *vol)
{
	return vol->media.opt.mode == BFO_MEDIA_STOP && !vol->media.bad.n &&
	       !bfo_direct_always(&vol->device);
}

errcode_t bfo_cache_open(struct bfo_cache *c, struct bfo_source *source, bfo_cache_wants *wants,
			 const void *priv)
{
	struct bfo_reader *r = source->reader;
	uint64_t most = 0, worth, room;
	errcode_t err;

	*c = (struct bfo_cache) { .source = source, .r = r };
	if (!r || !wants || !may_use_regions(r->vol))
		return 0;
	c->is_foretold = 1;
	err = bfo_regions_init(&c->regions, r->vol, bfo_reader_seek(r));
	if (!err) {
		wants(priv, &c->regions, bfo_regions_add);
		err = most_held(c, wants, priv, &most);
	}
	if (err)
		return bfo_fail(r->ctx, err, "starting to move data");
	worth = bfo_regions_worth(&c->regions);
	room = bfo_spare_memory(r->ctx);
	c->forgets = bfo_direct_wanted(&r->vol->device) || worth > room;
	if (!most || most > room)
		bfo_regions_free(&c->regions);
	return 0;
}

void bfo_cache_close(struct bfo_cache *c)
{
	bfo_regions_free(&c->regions);
}

/* ---- what it costs ---- */

/* What it would cost to read some nodes in batches of one size. */
struct trial {
	const struct bfo_cache *c;
	const struct bfo_regions *regions;	/* that could be read, or NULL */
	struct bfo_regions left;	/* those of them that were not, so far */
	uint32_t seek;			/* blocks that it costs, of what has no reader */
	/* blocks behind the last read, without regions and by them */
	uint64_t at, regions_at;
	uint64_t by_pieces, by_regions;	/* blocks */
};

/* The regions; NULL if they should not be used: rule 7. */
static const struct bfo_regions *usable_regions(const struct bfo_cache *c,
						const bfo_order_list *nodes, uint64_t all)
{
	uint64_t much = all + all / 2, wanted;

	if (!c->regions.n)
		return NULL;
	wanted = bfo_order_list_blocks(nodes) * c->r->vol->block_size;
	if (!all || c->regions.held ||
	    (!bfo_direct_wanted(&c->r->vol->device) && wanted <= much))
		return &c->regions;
	return bfo_regions_worth(&c->regions) > much ? NULL : &c->regions;
}

/* The end of the batch that begins with node FIRST: nodes of SIZE units of the buffer. */
static size_t batch_end(const bfo_order_list *nodes, size_t first, uint32_t size)
{
	uint64_t limit = nodes->v[first].to + size;
	size_t end = first + 1;

	while (end < nodes->n && nodes->v[end].to < limit)
		end++;
	return end;
}

/* Takes the regions that NODE touches and that are left; returns what getting there costs. */
static uint64_t try_regions(struct trial *t, const struct bfo_node *node)
{
	uint64_t start, cost = 0;
	uint32_t count;

	while ((count = bfo_regions_take(&t->left, bfo_node_blk(node), node->len, &start))) {
		cost += bfo_skip_cost(t->regions_at, start, bfo_reader_seek(t->c->r));
		t->regions_at = start + count;
	}
	return cost;
}

/* Cost of BATCH, which is sorted, by way of regions; leaves in it what does not lie in them. */
static uint64_t cost_by_regions(struct trial *t, bfo_order_list *batch)
{
	uint64_t bytes = 0, skipped = 0;
	size_t i, n = 0;

	for (i = 0; i < batch->n; i++) {
		const struct bfo_node *node = &batch->v[i];

		if (!bfo_regions_hold(t->regions, bfo_node_blk(node))) {
			batch->v[n++] = *node;
			continue;
		}
		bytes += bfo_regions_share(t->regions, bfo_node_blk(node), node->len);
		skipped += try_regions(t, node);
	}
	batch->n = n;
	return bytes / t->c->r->vol->block_size + skipped +
	       bfo_reader_cost(t->c->r, batch->v, n, &t->regions_at);
}

/* Cost of BATCH, which is sorted, of what has no reader. */
static uint64_t cost_by_places(struct trial *t, const bfo_order_list *batch)
{
	uint64_t cost = 0;
	size_t i;

	for (i = 0; i < batch->n; i++) {
		uint64_t blk = bfo_node_blk(&batch->v[i]);

		cost += batch->v[i].len + bfo_skip_cost(t->at, blk, t->seek);
		t->at = blk + batch->v[i].len;
	}
	return cost;
}

/* All batches of SIZE units; NODES are left as batches, sorted. */
static void try_batches(struct trial *t, bfo_order_list *nodes, uint32_t size)
{
	bfo_order_list batch = { 0 };
	size_t i, end;

	for (i = 0; i < nodes->n; i = end) {
		end = batch_end(nodes, i, size);
		batch.v = nodes->v + i;
		batch.n = end - i;
		bfo_order_list_sort(&batch);
		t->by_pieces += t->c->r ? bfo_reader_cost(t->c->r, batch.v, batch.n, &t->at)
					: cost_by_places(t, &batch);
		if (t->regions)
			t->by_regions += cost_by_regions(t, &batch);
	}
}

errcode_t bfo_cache_cost(const struct bfo_cache *c, const bfo_order_list *nodes,
			 struct bfo_cache_way *way)
{
	struct trial t = { .c = c, .regions = usable_regions(c, nodes, way->all),
			   .seek = BFO_SEEK_BYTES / c->source->block_size };
	bfo_order_list sorted = { 0 };
	errcode_t err = 0;

	way->cost = way->by_regions = 0;
	if (!c->r && c->source->is_at_hand)
		return 0;
	if (nodes->n)
		err = bfo_vec_reserve(&sorted, nodes->n);
	if (!err && nodes->n)
		memcpy(sorted.v, nodes->v, nodes->n * sizeof(*nodes->v));
	sorted.n = nodes->n;
	if (!err && t.regions)
		err = bfo_regions_copy(&t.left, t.regions);
	if (!err)
		try_batches(&t, &sorted, way->size);
	way->by_regions = t.regions && (t.regions->held ||
			  t.by_regions + bfo_order_list_blocks(nodes) / LITTLE < t.by_pieces);
	way->cost = way->by_regions ? t.by_regions : t.by_pieces;
	bfo_regions_free(&t.left);
	bfo_vec_free(&sorted);
	return err;
}

/* ---- reading ---- */

/*
 * Brings into the page cache what RUN meets of regions that are worth it; true if it met any.  What
 * cannot be read there may be in a gap: whose it is, its own request will tell.
 */
static int fetch_regions(struct bfo_cache *c, const struct bfo_read_run *run)
{
	struct bfo_reader *r = c->r;
	uint32_t count, at, n;
	int met = 0;
	uint64_t blk;

	while ((count = bfo_regions_take(&c->regions, run->blk, run->len, &blk))) {
		met = 1;
		for (at = 0; at < count; at += n) {
			n = count - at < r->most ? count - at : r->most;
			r->reads++;
			r->blocks += n;
			if (!bfo_volume_fetch(r->vol, blk + at, n, r->merge))
				bfo_regions_read_in_part(&c->regions, blk);
		}
	}
	return met;
}

static void look(const struct bfo_cache *c, struct rusage *now)
{
	if (c->usage)
		c->usage(now);
	else
		getrusage(RUSAGE_THREAD, now);
}

/* True if a device has read for this thread meanwhile, and not because its memory was paged out. */
static int device_has_read(const struct rusage *before, const struct rusage *after)
{
	return after->ru_inblock > before->ru_inblock && after->ru_majflt == before->ru_majflt;
}

/* Now and then it is looked at whether the page cache has kept a region: rule 6. */
static errcode_t read_by_regions(struct bfo_cache *c, const bfo_order_list *batch,
				 const struct bfo_read_run *run, const struct bfo_sink *sink)
{
	struct rusage before = { 0 }, after = { 0 };
	errcode_t err;

	if (fetch_regions(c, run) || !bfo_regions_hold_all(&c->regions, run->blk, run->len) ||
	    c->r->reads % WATCH_EVERY)
		return bfo_read_run(c->r, batch->v, run, sink);
	look(c, &before);
	err = bfo_read_run(c->r, batch->v, run, sink);
	look(c, &after);
	if (device_has_read(&before, &after))
		bfo_regions_lose(&c->regions, run->blk);
	return err;
}

/* Nodes [FIRST, LAST) of BATCH have been read, perhaps the last ones of a region: rule 5. */
static void leave(struct bfo_cache *c, const bfo_order_list *batch, size_t first, size_t last)
{
	const struct bfo_node *node;
	uint64_t blk, start;
	uint32_t count;

	for (; c->regions.n && first < last; first++) {
		node = &batch->v[first];
		blk = bfo_node_blk(node);
		bfo_regions_drop(&c->regions, blk, node->len);
		while (c->forgets &&
		       (count = bfo_regions_forget(&c->regions, blk, node->len, &start)))
			bfo_volume_forget(c->r->vol, start, count);
	}
}

static errcode_t read_all_by_regions(struct bfo_cache *c, const bfo_order_list *batch,
				     const struct bfo_sink *sink)
{
	struct bfo_read_run run;
	errcode_t err = 0;
	size_t i;

	c->r->regions = &c->regions;
	for (i = 0; i < batch->n && !err; i = run.last) {
		run = bfo_read_run_next(c->r, batch->v, batch->n, i);
		err = read_by_regions(c, batch, &run, sink);
		leave(c, batch, run.first, run.last);
	}
	c->r->regions = NULL;
	return err;
}

/* What has places that are no blocks lies in no region; it comes last. */
static errcode_t read_all(struct bfo_cache *c, const bfo_order_list *batch,
			  const struct bfo_sink *sink)
{
	bfo_order_list blocks = *batch;
	errcode_t err;

	while (blocks.n && bfo_node_blk(&blocks.v[blocks.n - 1]) >= BFO_PLACE_MEMORY)
		blocks.n--;
	err = read_all_by_regions(c, &blocks, sink);
	if (err || blocks.n == batch->n)
		return err;
	return c->source->ops->read(c->source, batch->v + blocks.n, batch->n - blocks.n, sink);
}

errcode_t bfo_cache_read(struct bfo_cache *c, bfo_order_list *batch, int by_regions,
			 const struct bfo_sink *sink)
{
	errcode_t err;

	bfo_order_list_sort(batch);
	if (!c->r)
		return c->source->ops->read(c->source, batch->v, batch->n, sink);
	if (by_regions && c->regions.n)
		return read_all(c, batch, sink);
	err = bfo_source_read_bulk(c->source, batch->v, batch->n, c->is_foretold, sink);
	leave(c, batch, 0, batch->n);
	return err;
}
