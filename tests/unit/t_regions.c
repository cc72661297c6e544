// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_regions.c - gather/regions: which are worth being read as a whole, and what the reader makes of it
 */
#include <stdlib.h>
#include <string.h>

#include "bed.h"

#define BS 4096U
#define REGION (BFO_REGION_BYTES / BS)		/* 1,280 blocks */
#define LAST (4 * REGION + 100)			/* blocks of the volume: four, and some more */

static struct bed b;
static struct bfo_regions regions;

static void begin(void)
{
	bed_open(&b, BS, LAST, 0, NULL);
	want_ok(bfo_regions_init(&regions, b.vol));
}

static void end(void)
{
	bfo_regions_free(&regions);
	bed_close(&b);
}

static void want_taken(uint64_t blk, uint64_t len, uint64_t start)
{
	uint64_t found = 0;

	want_eq(bfo_regions_take(&regions, blk, len, &found), REGION);
	want_eq(found, start);
}

static void want_none(uint64_t blk, uint64_t len)
{
	uint64_t found;

	want_eq(bfo_regions_take(&regions, blk, len, &found), 0);
}

START_TEST(only_if_a_third_is_wanted)
{
	begin();
	bfo_regions_add(&regions, 0, REGION / 3 + 1);
	bfo_regions_add(&regions, REGION, REGION / 3);
	want_eq(bfo_regions_worth(&regions, BS), BFO_REGION_BYTES);
	want(bfo_regions_hold(&regions, REGION - 1) && !bfo_regions_hold(&regions, REGION));
	want_taken(0, 1, 0);
	want(bfo_regions_hold(&regions, 0));
	want_none(REGION, REGION);
	bfo_regions_add(&regions, 2 * REGION - 1, 1);
	want_eq(bfo_regions_worth(&regions, BS), 2 * BFO_REGION_BYTES);
	want_taken(2 * REGION - 1, 1, REGION);
	end();
}
END_TEST

START_TEST(each_is_taken_once)
{
	begin();
	bfo_regions_add(&regions, 0, LAST);
	want_taken(REGION - 1, 2, 0);
	want_taken(REGION - 1, 2, REGION);
	want_none(REGION - 1, 2);
	want_taken(0, LAST, 2 * REGION);
	want_taken(0, LAST, 3 * REGION);
	want_none(0, LAST);
	end();
}
END_TEST

START_TEST(pieces_add_up_across_borders)
{
	uint64_t at;

	begin();
	for (at = 0; at + 7 <= LAST; at += 7)
		bfo_regions_add(&regions, at, 7);
	want_taken(3 * REGION, 1, 3 * REGION);
	want_none(4 * REGION, 100);	/* the last is not whole */
	end();
}
END_TEST

/* Two pieces of one region, one of another, one of a third that is hardly wanted. */
START_TEST(a_reader_reads_them_before_their_pieces)
{
	int round;

	begin();
	bfo_regions_add(&regions, 0, 2 * REGION);
	for (round = 0; round < 2; round++) {
		bed_again(&b, 0, 1);
		b.r.regions = &regions;
		bed_add(&b, 10, 1, 1);
		bed_add(&b, 700, 2, 1);
		bed_add(&b, REGION + 20, 3, 1);
		bed_add(&b, 3 * REGION, 4, 1);
		want_ok(bed_run(&b));
		bed_want_all(&b);
		want_eq(b.r.reads, 4 + (round ? 0 : 2));
		want_eq(b.r.blocks, 10 + (round ? 0 : 2 * REGION));
	}
	end();
}
END_TEST

/* Between pieces of regions that are in the cache, and elsewhere: gaps of 4 blocks, of 5, and of 8. */
START_TEST(a_reader_reads_over_less_in_them)
{
	uint64_t base;

	begin();
	bfo_regions_add(&regions, 0, REGION);
	for (base = 0; base <= 2 * REGION; base += 2 * REGION) {
		bed_again(&b, 8 * BS, 1);
		b.r.regions = &regions;
		bed_add(&b, base + 10, 1, 1);
		bed_add(&b, base + 15, 1, 1);
		bed_add(&b, base + 21, 1, 1);
		bed_add(&b, base + 30, 1, 1);
		want_ok(bed_run(&b));
		bed_want_all(&b);
		want_eq(b.r.reads, base ? 1 : 1 + 3);
		want_eq(b.r.blocks, base ? 21 : REGION + 6 + 1 + 1);
	}
	end();
}
END_TEST

Suite *regions_suite(void)
{
	Suite *s = suite_create("regions");

	unit_case(s, "only_if_a_third_is_wanted", only_if_a_third_is_wanted, 0);
	unit_case(s, "each_is_taken_once", each_is_taken_once, 0);
	unit_case(s, "pieces_add_up_across_borders", pieces_add_up_across_borders, 0);
	unit_case(s, "a_reader_reads_over_less_in_them", a_reader_reads_over_less_in_them, 0);
	unit_case(s, "a_reader_reads_them_before_their_pieces",
		  a_reader_reads_them_before_their_pieces, 0);
	return s;
}
