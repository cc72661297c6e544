// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * regions.c - which parts of a volume will be wanted as a whole, sooner or later
 */
#include <errno.h>
#include <stdlib.h>

#include "gather/regions.h"

#define MUCH 3		/* a third: it moves less than three times what is wanted, once */

errcode_t bfo_regions_init(struct bfo_regions *s, const struct bfo_volume *vol)
{
	s->blocks = BFO_REGION_BYTES / vol->block_size;
	s->n = vol->blocks / s->blocks;		/* what is left at the end is read as it comes */
	s->wanted = calloc(s->n + 1, sizeof(*s->wanted));
	return s->wanted ? 0 : ENOMEM;
}

void bfo_regions_free(struct bfo_regions *s)
{
	free(s->wanted);
	s->wanted = NULL;
	s->n = 0;
}

void bfo_regions_add(struct bfo_regions *s, uint64_t blk, uint64_t len)
{
	uint64_t at, rest;

	for (; len && blk / s->blocks < s->n; blk += rest, len -= rest) {
		at = blk % s->blocks;
		rest = len < s->blocks - at ? len : s->blocks - at;
		s->wanted[blk / s->blocks] += rest;
	}
}

/* True if region I is worth being read as a whole, or was. */
static int is_worth(const struct bfo_regions *s, uint64_t i)
{
	return s->wanted[i] >= (s->blocks + MUCH - 1) / MUCH;
}

uint64_t bfo_regions_worth(const struct bfo_regions *s, uint32_t block_size)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < s->n; i++)
		bytes += is_worth(s, i) ? (uint64_t) s->blocks * block_size : 0;
	return bytes;
}

int bfo_regions_hold(const struct bfo_regions *s, uint64_t blk)
{
	return blk / s->blocks < s->n && is_worth(s, blk / s->blocks);
}

uint32_t bfo_regions_take(struct bfo_regions *s, uint64_t blk, uint64_t len, uint64_t *start)
{
	uint64_t i;

	for (i = blk / s->blocks; i < s->n && i * s->blocks < blk + len; i++) {
		if (!is_worth(s, i) || s->wanted[i] == BFO_REGION_TAKEN)
			continue;
		s->wanted[i] = BFO_REGION_TAKEN;
		*start = i * s->blocks;
		return s->blocks;
	}
	return 0;
}
