// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kway.c - one ascending sequence of records from many
 */
#include <string.h>

#include "base/kway.h"

int bfo_sorted_compare(const struct bfo_sorted *a, const struct bfo_sorted *b)
{
	uint32_t len = a->len < b->len ? a->len : b->len;
	unsigned int w;
	int c = 0;

	for (w = 0; w < BFO_SORT_WORDS; w++)
		if (a->key[w] != b->key[w])
			return a->key[w] < b->key[w] ? -1 : 1;
	if (len)
		c = memcmp(a->data, b->data, len);
	return c ? c : (a->len > b->len) - (a->len < b->len);
}

static void sift(struct bfo_kway *k, uint32_t i)
{
	struct bfo_kway_head moved = k->heap[i];
	uint32_t child;

	for (; (child = 2 * i + 1) < k->n; i = child) {
		if (child + 1 < k->n && bfo_sorted_compare(&k->heap[child + 1].rec,
							   &k->heap[child].rec) < 0)
			child++;
		if (bfo_sorted_compare(&moved.rec, &k->heap[child].rec) <= 0)
			break;
		k->heap[i] = k->heap[child];
	}
	k->heap[i] = moved;
}

errcode_t bfo_kway_begin(struct bfo_kway *k, struct bfo_kway_head *heap, uint32_t sources,
			 errcode_t (*next)(void *priv, uint32_t source, struct bfo_sorted *rec,
					   int *more), void *priv)
{
	errcode_t err = 0;
	uint32_t i;
	int more;

	*k = (struct bfo_kway) { .next = next, .priv = priv, .heap = heap };
	for (i = 0; i < sources && !err; i++) {
		heap[k->n].source = i;
		err = next(priv, i, &heap[k->n].rec, &more);
		k->n += !err && more;
	}
	for (i = k->n / 2; i--; )
		sift(k, i);
	return err;
}

errcode_t bfo_kway_next(struct bfo_kway *k, struct bfo_sorted *rec, int *more)
{
	errcode_t err;

	if (k->taken) {
		err = k->next(k->priv, k->heap[0].source, &k->heap[0].rec, more);
		if (err)
			return err;
		if (!*more)
			k->heap[0] = k->heap[--k->n];
		if (k->n)
			sift(k, 0);
	}
	*more = k->taken = k->n > 0;
	if (*more)
		*rec = k->heap[0].rec;
	return 0;
}
