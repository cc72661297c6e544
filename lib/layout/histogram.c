// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * histogram.c - how many are how large, by powers of two
 */
#include "layout/histogram.h"

void bfo_histogram_add(struct bfo_histogram *h, uint64_t size)
{
	int bucket = 63 - __builtin_clzll(size);

	h->count[bucket]++;
	h->sum[bucket] += size;
	h->things++;
	h->total += size;
	if (size > h->largest)
		h->largest = size;
}
