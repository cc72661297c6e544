/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placer.h - places for data whose bytes begin and end anywhere: whole blocks, in the order in
 * which they come
 *
 * Data of a file ascend.  Each of its blocks that has some gets the next place.  So the bytes of
 * one part lie behind each other, counted in places, too, and two passes over the same data give
 * the same places.
 */
#ifndef BFO_INTAKE_PLACER_H
#define BFO_INTAKE_PLACER_H

#include <stdint.h>

struct bfo_placer {
	uint32_t block_size;
	uint64_t next;			/* place that nobody has */
	uint64_t done;			/* blocks of the file that are behind it */
};

/* What a part has got. */
struct bfo_placed {
	uint64_t byte;			/* where it begins: place * block size + offset */
	uint64_t place, lblk, blocks;	/* blocks that are new */
};

/* The next part is that of another file. */
static inline void bfo_placer_begin(struct bfo_placer *p)
{
	p->done = 0;
}

/* LEN bytes, more than 0, from AT on, which is not before the part that came last. */
static inline struct bfo_placed bfo_placer_put(struct bfo_placer *p, uint64_t at, uint64_t len)
{
	uint64_t first = at / p->block_size, end = (at + len - 1) / p->block_size + 1;
	uint64_t fresh = first < p->done ? p->done : first;
	struct bfo_placed placed = { .place = p->next, .lblk = fresh,
				     .blocks = end > fresh ? end - fresh : 0 };

	placed.byte = (p->next - (fresh - first)) * p->block_size + at % p->block_size;
	p->next += placed.blocks;
	p->done = end;
	return placed;
}

#endif
