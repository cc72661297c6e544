// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_regions.c - gather/regions: which are worth being read as a whole
 */
#include <stdlib.h>
#include <string.h>

#include "bed.h"

#define BS 4096U
#define REGION (BFO_REGION_BYTES / BS)		/* 1,280 blocks */
#define LAST (4 * REGION + 100)			/* blocks of the volume: four, and some more */
#define SEEK 64U				/* blocks that it costs */

static struct bed b;
static struct bfo_regions regions;

static void begin(void)
{
	bed_open(&b, BS, LAST, 0, NULL);
	want_ok(bfo_regions_init(&regions, b.vol, SEEK));
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

/* N pieces of LEN blocks, STEP blocks apart, the first at BLK. */
static void add_pieces(uint64_t blk, uint32_t n, uint32_t len, int32_t step)
{
	for (; n--; blk += step)
		bfo_regions_add(&regions, blk, len);
}

/* Whether region I is worth being read. */
static int is_worth(uint64_t i)
{
	return bfo_regions_hold(&regions, i * REGION);
}

/*
 * 16 pieces of 16 blocks and 16 seeks cost as much as the region; the first of all needs no seek.
 */
START_TEST(only_if_it_is_cheaper_than_its_pieces)
{
	begin();
	add_pieces(0, 16, 16, 80);
	add_pieces(REGION, 16, 16, 80);
	add_pieces(3 * REGION + 1200, 15, 16, -80);
	want(!is_worth(0) && is_worth(1) && !is_worth(2) && !is_worth(3));
	want_eq(bfo_regions_worth(&regions), BFO_REGION_BYTES);
	bfo_regions_add(&regions, 3 * REGION, 16);
	want(is_worth(3));
	want_eq(bfo_regions_worth(&regions), 2 * BFO_REGION_BYTES);
	want_taken(REGION, 1, REGION);
	want(is_worth(1));
	want_none(0, REGION);
	end();
}
END_TEST

/*
 * 20 pieces of a block: one behind the other no seeks, with gaps no more than these, backwards
 * seeks.
 */
START_TEST(what_goes_on_needs_no_seek)
{
	begin();
	bfo_regions_add(&regions, 3 * REGION - 10, 10 + REGION - 30);
	add_pieces(10, 20, 1, 1);
	add_pieces(REGION, 20, 1, 20);
	add_pieces(3 * REGION - 1, 20, 1, -1);
	want(!is_worth(0) && !is_worth(1) && is_worth(2) && !is_worth(3));
	end();
}
END_TEST

/* A seek is never dearer than the whole region, nor is one too many for what it is counted in. */
START_TEST(a_seek_for_any_price)
{
	begin();
	bfo_regions_free(&regions);
	want_ok(bfo_regions_init(&regions, b.vol, UINT32_MAX));
	add_pieces(LAST - 1, 1, 1, 0);
	add_pieces(3 * REGION - 1, 2, 1, -1);
	want(!is_worth(1) && is_worth(2) && !is_worth(3));
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

/*
 * Three as a whole, the first after a seek; then 100 blocks of it, and one of the second, have
 * come.
 */
START_TEST(what_came_without_them_counts_no_more)
{
	begin();
	bfo_regions_add(&regions, REGION, 3 * REGION);
	want_taken(3 * REGION, 1, 3 * REGION);
	bfo_regions_drop(&regions, 2 * REGION - 100, 50);
	want(is_worth(1) && is_worth(2));
	bfo_regions_drop(&regions, 2 * REGION - 50, 51);
	want(!is_worth(1) && !is_worth(2) && is_worth(3));
	bfo_regions_drop(&regions, 0, LAST);
	bfo_regions_drop(&regions, 0, LAST);
	want(is_worth(3));
	want_eq(bfo_regions_worth(&regions), BFO_REGION_BYTES);
	bfo_regions_add(&regions, 2 * REGION, REGION / 2);
	want(!is_worth(2));
	bfo_regions_add(&regions, 2 * REGION + REGION / 2, REGION / 2);
	want(is_worth(2));
	want_eq(bfo_regions_share(&regions, 2 * REGION, 10), 10 * BS);
	end();
}
END_TEST

/* Half of the first is wanted, a quarter of the second, all of the third. */
START_TEST(who_wants_them_shares_them)
{
	begin();
	add_pieces(REGION - 2, REGION / 2, 1, -2);
	bfo_regions_add(&regions, REGION, REGION / 4);
	bfo_regions_add(&regions, 2 * REGION, REGION);
	want_eq(bfo_regions_share(&regions, 10, 1), 2 * BS);
	want_eq(bfo_regions_share(&regions, 0, REGION / 2), BFO_REGION_BYTES);
	want_eq(bfo_regions_share(&regions, REGION - 3, 5), (3 * 2 + 2) * BS);
	want_eq(bfo_regions_share(&regions, 2 * REGION - 2, 3), (2 + 1) * BS);
	want_eq(bfo_regions_share(&regions, 3 * REGION - 1, REGION + 3), (REGION + 3) * BS);
	want_taken(2 * REGION, 1, 2 * REGION);
	want_eq(bfo_regions_share(&regions, 3 * REGION - 1, 3), 2 * BS);
	end();
}
END_TEST

/* One of which half of the blocks were read since, and one of which none was. */
START_TEST(what_is_lost_is_taken_again_if_still_worth_it)
{
	begin();
	bfo_regions_add(&regions, 0, 2 * REGION);
	want_taken(0, 1, 0);
	want_taken(REGION, 1, REGION);
	bfo_regions_drop(&regions, 0, REGION / 2);
	bfo_regions_lose(&regions, 10);
	bfo_regions_lose(&regions, REGION + 10);
	want(!is_worth(0) && is_worth(1));
	want_none(0, REGION);
	want_taken(0, LAST, REGION);
	want_none(0, LAST);
	end();
}
END_TEST

/* The second time it is given up, as long as it may be wanted. */
START_TEST(what_is_lost_twice_is_given_up)
{
	uint64_t start = 0;

	begin();
	bfo_regions_add(&regions, 0, 3 * REGION);
	want_taken(REGION, 1, REGION);
	bfo_regions_lose(&regions, REGION);
	want_taken(REGION, 1, REGION);
	want(is_worth(1));
	bfo_regions_lose(&regions, REGION + 1);
	want(!is_worth(1));
	want_none(REGION, REGION);
	want_eq(regions.held, 0);
	bfo_regions_add(&regions, REGION, REGION);
	want(!is_worth(1) && is_worth(2));
	want_eq(bfo_regions_forget(&regions, 0, LAST, &start), 0);
	bfo_regions_drop(&regions, REGION, REGION);
	bfo_regions_drop(&regions, REGION, REGION);
	want_eq(bfo_regions_forget(&regions, 0, LAST, &start), REGION);
	want_eq(start, REGION);
	want_eq(bfo_regions_forget(&regions, 0, LAST, &start), 0);
	end();
}
END_TEST

START_TEST(what_could_not_be_read_whole_is_not_tried_again)
{
	begin();
	bfo_regions_add(&regions, 0, LAST);
	want_taken(REGION, 1, REGION);
	bfo_regions_read_in_part(&regions, REGION);
	want(is_worth(1));
	bfo_regions_lose(&regions, REGION + 7);
	want(!is_worth(1));
	want_none(REGION, REGION);
	end();
}
END_TEST

START_TEST(one_has_all_of_it_or_not)
{
	begin();
	bfo_regions_add(&regions, REGION, REGION);
	bfo_regions_add(&regions, 2 * REGION, REGION);
	want(bfo_regions_hold_all(&regions, REGION, REGION));
	want(bfo_regions_hold_all(&regions, 3 * REGION - 1, 1));
	want(!bfo_regions_hold_all(&regions, REGION + 1, REGION));
	want(!bfo_regions_hold_all(&regions, 3 * REGION - 1, 2));
	want(!bfo_regions_hold_all(&regions, REGION - 1, 1));
	end();
}
END_TEST

/* Two at once, then one; and none when the other is lost, or when it was wanted no more before. */
START_TEST(they_are_held_from_the_first_piece_to_the_last)
{
	int early;

	for (early = 0; early < 2; early++) {
		begin();
		bfo_regions_add(&regions, 0, LAST);
		want_taken(0, 1, 0);
		want_taken(REGION, 1, REGION);
		bfo_regions_drop(&regions, 0, REGION - 1);
		want_eq(regions.held, 2);
		bfo_regions_drop(&regions, REGION - 1, 1);
		want_eq(regions.held, 1);
		bfo_regions_drop(&regions, 0, REGION);
		bfo_regions_drop(&regions, 2 * REGION, REGION);
		want_eq(regions.held, 1);
		if (early)
			bfo_regions_drop(&regions, REGION, REGION);
		bfo_regions_lose(&regions, REGION);
		want_eq(regions.held, 0);
		want_taken(3 * REGION, 1, 3 * REGION);
		want_eq(regions.held, 1);
		want_eq(regions.most, 2);
		end();
	}
}
END_TEST

/* Two that are taken, and two that are not. */
START_TEST(what_was_taken_is_forgotten_once_nobody_wants_it)
{
	uint64_t start = 0;

	begin();
	bfo_regions_add(&regions, 0, LAST);
	want_taken(0, 1, 0);
	want_taken(REGION, 1, REGION);
	bfo_regions_drop(&regions, 1, REGION);
	want_eq(bfo_regions_forget(&regions, 0, LAST, &start), 0);
	bfo_regions_drop(&regions, 0, 1);
	want(is_worth(0));
	want_eq(bfo_regions_forget(&regions, REGION - 1, 1, &start), REGION);
	want_eq(start, 0);
	want(!is_worth(0));
	want_none(0, 1);
	bfo_regions_drop(&regions, REGION, 3 * REGION);
	want_eq(bfo_regions_forget(&regions, 0, REGION, &start), 0);
	want_eq(bfo_regions_forget(&regions, 0, LAST, &start), REGION);
	want_eq(start, REGION);
	want_eq(bfo_regions_forget(&regions, 0, LAST, &start), 0);
	end();
}
END_TEST

/* Damage may have many files claim one block: more often than can be counted. */
START_TEST(claims_without_end)
{
	uint32_t i;

	begin();
	for (i = 0; i <= (1U << 29) / REGION; i++)
		bfo_regions_add(&regions, 0, REGION);
	want(is_worth(0));
	/* of 2^29 - 1 blocks that want it */
	want_eq(bfo_regions_share(&regions, 0, REGION), 12);
	bfo_regions_free(&regions);
	want_ok(bfo_regions_init(&regions, b.vol, UINT32_MAX));
	for (i = 0; i <= UINT32_MAX / (REGION + 1); i++) {	/* a block, and a seek */
		bfo_regions_add(&regions, REGION, 1);
		bfo_regions_add(&regions, 3 * REGION, 0);
	}
	want(is_worth(1));
	end();
}
END_TEST

START_TEST(a_copy_is_taken_by_itself)
{
	struct bfo_regions copy, first;

	begin();
	bfo_regions_add(&regions, 0, LAST);
	want_taken(0, 1, 0);
	want_ok(bfo_regions_copy(&copy, &regions));
	first = regions;
	regions = copy;
	want_none(0, 1);
	want_taken(REGION, 1, REGION);
	regions = first;
	want_taken(REGION, 1, REGION);
	bfo_regions_free(&copy);
	end();
}
END_TEST

Suite *regions_suite(void)
{
	Suite *s = suite_create("regions");

	unit_case(s, "only_if_it_is_cheaper_than_its_pieces",
		  only_if_it_is_cheaper_than_its_pieces, 0);
	unit_case(s, "what_goes_on_needs_no_seek", what_goes_on_needs_no_seek, 0);
	unit_case(s, "a_seek_for_any_price", a_seek_for_any_price, 0);
	unit_case(s, "each_is_taken_once", each_is_taken_once, 0);
	unit_case(s, "pieces_add_up_across_borders", pieces_add_up_across_borders, 0);
	unit_case(s, "what_came_without_them_counts_no_more",
		  what_came_without_them_counts_no_more, 0);
	unit_case(s, "who_wants_them_shares_them", who_wants_them_shares_them, 0);
	unit_case(s, "what_is_lost_twice_is_given_up", what_is_lost_twice_is_given_up, 0);
	unit_case(s, "what_could_not_be_read_whole_is_not_tried_again",
		  what_could_not_be_read_whole_is_not_tried_again, 0);
	unit_case(s, "one_has_all_of_it_or_not", one_has_all_of_it_or_not, 0);
	unit_case(s, "what_is_lost_is_taken_again_if_still_worth_it",
		  what_is_lost_is_taken_again_if_still_worth_it, 0);
	unit_case(s, "they_are_held_from_the_first_piece_to_the_last",
		  they_are_held_from_the_first_piece_to_the_last, 0);
	unit_case(s, "what_was_taken_is_forgotten_once_nobody_wants_it",
		  what_was_taken_is_forgotten_once_nobody_wants_it, 0);
	unit_case(s, "claims_without_end", claims_without_end, 0);
	unit_case(s, "a_copy_is_taken_by_itself", a_copy_is_taken_by_itself, 0);
	return s;
}
