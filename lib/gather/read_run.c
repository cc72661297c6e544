// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read_run.c - near neighbours in one request, and what requests cost
 */
#include "gather/read_run.h"

#define CACHED_GAP (16U << 10)
/* 1/8 more that is read costs less than that everything is copied once more */
#define DENSE 8

/*
 * The gap behind block END, before block BLK, that is read over: if both lie in regions that are in
 * the page cache as a whole, what a copy of it costs less than another call.
 */
static uint32_t gap_between(const struct bfo_reader *r, uint64_t end, uint64_t blk)
{
	uint32_t small = CACHED_GAP / r->vol->block_size;

	if (!r->regions || small >= r->gap || !bfo_regions_hold(r->regions, end) ||
	    !bfo_regions_hold(r->regions, blk))
		return r->gap;
	return small;
}

struct bfo_read_run bfo_read_run_next(const struct bfo_reader *r, const struct bfo_node *nodes,
				      size_t n, size_t first)
{
	uint64_t max = r->most, end, stop;
	struct bfo_read_run run = { .first = first, .last = first + 1,
				    .blk = bfo_node_blk(&nodes[first]),
				    .len = nodes[first].len };

	stop = run.blk + bfo_media_fit(r->vol, run.blk, max, NULL);
	run.alone = run.len >= max / 2 || run.blk + run.len > stop;
	if (run.alone)
		return run;
	for (; run.last < n; run.last++) {
		const struct bfo_node *node = &nodes[run.last];

		if (bfo_node_blk(node) > run.blk + run.len +
		    gap_between(r, run.blk + run.len, bfo_node_blk(node)))
			break;
		end = bfo_node_blk(node) + node->len - run.blk;
		if (end > max || node->len >= max / 2 || run.blk + end > stop)
			break;
		if (end > run.len)
			run.len = end;
	}
	return run;
}

uint64_t bfo_reader_span(const struct bfo_reader *r, const struct bfo_node *nodes, size_t n)
{
	uint64_t blocks = 0;
	struct bfo_read_run run;
	size_t i;

	for (i = 0; i < n; i = run.last) {
		run = bfo_read_run_next(r, nodes, n, i);
		blocks += run.len;
	}
	return blocks;
}

int bfo_reader_is_dense(const struct bfo_reader *r, const struct bfo_node *nodes, size_t n)
{
	uint64_t wanted = 0;
	size_t i;

	for (i = 0; i < n; i++)
		wanted += nodes[i].len;
	return bfo_reader_span(r, nodes, n) <= wanted + wanted / DENSE;
}

uint64_t bfo_reader_seek(const struct bfo_reader *r)
{
	return r->gap ? BFO_SEEK_GAPS * r->gap : r->seek;
}

uint64_t bfo_reader_cost(const struct bfo_reader *r, const struct bfo_node *nodes, size_t n,
			 uint64_t *at)
{
	uint64_t cost = 0;
	struct bfo_read_run run;
	size_t i;

	for (i = 0; i < n; i = run.last) {
		run = bfo_read_run_next(r, nodes, n, i);
		cost += run.len + bfo_skip_cost(*at, run.blk, bfo_reader_seek(r));
		*at = run.blk + run.len;
	}
	return cost;
}
