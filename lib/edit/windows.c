// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * windows.c - metadata blocks as they stand on the volume, read some at a time
 *
 * Where a region or a window cannot be read as a whole, less is read: a bad block next to the one
 * that is wanted does no harm.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/bfo_err.h"
#include "edit/windows.h"

#define WINDOW_BLOCKS 32U
#define WINDOW_SLOTS 4096U
#define MOST_BYTES (96U << 20)

struct bfo_window {
	struct bfo_window *next;
	uint64_t first;
	uint32_t n;
	char data[] __attribute__((aligned(8)));
};

errcode_t bfo_windows_init(struct bfo_windows *w, struct bfo_context *ctx, struct bfo_volume *vol,
			   uint64_t seek)
{
	*w = (struct bfo_windows) { .ctx = ctx, .vol = vol, .region = WINDOW_BLOCKS };
	while (w->region * 2 <= seek)
		w->region *= 2;
	w->table = calloc(WINDOW_SLOTS, sizeof(*w->table));
	return w->table ? 0 : ENOMEM;
}

void bfo_windows_drop(struct bfo_windows *w)
{
	struct bfo_window *x, *next;
	size_t i;

	for (i = 0; w->bytes && i < WINDOW_SLOTS; i++) {
		for (x = w->table[i]; x; x = next) {
			next = x->next;
			free(x);
		}
		w->table[i] = NULL;
	}
	w->bytes = 0;
}

void bfo_windows_free(struct bfo_windows *w)
{
	if (w->table)
		bfo_windows_drop(w);
	free(w->table);
	w->table = NULL;
}

static struct bfo_window **slot_of(struct bfo_windows *w, uint64_t blk)
{
	uint64_t number = blk / w->region;

	return &w->table[(number ^ number / WINDOW_SLOTS) % WINDOW_SLOTS];
}

static struct bfo_window *find(struct bfo_windows *w, uint64_t blk)
{
	struct bfo_window *x = *slot_of(w, blk);

	while (x && (blk < x->first || blk - x->first >= x->n))
		x = x->next;
	return x;
}

/* Has it any window of the region of BLK? */
static int knows_region(struct bfo_windows *w, uint64_t blk)
{
	const struct bfo_window *x = *slot_of(w, blk);

	while (x && x->first / w->region != blk / w->region)
		x = x->next;
	return !!x;
}

/* The N blocks that BLK is among, as far as the volume has them, are read. */
static errcode_t read_window(struct bfo_windows *w, uint64_t blk, uint64_t n,
			     struct bfo_window **out)
{
	uint64_t first = blk - blk % n, all = w->vol->blocks;
	uint64_t end = n < all - first ? first + n : all;
	size_t size = sizeof(struct bfo_window) + (size_t) (end - first) * w->vol->block_size;
	struct bfo_window *x = malloc(size);
	struct bfo_window **slot = slot_of(w, blk);
	errcode_t err;

	if (!x)
		return ENOMEM;
	err = bfo_volume_read(w->ctx, w->vol, first, end - first, x->data);
	if (err) {
		free(x);
		return err;
	}
	x->first = first;
	x->n = end - first;
	x->next = *slot;
	*slot = *out = x;
	w->bytes += size;
	return 0;
}

static errcode_t read_wanted(struct bfo_windows *w, uint64_t blk, struct bfo_window **x)
{
	errcode_t err;

	if (knows_region(w, blk)) {
		err = read_window(w, blk, w->region, x);
		if (!err || err == ENOMEM)
			return err;
		w->region = WINDOW_BLOCKS;	/* what is bad is not tried again and again */
		bfo_windows_drop(w);
	}
	err = read_window(w, blk, WINDOW_BLOCKS, x);
	return err && err != ENOMEM ? read_window(w, blk, 1, x) : err;
}

errcode_t bfo_windows_block(struct bfo_windows *w, uint64_t blk, const void **data)
{
	struct bfo_window *x = find(w, blk);
	errcode_t err = 0;

	if (!bfo_volume_contains(w->vol, blk, 1))
		return bfo_fail(w->ctx, BFO_ET_DAMAGED, "reading block %llu of %s: there is no "
				"such block", (unsigned long long) blk, w->vol->spec);
	if (!x) {
		if (w->bytes > MOST_BYTES)
			bfo_windows_drop(w);
		err = read_wanted(w, blk, &x);
	}
	if (!err)
		*data = x->data + (blk - x->first) * w->vol->block_size;
	return err;
}
