// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * regions.c - which parts of a volume will be wanted as a whole, sooner or later
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gather/regions.h"

/* that are counted: damage may claim blocks again and again */
#define MOST_WANTED ((1U << 29) - 1)

errcode_t bfo_regions_init(struct bfo_regions *s, const struct bfo_volume *vol, uint32_t seek)
{
	s->blocks = BFO_REGION_BYTES / vol->block_size;
	s->seek = seek < s->blocks ? seek : s->blocks;	/* reading a region is never dearer */
	s->n = vol->blocks / s->blocks;		/* what is left at the end is read as it comes */
	s->next = 0;
	s->held = s->most = 0;
	s->v = calloc(s->n + 1, sizeof(*s->v));
	return s->v ? 0 : ENOMEM;
}

errcode_t bfo_regions_copy(struct bfo_regions *to, const struct bfo_regions *s)
{
	*to = *s;
	to->v = malloc((s->n + 1) * sizeof(*s->v));
	if (!to->v)
		return ENOMEM;
	memcpy(to->v, s->v, (s->n + 1) * sizeof(*s->v));
	return 0;
}

void bfo_regions_free(struct bfo_regions *s)
{
	free(s->v);
	memset(s, 0, sizeof(*s));
}

uint64_t bfo_regions_within(const struct bfo_regions *s, uint64_t blk, uint64_t len)
{
	uint64_t rest = s->blocks - blk % s->blocks;

	return len < rest ? len : rest;
}

static uint32_t at_most(uint64_t value, uint32_t limit)
{
	return value < limit ? value : limit;
}

void bfo_regions_add(struct bfo_regions *s, uint64_t blk, uint64_t len)
{
	uint32_t skip = bfo_skip_cost(s->next, blk, s->seek);
	struct bfo_region *region;
	uint64_t part;

	s->next = blk + len;
	for (; len && blk / s->blocks < s->n; blk += part, len -= part, skip = 0) {
		part = bfo_regions_within(s, blk, len);
		region = &s->v[blk / s->blocks];
		region->wanted = at_most(region->wanted + part, MOST_WANTED);
		region->cost = at_most(region->cost + part + skip, UINT32_MAX);
	}
}

void bfo_regions_drop(struct bfo_regions *s, uint64_t blk, uint64_t len)
{
	struct bfo_region *region;
	uint64_t part;
	uint32_t left;

	for (; len && blk / s->blocks < s->n; blk += part, len -= part) {
		part = bfo_regions_within(s, blk, len);
		region = &s->v[blk / s->blocks];
		if (!region->wanted)
			continue;
		left = region->wanted > part ? region->wanted - part : 0;
		region->cost = (uint64_t) region->cost * left / region->wanted;
		region->wanted = left;
		s->held -= region->taken && !left;
	}
}

/* True if region I is worth being read as a whole, or was. */
static int is_worth(const struct bfo_regions *s, uint64_t i)
{
	return s->v[i].taken || (!s->v[i].gone && s->v[i].cost >= s->blocks);
}

uint64_t bfo_regions_worth(const struct bfo_regions *s)
{
	uint64_t worth = 0;
	size_t i;

	for (i = 0; i < s->n; i++)
		worth += is_worth(s, i);
	return worth * BFO_REGION_BYTES;
}

int bfo_regions_hold(const struct bfo_regions *s, uint64_t blk)
{
	return blk / s->blocks < s->n && is_worth(s, blk / s->blocks);
}

int bfo_regions_hold_all(const struct bfo_regions *s, uint64_t blk, uint64_t len)
{
	return bfo_regions_hold(s, blk) && bfo_regions_within(s, blk, len) == len;
}

uint64_t bfo_regions_share(const struct bfo_regions *s, uint64_t blk, uint64_t len)
{
	const struct bfo_region *region;
	uint64_t bytes = 0, part;

	for (; len; blk += part, len -= part) {
		part = bfo_regions_within(s, blk, len);
		region = &s->v[blk / s->blocks];
		if (!bfo_regions_hold(s, blk))
			bytes += part * (BFO_REGION_BYTES / s->blocks);
		else if (!region->taken)
			bytes += part * BFO_REGION_BYTES / region->wanted;
	}
	return bytes;
}

uint32_t bfo_regions_take(struct bfo_regions *s, uint64_t blk, uint64_t len, uint64_t *start)
{
	uint64_t i;

	for (i = blk / s->blocks; i < s->n && i * s->blocks < blk + len; i++) {
		if (!is_worth(s, i) || s->v[i].taken)
			continue;
		s->v[i].taken = 1;
		if (++s->held > s->most)
			s->most = s->held;
		*start = i * s->blocks;
		return s->blocks;
	}
	return 0;
}

uint32_t bfo_regions_forget(struct bfo_regions *s, uint64_t blk, uint64_t len, uint64_t *start)
{
	uint64_t i;

	for (i = blk / s->blocks; i < s->n && i * s->blocks < blk + len; i++) {
		if (!(s->v[i].taken || s->v[i].gone) || s->v[i].wanted)
			continue;
		s->v[i].taken = s->v[i].gone = 0;
		*start = i * s->blocks;
		return s->blocks;
	}
	return 0;
}

void bfo_regions_read_in_part(struct bfo_regions *s, uint64_t blk)
{
	s->v[blk / s->blocks].again = 1;
}

void bfo_regions_lose(struct bfo_regions *s, uint64_t blk)
{
	struct bfo_region *region = &s->v[blk / s->blocks];

	s->held -= region->taken && region->wanted;
	region->taken = 0;
	region->gone = region->again;
	region->again = 1;
}
