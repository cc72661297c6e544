/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kway.h - one ascending sequence of records from many
 *
 * The heads of all sources are in a heap.  A source's record is used where it is: the source is
 * asked for the next one only when that one is wanted.
 *
 * Errors: ENOMEM.
 */
#ifndef BFO_BASE_KWAY_H
#define BFO_BASE_KWAY_H

#include "base/spill.h"

struct bfo_kway_head {
	struct bfo_sorted rec;
	uint32_t source;
};

struct bfo_kway {
	/* The next record of SOURCE into REC, valid until the call after for this source. */
	errcode_t (*next)(void *priv, uint32_t source, struct bfo_sorted *rec, int *more);
	void *priv;
	struct bfo_kway_head *heap;	/* the caller's */
	uint32_t n;
	int taken;			/* the first of the heap was given out */
};

/* By key words, then by the bytes of the data, then by its length: < 0, 0, > 0. */
int bfo_sorted_compare(const struct bfo_sorted *a, const struct bfo_sorted *b);

/* Takes the heads of sources 0 to SOURCES - 1.  HEAP: room for one for each. */
errcode_t bfo_kway_begin(struct bfo_kway *k, struct bfo_kway_head *heap, uint32_t sources,
			 errcode_t (*next)(void *priv, uint32_t source, struct bfo_sorted *rec,
					   int *more), void *priv);

/* The least record that is left, valid until the next call, or *MORE is 0. */
errcode_t bfo_kway_next(struct bfo_kway *k, struct bfo_sorted *rec, int *more);

#endif
