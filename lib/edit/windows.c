// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * windows.c - metadata blocks as they stand on the volume, read some at a time
 *
 * Where a window cannot be read as a whole, its blocks are windows of their own: a bad block
 * next to the one that is wanted does no harm.
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

errcode_t bfo_windows_init(struct bfo_windows *w, struct bfo_context *ctx, struct bfo_volume *vol)
{
	*w = (struct bfo_windows) { .ctx = ctx, .vol = vol };
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
	uint64_t number = blk / WINDOW_BLOCKS;

	return &w->table[(number ^ number / WINDOW_SLOTS) % WINDOW_SLOTS];
}

static errcode_t read_window(struct bfo_windows *w, uint64_t first, uint32_t n,
			     struct bfo_window **out)
{
	size_t size = sizeof(struct bfo_window) + (size_t) n * w->vol->block_size;
	struct bfo_window *x = malloc(size);
	struct bfo_window **slot = slot_of(w, first);
	errcode_t err;

	if (!x)
		return ENOMEM;
	err = bfo_volume_read(w->ctx, w->vol, first, n, x->data);
	if (err) {
		free(x);
		return err;
	}
	x->first = first;
	x->n = n;
	x->next = *slot;
	*slot = *out = x;
	w->bytes += size;
	return 0;
}

errcode_t bfo_windows_block(struct bfo_windows *w, uint64_t blk, const void **data)
{
	uint64_t first = blk - blk % WINDOW_BLOCKS, end = first + WINDOW_BLOCKS;
	struct bfo_window *x = *slot_of(w, blk);
	errcode_t err = 0;

	if (!bfo_volume_contains(w->vol, blk, 1))
		return bfo_fail(w->ctx, BFO_ET_DAMAGED, "reading block %llu of %s: there is no "
				"such block", (unsigned long long) blk, w->vol->spec);
	while (x && (blk < x->first || blk - x->first >= x->n))
		x = x->next;
	if (!x) {
		if (w->bytes > MOST_BYTES)
			bfo_windows_drop(w);
		if (end > w->vol->blocks)
			end = w->vol->blocks;
		err = read_window(w, first, end - first, &x);
		if (err && err != ENOMEM)
			err = read_window(w, blk, 1, &x);
	}
	if (!err)
		*data = x->data + (blk - x->first) * w->vol->block_size;
	return err;
}
