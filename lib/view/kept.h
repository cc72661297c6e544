/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kept.h - things that were read, kept by a number as long as there is room
 *
 * Each begins with a struct bfo_kept_item.  What was asked for longest ago goes first; the one that
 * was added last stays, however large it is.
 */
#ifndef BFO_VIEW_KEPT_H
#define BFO_VIEW_KEPT_H

#include <stddef.h>
#include <stdint.h>

struct bfo_kept_item {
	uint64_t key;
	size_t bytes;				/* that it takes */
	struct bfo_kept_item *next;		/* in its bucket */
	struct bfo_kept_item *newer, *older;
};

#define BFO_KEPT_BUCKETS 4096U

/* To begin with, `limit` and `drop` are set, and all else is zeroed. */
struct bfo_kept {
	size_t limit;				/* bytes of all items */
	void (*drop)(struct bfo_kept_item *item);	/* frees one */
	size_t bytes;
	struct bfo_kept_item *newest, *oldest;
	struct bfo_kept_item *buckets[BFO_KEPT_BUCKETS];
};

/* The item of KEY, which is the newest now; NULL: there is none. */
void *bfo_kept_find(struct bfo_kept *k, uint64_t key);

/* Adds ITEM, which KEY has none of yet, of BYTES.  Others may go. */
void bfo_kept_add(struct bfo_kept *k, struct bfo_kept_item *item, uint64_t key, size_t bytes);

/* All go. */
void bfo_kept_free(struct bfo_kept *k);

#endif
