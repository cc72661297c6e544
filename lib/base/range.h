/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * range.h - sets of numbers as sorted, disjoint ranges
 */
#ifndef BFO_BASE_RANGE_H
#define BFO_BASE_RANGE_H

#include "base/vec.h"

struct bfo_range {
	uint64_t start, len;
};

typedef BFO_VEC(struct bfo_range) bfo_ranges;

/* Appends [start, start + len), which must not begin before the last range's end; joins both. */
errcode_t bfo_ranges_append(bfo_ranges *r, uint64_t start, uint64_t len);

/* Adds [start, start + len), wherever it lies and whatever it meets. */
errcode_t bfo_ranges_add(bfo_ranges *r, uint64_t start, uint64_t len);

/* Sorts ranges that were appended without order, and joins what meets or overlaps. */
void bfo_ranges_settle(bfo_ranges *r);

/* The first range that ends behind NUMBER, which may lie in it; NULL if there is none. */
const struct bfo_range *bfo_ranges_from(const bfo_ranges *r, uint64_t number);

/* True if NUMBER is in the set. */
int bfo_ranges_contain(const bfo_ranges *r, uint64_t number);

/*
 * Cuts FROM, ascending, by BY: what is in both goes to *COMMON, the rest of FROM to *REST; these
 * are emptied first.
 */
errcode_t bfo_ranges_cut(const bfo_ranges *from, const bfo_ranges *by, bfo_ranges *rest,
			 bfo_ranges *common);

/* How many numbers are in the set. */
uint64_t bfo_ranges_total(const bfo_ranges *r);

/*
 * Chooses from FREE ranges with at least NEED numbers together: as few ranges as possible, so
 * the longest; of several that could be the last of them, the lowest that suffices.  The result
 * is ascending and may exceed NEED.  Returns BFO_ET_NO_SPACE if all of FREE is not enough.
 */
errcode_t bfo_ranges_choose(const bfo_ranges *free, uint64_t need, bfo_ranges *chosen);

#endif
