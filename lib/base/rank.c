// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rank.c - from a sparse set of numbers to positions in a dense array
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/rank.h"

#define RUN 512			/* bits per counter */
#define WORDS (RUN / 64)

errcode_t bfo_rank_init(struct bfo_rank *r, uint64_t limit)
{
	uint64_t runs = limit / RUN + 1;

	r->limit = limit;
	r->bits = calloc(runs * WORDS, sizeof(*r->bits));
	r->below = calloc(runs, sizeof(*r->below));
	if (r->bits && r->below)
		return 0;
	bfo_rank_free(r);
	return ENOMEM;
}

void bfo_rank_free(struct bfo_rank *r)
{
	free(r->bits);
	free(r->below);
	r->bits = NULL;
	r->below = NULL;
	r->limit = 0;
}

void bfo_rank_add(struct bfo_rank *r, uint64_t number)
{
	assert(number < r->limit);
	r->bits[number / 64] |= 1ULL << (number % 64);
}

void bfo_rank_seal(struct bfo_rank *r)
{
	uint64_t run, runs = r->limit / RUN + 1;
	uint32_t sum = 0;
	int w;

	for (run = 0; run < runs; run++) {
		r->below[run] = sum;
		for (w = 0; w < WORDS; w++)
			sum += __builtin_popcountll(r->bits[run * WORDS + w]);
	}
}

uint32_t bfo_rank_of(const struct bfo_rank *r, uint64_t number)
{
	uint64_t word = number / 64, bit = 1ULL << (number % 64), w;
	uint32_t sum;

	if (number >= r->limit || !(r->bits[word] & bit))
		return BFO_RANK_NONE;
	sum = r->below[number / RUN];
	for (w = number / RUN * WORDS; w < word; w++)
		sum += __builtin_popcountll(r->bits[w]);
	return sum + __builtin_popcountll(r->bits[word] & (bit - 1));
}
