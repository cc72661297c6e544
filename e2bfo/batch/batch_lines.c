// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch_lines.c - which operation was in which line, and which lines are durable
 */
#include <string.h>

#include "batch_lines.h"

errcode_t batch_lines_add(struct batch_lines *l)
{
	errcode_t err = bfo_vec_push(&l->v, l->line);

	l->n += !err;
	return err;
}

/* The last durable operation is kept, as others of its line may not be durable. */
void batch_lines_commit(struct batch_lines *l, uint64_t n)
{
	uint64_t last = n ? n - 1 : 0, gone = last > l->first ? last - l->first : 0;

	if (gone >= l->v.n)
		gone = l->v.n ? l->v.n - 1 : 0;
	if (gone)
		memmove(l->v.v, l->v.v + gone, (l->v.n - gone) * sizeof(*l->v.v));
	l->v.n -= gone;
	l->first += gone;
	l->durable = n;
	l->commits++;
}

uint64_t batch_lines_durable(const struct batch_lines *l, int is_broken, int *partly)
{
	uint64_t at = l->durable - l->first, last;

	*partly = 0;
	if (!l->durable || !l->v.n)
		return 0;
	at = at < l->v.n ? at : l->v.n;
	last = l->v.v[at ? at - 1 : 0];
	*partly = (at < l->v.n && l->v.v[at] == last) || (is_broken && l->line == last);
	return last - *partly;
}

void batch_lines_free(struct batch_lines *l)
{
	bfo_vec_free(&l->v);
}
