// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_batches.c - move/batches, gather/cache: how much is worth being read at once, and how
 */
#include "bed.h"
#include "move/batches.h"

#define BS 4096U
/* of 5 blocks each, which follow each other at their destination, */
#define NODES 1024U
#define LEN 5U
#define LAST (LEN * NODES)	/* and are all of the volume: four regions */
#define SMALLEST 80U		/* units: 16 nodes */

static struct bed b;
static struct bfo_cache cache;

static void begin(void)
{
	bed_open(&b, BS, LAST, 0, NULL);
	bed_again(&b, 64 * BS, 0);
	want_ok(bfo_cache_open(&cache, &b.source, NULL, NULL));
}

static void end(void)
{
	bfo_cache_close(&cache);
	bed_close(&b);
}

static void add(uint32_t at)
{
	want_ok(bfo_vec_push(&b.nodes, bfo_node_make(LEN * at, LEN, 0, LEN * b.nodes.n)));
}

/* The nodes, in groups of GROUP that each lie in reverse order. */
static void in_groups(uint32_t group)
{
	uint32_t i;

	for (i = 0; i < NODES; i++)
		add(i / group * group + group - 1 - i % group);
}

/* The nodes dealt to HEAPS, and these one after the other: reading one passes over all. */
static void in_heaps(uint32_t heaps)
{
	uint32_t i;

	for (i = 0; i < NODES; i++)
		add(i % (NODES / heaps) * heaps + i / (NODES / heaps));
}

/* LEN blocks from FIRST on are going to be read. */
static void expect(uint32_t first, uint32_t len)
{
	if (!cache.regions.n)
		want_ok(bfo_regions_init(&cache.regions, b.vol, 64));
	bfo_regions_add(&cache.regions, first, len);
}

static void want_way(uint32_t most, uint32_t wanted, int by_regions)
{
	struct bfo_cache_way way = { .size = most };

	want_ok(bfo_batches_choose(&cache, &b.nodes, SMALLEST, &way));
	want_eq(way.size, wanted);
	want_eq(way.by_regions, by_regions);
}

static void want_size(uint32_t most, uint32_t wanted)
{
	want_way(most, wanted, 0);
}

START_TEST(in_order_as_little_as_can_be)
{
	begin();
	in_groups(1);
	want_size(LAST, SMALLEST);
	want_size(2 * SMALLEST, SMALLEST);
	want_size(SMALLEST, SMALLEST);
	want_size(SMALLEST / 2, SMALLEST / 2);
	end();
}
END_TEST

START_TEST(nothing_to_read_needs_no_room)
{
	begin();
	want_size(LAST, SMALLEST);
	end();
}
END_TEST

/*
 * Groups of 128 nodes are 640 units: in halves of them each is read from its middle on, and back:
 * 16 seeks, which are a fifth of all that is read, or a tenth.
 */
START_TEST(in_groups_a_group)
{
	begin();
	in_groups(128);
	b.r.gap = 16;
	want_size(LAST, 640);
	b.r.gap = 8;
	want_size(LAST, 320);
	end();
}
END_TEST

START_TEST(scattered_all_that_can_be)
{
	begin();
	in_heaps(16);
	want_size(LAST, LAST);
	want_size(LAST / 2, LAST / 2);
	end();
}
END_TEST

/* Whatever is chosen, its places lie in the batches that it was chosen for. */
START_TEST(nodes_stay_as_they_were)
{
	size_t i;

	begin();
	in_heaps(16);
	want_size(LAST, LAST);
	for (i = 0; i < NODES; i++)
		want_eq(b.nodes.v[i].to, LEN * i);
	end();
}
END_TEST

START_TEST(scattered_as_little_as_can_be_by_regions)
{
	begin();
	in_heaps(16);
	expect(0, LAST);
	want_way(LAST, SMALLEST, 1);
	want_way(SMALLEST / 2, SMALLEST / 2, 1);
	end();
}
END_TEST

/* Unless one was taken, and is in the page cache. */
START_TEST(in_order_without_regions)
{
	uint64_t start;

	begin();
	in_groups(1);
	expect(0, LAST);
	want_way(LAST, SMALLEST, 0);
	want(bfo_regions_take(&cache.regions, LAST - 1, 1, &start));
	want_way(LAST, SMALLEST, 1);
	end();
}
END_TEST

/*
 * An eighth of each region: that all of it is read is worth it only if more will be wanted one day.
 */
START_TEST(regions_belong_to_all_that_want_them)
{
	size_t i;

	begin();
	in_heaps(16);
	b.r.gap = 16;
	b.nodes.n /= 8;
	for (i = 0; i < b.nodes.n; i++)
		expect(bfo_node_blk(&b.nodes.v[i]), LEN);
	want_way(LAST, LAST / 8, 0);
	for (; i < NODES; i++)
		expect(bfo_node_blk(&b.nodes.v[i]), LEN);
	want_way(LAST, SMALLEST, 1);
	end();
}
END_TEST

/* Half of the volume is in regions, half of the nodes are there, and in turn with the others. */
START_TEST(what_is_not_in_regions_counts)
{
	begin();
	in_heaps(16);
	expect(0, LAST / 2);
	want_way(LAST, LAST, 0);
	end();
}
END_TEST

/*
 * The regions in reverse order, in each heaps as above: four seeks, a fifth of all or a twentieth.
 */
START_TEST(seeks_between_regions_count)
{
	uint32_t i, in;

	begin();
	for (i = 0; i < NODES; i++) {
		in = i % (NODES / 4);
		add((3 - i / (NODES / 4)) * (NODES / 4) + in % 16 * 16 + in / 16);
	}
	expect(0, LAST);
	b.r.gap = 16;
	want_way(LAST, SMALLEST, 1);
	b.r.gap = 64;
	want_way(LAST, LAST / 2, 0);
	end();
}
END_TEST

Suite *batches_suite(void)
{
	Suite *s = suite_create("batches");

	unit_case(s, "in_order_as_little_as_can_be", in_order_as_little_as_can_be, 0);
	unit_case(s, "nothing_to_read_needs_no_room", nothing_to_read_needs_no_room, 0);
	unit_case(s, "in_groups_a_group", in_groups_a_group, 0);
	unit_case(s, "scattered_all_that_can_be", scattered_all_that_can_be, 0);
	unit_case(s, "nodes_stay_as_they_were", nodes_stay_as_they_were, 0);
	unit_case(s, "scattered_as_little_as_can_be_by_regions",
		  scattered_as_little_as_can_be_by_regions, 0);
	unit_case(s, "in_order_without_regions", in_order_without_regions, 0);
	unit_case(s, "regions_belong_to_all_that_want_them",
		  regions_belong_to_all_that_want_them, 0);
	unit_case(s, "what_is_not_in_regions_counts", what_is_not_in_regions_counts, 0);
	unit_case(s, "seeks_between_regions_count", seeks_between_regions_count, 0);
	return s;
}
