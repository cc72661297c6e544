// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * maps.c - data, holes and unwritten blocks
 */
#include "compare/maps.h"

static uint64_t seg_end(const struct bfo_seg *seg)
{
	return seg->lblk + (uint64_t) seg->len;
}

static enum bfo_map_state seg_state(const struct bfo_seg *seg)
{
	return bfo_seg_unwritten(seg) ? BFO_MAP_UNWRITTEN : BFO_MAP_DATA;
}

/* The state of a unit that ends at block HI, of which the next segment has a part. */
static enum bfo_map_state mixed_state(const struct bfo_map *map, uint64_t hi)
{
	enum bfo_map_state state = BFO_MAP_HOLE;
	uint32_t i;

	for (i = map->next; i < map->n && map->seg[i].lblk < hi; i++)
		if (seg_state(&map->seg[i]) > state)
			state = seg_state(&map->seg[i]);
	return state;
}

enum bfo_map_state bfo_map_at(struct bfo_map *map, uint64_t unit, uint64_t *end)
{
	uint64_t lo = unit * map->ratio, hi = lo + map->ratio;
	const struct bfo_seg *seg;

	while (map->next < map->n && seg_end(&map->seg[map->next]) <= lo)
		map->next++;
	if (map->next == map->n) {
		*end = UINT64_MAX;
		return BFO_MAP_HOLE;
	}
	seg = &map->seg[map->next];
	if (seg->lblk >= hi) {
		*end = seg->lblk / map->ratio;
		return BFO_MAP_HOLE;
	}
	if (seg->lblk <= lo && seg_end(seg) >= hi) {
		*end = seg_end(seg) / map->ratio;
		return seg_state(seg);
	}
	*end = unit + 1;
	return mixed_state(map, hi);
}

int bfo_maps_differ(struct bfo_map a, struct bfo_map b, uint64_t *unit)
{
	uint64_t at = *unit, a_end, b_end;

	while (at != UINT64_MAX) {
		if (bfo_map_at(&a, at, &a_end) != bfo_map_at(&b, at, &b_end)) {
			*unit = at;
			return 1;
		}
		at = a_end < b_end ? a_end : b_end;
	}
	return 0;
}

/* True if UNIT has data in one of them; what holds up to *END does. */
static int has_data(struct bfo_map *a, struct bfo_map *b, uint64_t unit, uint64_t *end)
{
	uint64_t a_end, b_end;
	int a_data = bfo_map_at(a, unit, &a_end) == BFO_MAP_DATA;
	int b_data = bfo_map_at(b, unit, &b_end) == BFO_MAP_DATA;

	*end = a_end < b_end ? a_end : b_end;
	return a_data || b_data;
}

int bfo_maps_next_data(struct bfo_map *a, struct bfo_map *b, uint64_t *from, uint64_t *end)
{
	uint64_t next;

	while (!has_data(a, b, *from, end)) {
		if (*end == UINT64_MAX)
			return 0;
		*from = *end;
	}
	while (has_data(a, b, *end, &next))
		*end = next;
	return 1;
}
