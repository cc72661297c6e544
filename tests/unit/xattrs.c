// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xattrs.c - sets of extended attributes made by chance
 */
#include <stdlib.h>
#include <string.h>

#include "xattrs.h"

const uint8_t xattrs_acl[28] = { 1, 0, 0, 0, 1, 0, 7, 0, 2, 0, 5, 0, 5, 0, 0, 0,
				 4, 0, 5, 0, 0x10, 0, 5, 0, 0x20, 0, 0, 0 };

void xattrs_free(struct xattrs *x)
{
	size_t i;

	for (i = 0; i < x->buffers.n; i++)
		free(x->buffers.v[i]);
	bfo_vec_free(&x->buffers);
	bfo_vec_free(&x->set);
}

static void *keep(struct xattrs *x, void *buffer)
{
	want_ok(bfo_vec_push(&x->buffers, buffer));
	return buffer;
}

struct bfo_xattr *xattrs_add(struct xattrs *x, struct chance *c, uint8_t index, uint32_t name_len,
			     uint32_t size, int plain)
{
	char *name = keep(x, unit_alloc(name_len)), *value = keep(x, unit_alloc(size));
	uint32_t i;

	chance_fill(c, name, name_len);
	for (i = 0; plain && i < name_len; i++)
		name[i] = 'a' + chance_below(c, 26);
	chance_fill(c, value, size);
	want_ok(bfo_vec_push(&x->set, (struct bfo_xattr) {
		.name_index = index, .name_len = name_len, .name = name, .value = value,
		.size = size }));
	return &x->set.v[x->set.n - 1];
}

void xattrs_fill(struct xattrs *x, struct chance *c, uint32_t bytes, int plain)
{
	static const uint8_t index[] = { BFO_XATTR_USER, BFO_XATTR_TRUSTED, BFO_XATTR_SECURITY };
	uint32_t used = 0, len, size;

	while (used + 32 < bytes) {
		len = chance_between(c, 1, chance_below(c, 4) ? 20 : 255);
		size = chance_below(c, (chance_below(c, 4) ? 40 : bytes - used) + 1);
		if (used + 32 + len + size > bytes)
			len = size = 8;
		used += bfo_xattr_cost(xattrs_add(x, c, index[chance_below(c, 3)], len, size,
						  plain));
		if (!chance_below(c, 8) && used + 64 < bytes)
			used += bfo_xattr_cost(xattrs_add(x, c, BFO_XATTR_ACL_ACCESS +
						chance_below(c, 2), 0, 28, plain));
	}
	bfo_xattrs_sort(&x->set);
}

static void want_same(const struct bfo_xattr *a, const struct bfo_xattr *b)
{
	want_eq(a->name_index, b->name_index);
	want_eq(a->name_len, b->name_len);
	want_mem(a->name, b->name, a->name_len);
	want_eq(a->inum, b->inum);
	want_eq(a->size, b->size);
	if (a->inum) {
		want_eq(a->hash, b->hash);
		want(!a->value && !b->value);
	} else {
		want_mem(a->value, b->value, a->size);
	}
}

void xattrs_want_same(const bfo_xattrs *a, const bfo_xattrs *b)
{
	size_t i;

	want_eq(a->n, b->n);
	for (i = 0; i < a->n; i++)
		want_same(&a->v[i], &b->v[i]);
}

void xattrs_shuffle(bfo_xattrs *set, struct chance *c)
{
	struct bfo_xattr swap;
	size_t i, j;

	for (i = set->n; i > 1; i--) {
		j = chance_below(c, i);
		swap = set->v[i - 1];
		set->v[i - 1] = set->v[j];
		set->v[j] = swap;
	}
}
