// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sorted.c - names in memory: an array that is sorted, and the texts that it leads to
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sorted.h"

#define HEAD 2U			/* type, length */
#define FIRST_ENTRIES 512U
#define FIRST_BYTES 16384U

void sorted_clear(struct sorted *s)
{
	s->n = s->bytes = 0;
}

void sorted_free(struct sorted *s)
{
	free(s->v);
	free(s->text);
	memset(s, 0, sizeof(*s));
}

static size_t text_bytes(size_t len)
{
	return (HEAD + len + 3) / 4 * 4;
}

/* (qsort_r() takes as much as the array again.) */
size_t sorted_cost(const struct sorted *s, size_t len)
{
	return (s->n + 1) * 2 * sizeof(*s->v) + s->bytes + text_bytes(len);
}

static int grow(void **v, size_t *room, size_t need, size_t first, size_t size)
{
	size_t more = *room ? *room * 2 : first;
	void *grown;

	if (need <= *room)
		return 0;
	grown = realloc(*v, more * size);
	if (!grown)
		return ENOMEM;
	*v = grown;
	*room = more;
	return 0;
}

int sorted_add(struct sorted *s, const struct sorted_name *name)
{
	size_t bytes = text_bytes(name->len);
	uint8_t *at;

	if ((s->bytes + bytes) / 4 > UINT32_MAX ||
	    grow((void **) &s->v, &s->room, s->n + 1, FIRST_ENTRIES, sizeof(*s->v)) ||
	    grow((void **) &s->text, &s->bytes_room, s->bytes + bytes, FIRST_BYTES, 1))
		return ENOMEM;
	at = s->text + s->bytes;
	at[0] = name->type;
	at[1] = name->len;
	memcpy(at + HEAD, name->name, name->len);
	s->v[s->n++] = (struct sorted_entry) { name->ino, s->bytes / 4 };
	s->bytes += bytes;
	return 0;
}

static int compare(const void *pa, const void *pb, void *priv)
{
	const struct sorted_entry *a = pa, *b = pb;
	const struct sorted *s = priv;
	const uint8_t *ta, *tb;
	int order;

	if (a->ino != b->ino)
		return a->ino < b->ino ? -1 : 1;
	ta = s->text + (size_t) a->at * 4;
	tb = s->text + (size_t) b->at * 4;
	order = memcmp(ta + HEAD, tb + HEAD, ta[1] < tb[1] ? ta[1] : tb[1]);
	return order ? order : ta[1] - tb[1];
}

void sorted_finish(struct sorted *s)
{
	if (s->n > 1)
		qsort_r(s->v, s->n, sizeof(*s->v), compare, s);
}

void sorted_get(const struct sorted *s, size_t i, struct sorted_name *name)
{
	const uint8_t *at = s->text + (size_t) s->v[i].at * 4;

	*name = (struct sorted_name) { s->v[i].ino, at[0], at[1], (const char *) at + HEAD };
}

size_t sorted_find(const struct sorted *s, uint32_t ino, uint32_t nth)
{
	size_t lo = 0, hi = s->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (s->v[mid].ino < ino)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (nth && lo < s->n && s->v[lo].ino == ino) {
		lo++;
		nth--;
	}
	return lo;
}
