/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steps.h - how far one order agrees with another
 *
 * Things come in one order and have places in another: the fraction of steps from one to the next
 * that ascend, and Spearman's rank correlation (1: the same order, 0: none, -1: reversed).
 *
 * Errors: ENOMEM.
 */
#ifndef BFO_LAYOUT_STEPS_H
#define BFO_LAYOUT_STEPS_H

#include <stdint.h>

#include "base/vec.h"

struct bfo_spot {		/* sort key first, for bfo_sort() */
	uint32_t hi, lo;	/* place in the other order */
	uint32_t at;		/* in the one order: 0, 1, ... */
	uint32_t unused;
};

/* 16 bytes per thing, for as long as it is measured; zeroed at first. */
struct bfo_steps {
	uint64_t steps, ascending;
	uint64_t last;
	BFO_VEC(struct bfo_spot) spots;
};

/* The next thing, in the one order, is at PLACE in the other. */
errcode_t bfo_steps_add(struct bfo_steps *s, uint64_t place);

/* What came of it; both are NaN where there were fewer than two things. */
struct bfo_agreement {
	uint64_t things;
	double ascending, correlation;
};

/* Ends the measuring, and frees what it took.  Things in one place rank in the order they came. */
struct bfo_agreement bfo_steps_end(struct bfo_steps *s);

#endif
