// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * values.c - the extended attributes of two inodes beside each other
 */
#include "compare/values.h"

int bfo_values_next(const bfo_xattrs *a, const bfo_xattrs *b, size_t *i, size_t *j,
		    const struct bfo_xattr **x, const struct bfo_xattr **y)
{
	int c;

	if (*i == a->n && *j == b->n)
		return 0;
	if (*i == a->n || *j == b->n)
		c = *i == a->n ? 1 : -1;
	else
		c = bfo_xattr_compare(&a->v[*i], &b->v[*j]);
	*x = c <= 0 ? &a->v[(*i)++] : NULL;
	*y = c >= 0 ? &b->v[(*j)++] : NULL;
	return 1;
}

const struct bfo_xattr *bfo_values_inline_data(const bfo_xattrs *set)
{
	size_t i;

	for (i = 0; i < set->n; i++)
		if (bfo_xattr_is_data(&set->v[i]))
			return &set->v[i];
	return NULL;
}
