// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_batches.c - commit/batches: how much is worth being read at once
 */
#include "bed.h"
#include "commit/batches.h"

#define BS 4096U
#define NODES 1024U		/* of 4 blocks each, which follow each other at their destination, */
#define LEN 4U
#define LAST (LEN * NODES)	/* and are all of the volume */
#define SMALLEST 64U		/* units: 16 nodes */

static struct bed b;

static void begin(void)
{
	bed_open(&b, BS, LAST, 0, NULL);
	bed_again(&b, 64 * BS, 0);
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

static void want_size(uint32_t most, uint32_t wanted)
{
	uint32_t size = most;

	want_ok(bfo_batches_choose(&b.r, &b.nodes, SMALLEST, &size));
	want_eq(size, wanted);
}

START_TEST(in_order_as_little_as_can_be)
{
	begin();
	in_groups(1);
	want_size(LAST, SMALLEST);
	want_size(2 * SMALLEST, SMALLEST);
	want_size(SMALLEST, SMALLEST);
	want_size(SMALLEST / 2, SMALLEST / 2);
	bed_close(&b);
}
END_TEST

START_TEST(nothing_to_read_needs_no_room)
{
	begin();
	want_size(LAST, SMALLEST);
	bed_close(&b);
}
END_TEST

/* Groups of 128 nodes are 512 units: in halves of them each is read from its middle on, and back. */
START_TEST(in_groups_a_group)
{
	begin();
	in_groups(128);
	want_size(LAST, 512);
	bed_close(&b);
}
END_TEST

START_TEST(scattered_all_that_can_be)
{
	begin();
	in_heaps(16);
	want_size(LAST, LAST);
	want_size(LAST / 2, LAST / 2);
	bed_close(&b);
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
	bed_close(&b);
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
	return s;
}
