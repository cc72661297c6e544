// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mark.c - how far a source that is read forward has been needed
 */
#include "commit/mark.h"
#include "tree/access.h"

/* The first item of the order that ends behind block DONE of the stem. */
static size_t first_open(const struct bfo_plan *plan, uint64_t done)
{
	size_t low = 0, high = plan->order.n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (bfo_plan_item(plan, mid)->stem <= done)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? low - 1 : 0;
}

/* Where data of REC lie, of which BYTES are there; UINT64_MAX: it has no more. */
static uint64_t place_in(const struct bfo_plan *plan, const struct bfo_inode *rec, uint64_t bytes)
{
	const uint64_t bs = plan->tree->block_size;
	uint32_t i, n = bfo_seg_count(plan->tree, rec);
	const struct bfo_seg *seg = n ? bfo_seg_of(plan->tree, rec, 0) : NULL;

	for (i = 0; i < n; i++) {
		if (!bfo_seg_is_moved(&seg[i]))
			continue;
		if (bytes < seg[i].len * bs)
			return bfo_seg_blk(&seg[i]) + bytes / bs;
		bytes -= seg[i].len * bs;
	}
	return UINT64_MAX;
}

/* Items of data; directories and the like are made here. */
static int has_data(const struct bfo_inode *rec)
{
	return !S_ISDIR(rec->mode) && !(rec->state & (BFO_INODE_MOVED | BFO_INODE_STUFF));
}

/*
 * (A block of the target may hold parts of two of the source's, or the other way round: one of each
 * is counted as open.)
 */
uint64_t bfo_mark_place(const struct bfo_plan *plan, uint64_t done)
{
	const uint64_t from = plan->tree->block_size, to = plan->target->block_size;
	uint64_t place = UINT64_MAX, begun;
	size_t item = first_open(plan, done);

	for (; item < plan->order.n && place == UINT64_MAX; item++) {
		const struct bfo_inode *rec = bfo_plan_item(plan, item);

		begun = done > rec->stem ? (done - rec->stem) * to : 0;
		begun -= begun < from + to ? begun : from + to;
		if (has_data(rec))
			place = place_in(plan, rec, begun);
	}
	return place;
}
