// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pax_map.c - where the data of a member with holes belong
 *
 *   blocks of 512 bytes ── lines ──> numbers ── in pairs ──> parts
 *
 * A line may go on in the next block.
 */
#include <string.h>

#include "base/bfo_err.h"
#include "intake/pax_map.h"
#include "intake/pax_text.h"
#include "intake/plain_tar.h"

#define LINE_BYTES 20U			/* of the largest number that fits */

struct lines {
	struct bfo_pax_bytes *b;
	char block[BFO_TAR_BLOCK];
	size_t at;			/* of the block: the next byte */
	uint64_t read;			/* bytes of blocks */
	uint64_t most;
};

static errcode_t next_block(struct lines *l)
{
	if (l->read + BFO_TAR_BLOCK > l->most)
		return BFO_ET_DAMAGED;
	l->read += BFO_TAR_BLOCK;
	l->at = 0;
	return bfo_pax_bytes_take(l->b, l->block, BFO_TAR_BLOCK);
}

static errcode_t next_number(struct lines *l, uint64_t *n)
{
	char text[LINE_BYTES];
	struct bfo_pax_text line = { .v = text };
	errcode_t err = 0;

	for (;;) {
		if (l->at == BFO_TAR_BLOCK)
			err = next_block(l);
		if (err)
			return err;
		if (l->block[l->at] == '\n')
			break;
		if (line.len == LINE_BYTES)
			return BFO_ET_DAMAGED;
		text[line.len++] = l->block[l->at++];
	}
	l->at++;
	return bfo_pax_number(&line, 10, INT64_MAX, n) ? 0 : BFO_ET_DAMAGED;
}

/* A part that ends within SIZE bytes; *SUM: bytes of all of them. */
static errcode_t next_part(struct lines *l, uint64_t size, bfo_ranges *map, uint64_t *sum)
{
	const struct bfo_range *last = map->n ? &map->v[map->n - 1] : NULL;
	uint64_t at, len;
	errcode_t err = next_number(l, &at);

	if (!err)
		err = next_number(l, &len);
	if (err)
		return err;
	if (at > size || len > size - at || (last && at < last->start + last->len))
		return BFO_ET_DAMAGED;
	*sum += len;
	return bfo_ranges_append(map, at, len);
}

errcode_t bfo_pax_map_read(struct bfo_pax_bytes *b, uint64_t size, uint64_t stored,
			   bfo_ranges *map, const char **why)
{
	struct lines l = { .b = b, .at = BFO_TAR_BLOCK,
			   .most = stored < BFO_PAX_MAP_MOST ? stored : BFO_PAX_MAP_MOST };
	uint64_t count = 0, sum = 0;
	errcode_t err = next_number(&l, &count);

	*why = "the map of its data is damaged";
	map->n = 0;
	for (; count && !err; count--)
		err = next_part(&l, size, map, &sum);
	for (; l.at < BFO_TAR_BLOCK && !err; l.at++)
		err = l.block[l.at] ? BFO_ET_DAMAGED : 0;
	if (!err && sum != stored - l.read) {
		*why = "it has other data than its map says";
		err = BFO_ET_DAMAGED;
	}
	return err;
}
