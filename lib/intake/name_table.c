// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * name_table.c - names of a tree that is being made, found by directory and bytes
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/keyed_hash.h"
#include "intake/name_table.h"

#define TABLE_LEAST 1024U

errcode_t bfo_name_table_init(struct bfo_name_table *nt)
{
	*nt = (struct bfo_name_table) { .size = TABLE_LEAST };
	if (getrandom(nt->key, sizeof(nt->key), 0) != sizeof(nt->key))
		return errno;
	nt->table = calloc(nt->size, sizeof(*nt->table));
	return nt->table ? 0 : ENOMEM;
}

void bfo_name_table_free(struct bfo_name_table *nt)
{
	free(nt->table);
	*nt = (struct bfo_name_table) { .table = NULL };
}

static uint32_t hash_of(const struct bfo_name_table *nt, bfo_row dir, const char *name, size_t len)
{
	uint64_t key[2] = { nt->key[0] ^ dir, nt->key[1] };

	return bfo_keyed_hash(key, name, len);
}

struct bfo_name_key bfo_name_key(const struct bfo_name_table *nt, bfo_row dir, const char *name,
				 size_t len)
{
	return (struct bfo_name_key) { .dir = dir, .hash = hash_of(nt, dir, name, len),
				       .name = name, .len = len };
}

struct bfo_name *bfo_name_table_find_key(const struct bfo_name_table *nt, const struct bfo_tree *t,
					 const struct bfo_name_key *key)
{
	size_t at = key->hash & (nt->size - 1);

	for (; nt->table[at]; at = (at + 1) & (nt->size - 1)) {
		struct bfo_name *n = &t->names.v[nt->table[at] - 1];

		if (n->hash == key->hash && n->dir == key->dir && bfo_name_len(n) == key->len &&
		    !memcmp(bfo_name_text(t, n), key->name, key->len))
			return n;
	}
	return NULL;
}

struct bfo_name *bfo_name_table_find(const struct bfo_name_table *nt, const struct bfo_tree *t,
				     bfo_row dir, const char *name, size_t len)
{
	const struct bfo_name_key key = bfo_name_key(nt, dir, name, len);

	return bfo_name_table_find_key(nt, t, &key);
}

static void put(struct bfo_name_table *nt, const struct bfo_tree *t, size_t i)
{
	size_t at = t->names.v[i].hash & (nt->size - 1);

	while (nt->table[at])
		at = (at + 1) & (nt->size - 1);
	nt->table[at] = i + 1;
}

/* Keeps the table half empty, with COUNT names in it. */
static errcode_t make_room(struct bfo_name_table *nt, const struct bfo_tree *t, size_t count)
{
	size_t i;

	if (count * 2 < nt->size)
		return 0;
	free(nt->table);
	nt->size *= 2;
	nt->table = calloc(nt->size, sizeof(*nt->table));
	if (!nt->table)
		return ENOMEM;
	for (i = 0; i + 1 < count; i++)
		put(nt, t, i);
	return 0;
}

errcode_t bfo_name_table_add_hash(struct bfo_name_table *nt, struct bfo_tree *t, size_t at,
				  uint32_t hash)
{
	errcode_t err = make_room(nt, t, at + 1);

	t->names.v[at].hash = hash;
	if (!err)
		put(nt, t, at);
	return err;
}

errcode_t bfo_name_table_add(struct bfo_name_table *nt, struct bfo_tree *t, size_t at)
{
	const struct bfo_name *n = &t->names.v[at];

	return bfo_name_table_add_hash(nt, t, at, hash_of(nt, n->dir, bfo_name_text(t, n),
							  bfo_name_len(n)));
}
