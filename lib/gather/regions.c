// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * regions.c - which parts of a volume will be wanted as a whole, sooner or later
 */
#include <errno.h>
#include <stdlib.h>

#include "gather/regions.h"

#define NEARLY 8	/* all but an eighth */

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

uint32_t bfo_regions_take(struct bfo_regions *s, uint64_t blk, uint64_t len, uint64_t *start)
{
	uint64_t i;

	for (i = blk / s->blocks; i < s->n && i * s->blocks < blk + len; i++) {
		if (s->wanted[i] < s->blocks - s->blocks / NEARLY)
			continue;
		s->wanted[i] = 0;
		*start = i * s->blocks;
		return s->blocks;
	}
	return 0;
}
