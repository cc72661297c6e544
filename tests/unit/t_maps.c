// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_maps.c - compare/maps: against maps that are written out unit by unit
 */
#include <stdlib.h>
#include <string.h>

#include "compare/maps.h"
#include "unit.h"

#define BLOCKS 96

struct sample {
	struct bfo_seg seg[BLOCKS];
	uint32_t n;
	uint8_t state[BLOCKS + 1];	/* per block */
};

/* Random runs; neighbours may be of one state and still be two segments. */
static void make_sample(struct sample *s, struct chance *c)
{
	uint32_t at = 0, len;

	memset(s, 0, sizeof(*s));
	while (at < BLOCKS && chance_below(c, 9)) {
		len = chance_between(c, 1, 12);
		len = len < BLOCKS - at ? len : BLOCKS - at;
		if (chance_below(c, 3)) {
			int unwritten = chance_below(c, 2);

			s->seg[s->n++] = (struct bfo_seg) { .lblk = at, .len = len,
				.blk = 1000 + 2 * at + (unwritten ? BFO_SEG_UNWRITTEN : 0) };
			memset(s->state + at, unwritten ? BFO_MAP_UNWRITTEN : BFO_MAP_DATA, len);
		}
		at += len;
	}
}

static struct bfo_map map_of(const struct sample *s, uint32_t ratio)
{
	return (struct bfo_map) { .seg = s->seg, .n = s->n, .ratio = ratio };
}

static enum bfo_map_state state_of(const struct sample *s, uint32_t ratio, uint64_t unit)
{
	enum bfo_map_state state = BFO_MAP_HOLE;
	uint64_t i;

	for (i = unit * ratio; i < (unit + 1) * ratio && i < BLOCKS; i++)
		if (s->state[i] > state)
			state = s->state[i];
	return state;
}

START_TEST(reads_every_unit)
{
	struct sample s;
	struct chance c;
	uint32_t round;

	chance_init(&c, 11);
	for (round = 0; round < 5000; round++) {
		uint32_t ratio = 1U << chance_below(&c, 4);
		struct bfo_map map;
		uint64_t unit, i, end;

		make_sample(&s, &c);
		map = map_of(&s, ratio);
		for (unit = 0; unit != UINT64_MAX; unit = end) {
			enum bfo_map_state state = bfo_map_at(&map, unit, &end);

			want(end > unit);
			for (i = unit; i < end && i * ratio < BLOCKS; i++)
				want_eq(state_of(&s, ratio, i), state);
		}
	}
}
END_TEST

/* The first unit that differs; both have the same size of blocks, or one has smaller ones. */
START_TEST(finds_the_first_difference)
{
	struct sample a, b;
	struct chance c;
	uint32_t round, equal = 0;

	chance_init(&c, 12);
	for (round = 0; round < 20000; round++) {
		uint32_t ratio = 1U << chance_below(&c, 3), units = BLOCKS, first;
		uint64_t unit = 0;

		make_sample(&a, &c);
		b = a;
		if (chance_below(&c, 2))
			make_sample(&b, &c);
		for (first = 0; first < units; first++)
			if (state_of(&a, ratio, first) != state_of(&b, 1, first))
				break;
		equal += first == units;
		want_eq(bfo_maps_differ(map_of(&a, ratio), map_of(&b, 1), &unit), first < units);
		want_eq(unit, first < units ? first : 0);
	}
	want(equal > 100 && equal < 19000);
}
END_TEST

START_TEST(lists_what_has_data)
{
	struct sample a, b;
	struct chance c;
	uint32_t round;

	chance_init(&c, 13);
	for (round = 0; round < 20000; round++) {
		uint32_t ratio = 1U << chance_below(&c, 3), i;
		struct bfo_map x, y;
		uint64_t from = 0, end = 0, last = 0;

		make_sample(&a, &c);
		make_sample(&b, &c);
		x = map_of(&a, ratio);
		y = map_of(&b, 1);
		while (bfo_maps_next_data(&x, &y, &from, &end)) {
			want(from >= last && end > from);
			for (i = last; i < end; i++)
				want_eq(state_of(&a, ratio, i) == BFO_MAP_DATA ||
					state_of(&b, 1, i) == BFO_MAP_DATA, i >= from);
			want(state_of(&a, ratio, end) != BFO_MAP_DATA &&
			     state_of(&b, 1, end) != BFO_MAP_DATA);	/* all of it at once */
			last = from = end;
		}
		for (i = last; i < BLOCKS; i++)
			want(state_of(&a, ratio, i) != BFO_MAP_DATA &&
			     state_of(&b, 1, i) != BFO_MAP_DATA);
	}
}
END_TEST

START_TEST(reaches_the_last_block)
{
	const struct bfo_seg last = { .blk = 7, .lblk = UINT32_MAX - 1, .len = 1 };
	const struct bfo_seg before = { .blk = 7, .lblk = UINT32_MAX - 5, .len = 1 };
	struct bfo_map a = { .seg = &last, .n = 1, .ratio = 4 };
	struct bfo_map b = { .seg = &before, .n = 1, .ratio = 4 };
	uint64_t unit = 0;

	want(bfo_maps_differ(a, b, &unit));
	want_eq(unit, (UINT32_MAX - 5) / 4);
	want(!bfo_maps_differ(a, a, &unit));
}
END_TEST

Suite *maps_suite(void)
{
	Suite *s = suite_create("maps");

	unit_case(s, "reads_every_unit", reads_every_unit, 0);
	unit_case(s, "finds_the_first_difference", finds_the_first_difference, 0);
	unit_case(s, "lists_what_has_data", lists_what_has_data, 0);
	unit_case(s, "reaches_the_last_block", reaches_the_last_block, 0);
	return s;
}
