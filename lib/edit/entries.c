// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * entries.c - what becomes of some names of one directory
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "edit/entries.h"

uint32_t bfo_entries_hash(const char *name, uint32_t len)
{
	return bfo_crc32c(~0U, name, len);
}

static void put(struct bfo_entries *s, size_t index)
{
	uint32_t slot = s->list.v[index].hash;

	while (s->table[slot &= s->slots - 1])
		slot++;
	s->table[slot] = index + 1;
}

/* Twice as many slots, of which at most half are taken. */
static errcode_t enlarge(struct bfo_entries *s)
{
	uint32_t slots = s->slots ? s->slots * 2 : 16, *table;
	size_t i;

	if (s->list.n + 1 <= s->slots / 2)
		return 0;
	table = calloc(slots, sizeof(*table));
	if (!table)
		return ENOMEM;
	free(s->table);
	s->table = table;
	s->slots = slots;
	for (i = 0; i < s->list.n; i++)
		put(s, i);
	return 0;
}

struct bfo_entry *bfo_entries_find(struct bfo_entries *s, const char *name, uint32_t len)
{
	uint32_t hash = bfo_entries_hash(name, len), slot = hash, at;

	while (s->slots && (at = s->table[slot &= s->slots - 1])) {
		struct bfo_entry *x = &s->list.v[at - 1];

		if (x->hash == hash && x->len == len && !memcmp(bfo_entry_name(s, x), name, len))
			return x;
		slot++;
	}
	return NULL;
}

errcode_t bfo_entries_add(struct bfo_entries *s, const char *name, uint32_t len, uint32_t was,
			  uint8_t type, struct bfo_entry **entry)
{
	struct bfo_entry x = { .ino = was, .was = was, .text = s->text.n, .len = len, .type = type,
			       .hash = bfo_entries_hash(name, len) };
	errcode_t err = enlarge(s);

	if (!err)
		err = bfo_vec_reserve(&s->text, len);
	if (!err)
		err = bfo_vec_push(&s->list, x);
	if (err)
		return err;
	memcpy(s->text.v + s->text.n, name, len);
	s->text.n += len;
	put(s, s->list.n - 1);
	*entry = &s->list.v[s->list.n - 1];
	return 0;
}

void bfo_entries_free(struct bfo_entries *s)
{
	bfo_vec_free(&s->list);
	bfo_vec_free(&s->text);
	free(s->table);
	s->table = NULL;
	s->slots = 0;
}
