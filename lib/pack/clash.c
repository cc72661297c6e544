// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clash.c - names of directories, and of members of composite files there: which stand twice
 */
#include <stdlib.h>
#include <string.h>

#include "pack/clash.h"

static int by_name(const struct bfo_clash_name *a, const struct bfo_clash_name *b)
{
	int order = (a->dir > b->dir) - (a->dir < b->dir);

	if (!order)
		order = memcmp(a->name, b->name, a->len < b->len ? a->len : b->len);
	return order ? order : (a->len > b->len) - (a->len < b->len);
}

static int by_name_and_who(const void *pa, const void *pb)
{
	const struct bfo_clash_name *a = pa, *b = pb;
	int order = by_name(a, b);

	return order ? order : (a->who > b->who) - (a->who < b->who);
}

errcode_t bfo_clash_find(struct bfo_clash_name *names, size_t n,
			 errcode_t (*refuse)(void *priv, uint32_t who), void *priv)
{
	errcode_t err = 0;
	size_t i;

	if (n)
		qsort(names, n, sizeof(*names), by_name_and_who);
	for (i = 1; i < n && !err; i++)
		if (names[i].who && !by_name(&names[i - 1], &names[i]))
			err = refuse(priv, names[i].who);
	return err;
}
