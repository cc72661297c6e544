/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maps.h - where a file has data, where holes, where unwritten blocks: compared
 *
 * Two files are looked at in units of the larger of their block sizes.  A unit of several blocks
 * has data if one of them has, else is unwritten if one of them is: what becomes of it when it
 * moves into one block.  Pure functions.
 */
#ifndef BFO_COMPARE_MAPS_H
#define BFO_COMPARE_MAPS_H

#include "tree/tree.h"

enum bfo_map_state { BFO_MAP_HOLE, BFO_MAP_UNWRITTEN, BFO_MAP_DATA };

struct bfo_map {
	const struct bfo_seg *seg;	/* ascending */
	uint32_t n;
	uint32_t ratio;			/* blocks per unit */
	uint32_t next;			/* first segment that may still be asked for */
};

/* The state of UNIT (not below what was asked for before), and the unit before which it stays. */
enum bfo_map_state bfo_map_at(struct bfo_map *map, uint64_t unit, uint64_t *end);

/* True if they differ from *UNIT on, first in the *UNIT that is left there. */
int bfo_maps_differ(struct bfo_map a, struct bfo_map b, uint64_t *unit);

/* The next units [*FROM, *END) from *FROM on in which one of both has data; 0 if there are none. */
int bfo_maps_next_data(struct bfo_map *a, struct bfo_map *b, uint64_t *from, uint64_t *end);

#endif
