/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dir_items.h - internal to dir_edit: changes by name, and what a block holds once they are made
 *
 *   region ── bfo_dir_items_take() ── items, changed ── bfo_dir_shelf ── region
 *
 * Regions are read from a copy, so items may be written to where they came from.
 */
#ifndef BFO_PLAN_DIR_ITEMS_H
#define BFO_PLAN_DIR_ITEMS_H

#include "plan/dir_blocks.h"

/* An entry.  The hash is the sort key. */
struct bfo_dir_item {
	uint32_t hash, ino;
	const char *name;
	uint8_t len, type;
};

struct bfo_dir_items {
	const struct bfo_dir_edit *d;
	struct bfo_dir_change *changes;	/* those that are done are of no more interest */
	size_t first, end;		/* those that are looked for, of these */
	uint64_t *table;		/* of changes, by name: the hash's upper half, index + 1 */
	size_t size;			/* of the table, a power of two */
	uint64_t key[2];
	uint8_t *copy;			/* of a block */
	size_t left;			/* changes that are not done */
	size_t hits;			/* how many of them what was taken differs by */
	uint64_t bytes;			/* that the items take */
	BFO_VEC(struct bfo_dir_item) v;
};

/* For CHANGES, each of another name, whose order stays.  Free it, also after an error. */
errcode_t bfo_dir_items_init(struct bfo_dir_items *it, const struct bfo_dir_edit *d,
			     struct bfo_dir_change *changes, size_t n);
void bfo_dir_items_free(struct bfo_dir_items *it);

static inline void bfo_dir_items_drop(struct bfo_dir_items *it)
{
	it->v.n = it->bytes = it->hits = 0;
}

/*
 * Appends the entries from byte AT on of a region of SIZE bytes at DATA, in block LBLK, as they are
 * after the changes, which are done then.
 */
errcode_t bfo_dir_items_take(struct bfo_dir_items *it, const uint8_t *data, uint32_t size,
			     uint32_t lblk, uint32_t at);

/* Block LBLK of names, copied; and what stands there from byte AT on, in place of items before. */
errcode_t bfo_dir_items_take_block(struct bfo_dir_items *it, uint32_t lblk, uint32_t at);

/* Appends what change C inserts, which is done then. */
errcode_t bfo_dir_items_insert(struct bfo_dir_items *it, struct bfo_dir_change *c);

/* A region that is being written: entries one behind the other, the last one to the end. */
struct bfo_dir_shelf {
	uint8_t *out;
	uint32_t size, at, last;
};

/* From byte AT on, behind the entry at byte LAST, if AT is not 0. */
void bfo_dir_shelf_begin(struct bfo_dir_shelf *s, uint8_t *out, uint32_t size, uint32_t at,
			 uint32_t last);
static inline int bfo_dir_shelf_fits(const struct bfo_dir_shelf *s, uint32_t len)
{
	return bfo_dirent_bytes(len) <= s->size - s->at;
}
void bfo_dir_shelf_put(struct bfo_dir_shelf *s, const struct bfo_dir_item *i);
void bfo_dir_shelf_end(struct bfo_dir_shelf *s);

#endif
