/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * histogram.h - how many are how large, by powers of two: 1, 2-3, 4-7, 8-15 ...
 */
#ifndef BFO_LAYOUT_HISTOGRAM_H
#define BFO_LAYOUT_HISTOGRAM_H

#include <stdint.h>

struct bfo_histogram {
	uint64_t count[64], sum[64];	/* bucket I: sizes 2^I to 2^(I+1) - 1 */
	uint64_t things, total, largest;
};

/* SIZE > 0. */
void bfo_histogram_add(struct bfo_histogram *h, uint64_t size);

#endif
