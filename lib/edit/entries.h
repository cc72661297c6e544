/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * entries.h - what becomes of some names of one directory
 *
 * A name that was looked for has an entry: whether the volume has it, and what it leads to by now.
 * What differs is what a commit has to change.
 *
 * Errors: ENOMEM, BFO_ET_OVERFLOW.
 */
#ifndef BFO_EDIT_ENTRIES_H
#define BFO_EDIT_ENTRIES_H

#include "base/vec.h"

struct bfo_entry {
	uint32_t ino;		/* what the name leads to; 0: there is no such name */
	uint32_t was;		/* the same, on the volume */
	uint32_t text;		/* place of the name in `text` */
	uint32_t hash;		/* of its bytes */
	uint8_t len, type;	/* bytes of the name; EXT2_FT_* */
};

/* A zeroed one is empty. */
struct bfo_entries {
	BFO_VEC(struct bfo_entry) list;
	bfo_chars text;
	uint32_t *table;	/* index + 1, or 0 */
	uint32_t slots;		/* a power of two */
};

uint32_t bfo_entries_hash(const char *name, uint32_t len);

/* The entry of NAME, valid until the next one is added; or NULL. */
struct bfo_entry *bfo_entries_find(struct bfo_entries *s, const char *name, uint32_t len);

/* Adds one of NAME, which has none: on the volume it leads to WAS (0: nowhere), as it does now. */
errcode_t bfo_entries_add(struct bfo_entries *s, const char *name, uint32_t len, uint32_t was,
			  uint8_t type, struct bfo_entry **entry);

static inline const char *bfo_entry_name(const struct bfo_entries *s, const struct bfo_entry *x)
{
	return s->text.v + x->text;
}

void bfo_entries_free(struct bfo_entries *s);

#endif
