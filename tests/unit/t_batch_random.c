// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_batch_random.c - gather/batch: random nodes, requests and costs counted by other means
 */
#include <stdlib.h>
#include <string.h>

#include "bed.h"

#define BS 4096U
#define BLOCKS 8192			/* of the volume */
#define SEEK_BYTES (1U << 20)		/* a seek's price where there is no gap */

struct expected {
	uint64_t reads, blocks, cost;
};

/*
 * Nodes that are not large and need no more than a merge buffer together, counted block by block:
 * what is covered is read, and so are holes up to the gap between it.
 */
static struct expected count_blocks(const struct bed *b, uint32_t gap)
{
	uint64_t blk, hole = UINT32_MAX, seek = gap ? 4 * gap : SEEK_BYTES / BS;
	uint8_t *covered = unit_alloc(b->vol->blocks);
	struct expected e = { 0 };
	size_t i;

	for (i = 0; i < b->nodes.n; i++)
		memset(covered + bfo_node_blk(&b->nodes.v[i]), 1, b->nodes.v[i].len);
	for (blk = 0; blk < b->vol->blocks; blk++, hole++) {
		if (!covered[blk])
			continue;
		e.reads += hole > gap;
		e.cost += hole > gap ? (hole < seek ? hole : seek) : 0;
		e.blocks += 1 + (hole > gap ? 0 : hole);
		hole = -1;			/* 0 at the next block */
	}
	e.cost += e.blocks;
	free(covered);
	return e;
}

/* The same for all nodes, by the rule: what joins the read before, what begins a new one. */
static struct expected count_runs(const struct bed *b, uint32_t gap)
{
	uint32_t bs = b->vol->block_size, max = BFO_MERGE_BYTES / bs;
	uint64_t first = 0, end = 0, seek = gap ? 4 * gap : SEEK_BYTES / bs;
	struct expected e = { 0 };
	int mergeable = 0;
	size_t i;

	for (i = 0; i < b->nodes.n; i++) {
		uint64_t blk = bfo_node_blk(&b->nodes.v[i]), stop = blk + b->nodes.v[i].len;
		int large = b->nodes.v[i].len >= max / 2;

		if (mergeable && !large && blk <= end + gap && stop <= first + max) {
			e.blocks += stop > end ? stop - end : 0;
			end = stop > end ? stop : end;
			continue;
		}
		e.reads += (stop - blk + max - 1) / max;
		e.blocks += stop - blk;
		e.cost += i && blk >= end && blk - end < seek ? blk - end : seek;
		mergeable = !large;
		first = blk;
		end = stop;
	}
	e.cost += e.blocks;
	return e;
}

static void want_expected(struct bed *b, struct expected e)
{
	uint64_t nowhere = UINT64_MAX;

	want_eq(bfo_reader_cost(&b->r, b->nodes.v, b->nodes.n, &nowhere), e.cost);
	want_ok(bed_run(b));
	bed_want_all(b);
	want_eq(b->r.reads, e.reads);
	want_eq(b->r.blocks, e.blocks);
}

/* Up to N nodes of up to LONGEST blocks from FIRST on, all below END. */
static void add_random(struct bed *b, struct chance *c, uint32_t n, uint32_t longest,
		       uint64_t first, uint64_t end)
{
	uint32_t hole = chance_between(c, 1, 12), len;
	uint64_t blk = first;

	while (n--) {
		blk += chance_below(c, 4) ? chance_below(c, hole) : 0;
		len = chance_between(c, 1, longest);
		if (blk + len > end)
			break;
		bed_add(b, blk, len, chance_below(c, 2));
		if (chance_below(c, 40))	/* else the next one overlaps */
			blk += len;
	}
}

START_TEST(counts_small_runs)
{
	uint32_t gap, trial;
	struct chance c;
	struct bed b;

	chance_init(&c, 9100 + _i);
	bed_open(&b, BS, BLOCKS, 0, NULL);
	for (trial = 0; trial < 60; trial++) {
		gap = chance_below(&c, 12);
		bed_again(&b, gap * BS + chance_below(&c, BS), _i);
		add_random(&b, &c, 300, chance_between(&c, 1, 30), 500, 500 + BFO_MERGE_BYTES / BS);
		want_expected(&b, count_blocks(&b, gap));
	}
	bed_close(&b);
}
END_TEST

/* _i: with a place; in blocks of 1 KiB; with large nodes. */
START_TEST(counts_whatever_comes)
{
	uint32_t bs = _i & 2 ? 1024 : BS, gap, trial, longest = BFO_MERGE_BYTES / bs;
	struct chance c;
	struct bed b;

	chance_init(&c, 9200 + _i);
	bed_open(&b, bs, BLOCKS, 512, NULL);
	for (trial = 0; trial < 20; trial++) {
		gap = chance_below(&c, 12);
		bed_again(&b, gap * bs, _i & 1);
		add_random(&b, &c, 500, chance_between(&c, 2, _i & 4 ? longest : 40),
			   chance_below(&c, 1000), BLOCKS);
		want_expected(&b, count_runs(&b, gap));
	}
	bed_close(&b);
}
END_TEST

START_TEST(sorts_nodes)
{
	bfo_order_list list = { 0 };
	struct chance c;
	uint32_t i;

	chance_init(&c, 9300);
	for (i = 0; i < 1000; i++)
		want_ok(bfo_vec_push(&list, bfo_node_make(chance_bits(&c) >> chance_below(&c, 64),
				     1 + i, i, 0)));
	bfo_order_list_sort(&list);
	for (i = 0; i < 1000; i++) {
		want_eq(list.v[i].len, list.v[i].tag + 1);
		want(!i || bfo_node_blk(&list.v[i - 1]) <= bfo_node_blk(&list.v[i]));
	}
	bfo_vec_free(&list);
}
END_TEST

Suite *batch_random_suite(void)
{
	Suite *s = suite_create("batch_random");

	unit_case(s, "counts_small_runs", counts_small_runs, 2);
	unit_case(s, "counts_whatever_comes", counts_whatever_comes, 8);
	unit_case(s, "sorts_nodes", sorts_nodes, 0);
	return s;
}
