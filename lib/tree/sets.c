// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sets.c - sets of attributes, each distinct one once
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "tree/sets.h"

#define TABLE_MIN 1024

/* Where the set of these bytes is in the table, or belongs. */
static uint32_t *find(const struct bfo_sets *s, const char *bytes, uint32_t len)
{
	size_t at = bfo_crc32c(~0U, bytes, len) & (s->table_size - 1);

	for (; s->table[at]; at = (at + 1) & (s->table_size - 1)) {
		const struct bfo_ea *set = &s->list.v[s->table[at] - 1];

		if (set->bytes == len && !memcmp(s->bytes.v + set->at, bytes, len))
			break;
	}
	return &s->table[at];
}

/* Keeps the table half empty. */
static errcode_t grow(struct bfo_sets *s)
{
	size_t i;

	if (s->list.n * 2 < s->table_size)
		return 0;
	free(s->table);
	s->table_size = s->table_size ? s->table_size : TABLE_MIN;
	while (s->table_size <= s->list.n * 2)		/* a list may come without its table */
		s->table_size *= 2;
	s->table = calloc(s->table_size, sizeof(*s->table));
	if (!s->table)
		return ENOMEM;
	for (i = 0; i < s->list.n; i++)
		*find(s, s->bytes.v + s->list.v[i].at, s->list.v[i].bytes) = i + 1;
	return 0;
}

static int has_values(const bfo_xattrs *set)
{
	size_t i;

	for (i = 0; i < set->n; i++)
		if (set->v[i].inum)
			return 1;
	return 0;
}

/* s->packed becomes the bytes of SET, and there is room for them among all. */
static errcode_t pack(struct bfo_sets *s, const bfo_xattrs *set, uint32_t len)
{
	errcode_t err;

	s->packed.n = 0;
	err = bfo_vec_reserve(&s->packed, len);
	if (err)
		return err;
	bfo_xattrs_pack(set, s->packed.v);
	return bfo_vec_reserve(&s->bytes, len);		/* from now on SET may be stale */
}

errcode_t bfo_sets_add(struct bfo_sets *s, const bfo_xattrs *set, uint32_t *index)
{
	uint32_t len = bfo_xattrs_bytes(set), *slot;
	int values = has_values(set);
	errcode_t err;

	*index = BFO_NONE;
	if (!set->n)
		return 0;
	err = grow(s);
	if (!err)
		err = pack(s, set, len);
	if (err)
		return err;
	slot = find(s, s->packed.v, len);
	if (!*slot) {
		memcpy(s->bytes.v + s->bytes.n, s->packed.v, len);
		err = bfo_vec_push(&s->list, (struct bfo_ea) { .at = s->bytes.n, .bytes = len,
				   .copy = s->list.n, .has_values = values });
		s->bytes.n += len;
		*slot = s->list.n;
	}
	*index = *slot - 1;
	return err;
}

errcode_t bfo_sets_append(const struct bfo_sets *s, uint32_t index, bfo_xattrs *out)
{
	if (index == BFO_NONE)
		return 0;
	return bfo_xattrs_unpack(out, s->bytes.v + s->list.v[index].at, s->list.v[index].bytes);
}

void bfo_sets_free(struct bfo_sets *s)
{
	bfo_vec_free(&s->list);
	bfo_vec_free(&s->bytes);
	bfo_vec_free(&s->packed);
	free(s->table);
	*s = (struct bfo_sets) { .table = NULL };
}
