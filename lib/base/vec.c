// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vec.c - growing arrays of plain records
 */
#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "base/bfo_err.h"

errcode_t bfo_vec_grow(void **v, size_t *cap, size_t n, size_t more, size_t size)
{
	size_t want, bytes;
	void *p;

	if (__builtin_add_overflow(n, more, &want))
		return BFO_ET_OVERFLOW;
	if (want <= *cap)
		return 0;
	if (want < *cap + *cap / 2)
		want = *cap + *cap / 2;
	if (want < 16)
		want = 16;
	if (__builtin_mul_overflow(want, size, &bytes))
		return BFO_ET_OVERFLOW;
	p = realloc(*v, bytes);
	if (!p)
		return ENOMEM;
	*v = p;
	*cap = want;
	return 0;
}

void bfo_vec_drop(void **v, size_t *n, size_t *cap)
{
	free(*v);
	*v = NULL;
	*n = *cap = 0;
}

void bfo_vec_shrink(void **v, size_t n, size_t *cap, size_t size)
{
	void *p;

	if (!n || n == *cap)
		return;
	p = realloc(*v, n * size);
	if (!p)
		return;			/* it stays as it was */
	*v = p;
	*cap = n;
}
