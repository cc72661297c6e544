// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * leaf.c - changing one leaf in memory
 */
#include <string.h>

#include "itree/leaf.h"

uint32_t itree_leaf_live(const void *block)
{
	uint32_t used = itree_leaf_used(block), at = ITREE_LEAF_HEAD, live = 0;
	struct itree_entry e;

	while (at < used) {
		at = itree_leaf_get(block, at, &e);
		live += itree_entry_bytes(e.name_len);
	}
	return live;
}

/* Gives the entry at byte AT another length, all else stays. */
static void set_length(uint8_t *block, uint32_t at, uint32_t bytes)
{
	struct itree_entry e;
	uint8_t name[255];

	itree_leaf_get(block, at, &e);
	memcpy(name, e.name, e.name_len);
	e.name = (const char *) name;
	itree_leaf_put(block, at, &e, bytes);
}

void itree_leaf_squeeze(void *block, uint32_t block_size)
{
	uint32_t used = itree_leaf_used(block), at = ITREE_LEAF_HEAD, to = ITREE_LEAF_HEAD, from;
	uint8_t *p = block;
	struct itree_entry e;
	uint32_t bytes;

	while (at < used) {
		from = at;
		at = itree_leaf_get(block, at, &e);
		bytes = itree_entry_bytes(e.name_len);
		memmove(p + to, p + from, bytes);
		set_length(p, to, bytes);
		to += bytes;
	}
	memset(p + to, 0, block_size - to);
	itree_leaf_set_used(block, to);
}

/* Where E goes: behind the entry at `before` (0: none), which needs `needs` bytes and has more. */
struct place {
	uint32_t before, needs, at;	/* `at` is behind it */
};

static void find_place(const void *block, itree_key key, struct place *place)
{
	uint32_t used = itree_leaf_used(block), at = ITREE_LEAF_HEAD, next;
	struct itree_entry e;

	*place = (struct place) { .at = ITREE_LEAF_HEAD };
	for (; at < used; at = next) {
		next = itree_leaf_get(block, at, &e);
		if (e.key > key)
			return;
		*place = (struct place) { at, itree_entry_bytes(e.name_len), next };
	}
}

int itree_leaf_insert(void *block, uint32_t block_size, const struct itree_entry *e)
{
	uint32_t bytes = itree_entry_bytes(e->name_len), used = itree_leaf_used(block), hidden;
	struct place place;
	uint8_t *p = block;

	find_place(block, e->key, &place);
	hidden = place.before ? place.at - place.before - place.needs : 0;
	if (hidden >= bytes) {
		set_length(p, place.before, place.needs);
		itree_leaf_put(block, place.before + place.needs, e, hidden);
		return 1;
	}
	if (used + bytes > block_size) {
		if (ITREE_LEAF_HEAD + itree_leaf_live(block) + bytes > block_size)
			return 0;
		itree_leaf_squeeze(block, block_size);
		find_place(block, e->key, &place);
		used = itree_leaf_used(block);
	}
	memmove(p + place.at + bytes, p + place.at, used - place.at);
	itree_leaf_put(block, place.at, e, bytes);
	itree_leaf_set_used(block, used + bytes);
	return 1;
}

static void remove_first(uint8_t *block, uint32_t second)
{
	struct itree_entry e;
	uint32_t end = itree_leaf_get(block, second, &e);

	memmove(block + ITREE_LEAF_HEAD, block + second, itree_entry_bytes(e.name_len));
	set_length(block, ITREE_LEAF_HEAD, end - ITREE_LEAF_HEAD);
}

void itree_leaf_remove(void *block, uint32_t at)
{
	uint32_t scan = ITREE_LEAF_HEAD, before = 0, end;
	struct itree_entry e;

	end = itree_leaf_get(block, at, &e);
	while (scan < at) {
		before = scan;
		scan = itree_leaf_get(block, scan, &e);
	}
	if (end == itree_leaf_used(block))
		itree_leaf_set_used(block, at);
	else if (before)
		set_length(block, before, end - before);
	else
		remove_first(block, end);
}

void itree_leaf_append(void *block, const void *from)
{
	uint32_t used = itree_leaf_used(from), at = ITREE_LEAF_HEAD, to = itree_leaf_used(block);
	struct itree_entry e;

	while (at < used) {
		at = itree_leaf_get(from, at, &e);
		to = itree_leaf_put(block, to, &e, itree_entry_bytes(e.name_len));
	}
	itree_leaf_set_used(block, to);
}
