// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sparse_map.c - which bytes of a file an archive has
 */
#include <stdio.h>
#include <string.h>

#include "export/sparse_map.h"
#include "export/ustar.h"

#define PAIR_TEXT 48U			/* characters of two numbers, at most */

/* Adds a range, or makes the last one longer. */
static errcode_t add_range(struct bfo_sparse_map *map, uint64_t from, uint64_t len)
{
	struct bfo_sparse_range *last = bfo_vec_at(&map->ranges, map->ranges.n);

	map->bytes += len;
	if (map->ranges.n && last[-1].from + last[-1].len == from) {
		last[-1].len += len;
		return 0;
	}
	return bfo_vec_push(&map->ranges, (struct bfo_sparse_range) { from, len });
}

errcode_t bfo_sparse_map_make(struct bfo_sparse_map *map, const struct bfo_item *item,
			      uint64_t from, uint64_t end)
{
	errcode_t err = 0;
	size_t i;

	map->ranges.n = 0;
	map->bytes = 0;
	for (i = 0; !err && i < item->n_parts; i++) {
		const struct bfo_part *part = &item->parts[i];
		uint64_t lo = part->from > from ? part->from : from, hi;

		if (part->is_unwritten || part->from >= end)
			continue;
		hi = part->len < end - part->from ? part->from + part->len : end;
		if (lo < hi)
			err = add_range(map, lo, hi - lo);
	}
	map->has_holes = map->bytes != end - from;
	return err;
}

/* Appends two numbers, and what stands between and behind them. */
static errcode_t add_pair(bfo_chars *out, uint64_t from, char between, uint64_t len, char after)
{
	errcode_t err = bfo_vec_reserve(out, PAIR_TEXT);

	if (!err)
		out->n += snprintf(out->v + out->n, PAIR_TEXT, "%llu%c%llu%c",
				   (unsigned long long) from, between, (unsigned long long) len,
				   after);
	return err;
}

errcode_t bfo_sparse_map_text(const struct bfo_sparse_map *map, uint64_t size, bfo_chars *out)
{
	const struct bfo_sparse_range *last = bfo_vec_at(&map->ranges, map->ranges.n);
	int has_end = !map->ranges.n || last[-1].from + last[-1].len < size;
	errcode_t err = bfo_vec_reserve(out, PAIR_TEXT);
	size_t i, gap;

	if (err)
		return err;
	out->n += snprintf(out->v + out->n, PAIR_TEXT, "%zu\n", map->ranges.n + has_end);
	for (i = 0; !err && i < map->ranges.n; i++)
		err = add_pair(out, map->ranges.v[i].from, '\n', map->ranges.v[i].len, '\n');
	if (!err && has_end)
		err = add_pair(out, size, '\n', 0, '\n');
	gap = -out->n % BFO_USTAR_BYTES;
	if (!err)
		err = bfo_vec_reserve(out, gap);
	if (err)
		return err;
	memset(out->v + out->n, 0, gap);
	out->n += gap;
	return 0;
}

errcode_t bfo_sparse_map_unwritten(const struct bfo_item *item, bfo_chars *out)
{
	size_t i, from = out->n;
	errcode_t err = 0;

	for (i = 0; !err && i < item->n_parts; i++)
		if (item->parts[i].is_unwritten)
			err = add_pair(out, item->parts[i].from, ',', item->parts[i].len, ';');
	out->n -= out->n > from;	/* the last semicolon */
	return err;
}

errcode_t bfo_sparse_map_list(const struct bfo_sparse_map *map, bfo_chars *out)
{
	errcode_t err = 0;
	size_t i, from = out->n;

	for (i = 0; !err && i < map->ranges.n; i++)
		err = add_pair(out, map->ranges.v[i].from, ',', map->ranges.v[i].len, ';');
	out->n -= out->n > from;	/* the last semicolon */
	return err;
}

void bfo_sparse_map_free(struct bfo_sparse_map *map)
{
	bfo_vec_free(&map->ranges);
}
