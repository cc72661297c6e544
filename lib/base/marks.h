/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marks.h - a set of numbers as a bitmap in pieces
 *
 * A bit per number, but only for those 32,768 next to each other of which one is in the set; and 8
 * bytes for each 32,768 numbers that could be.
 *
 * Errors: ENOMEM.
 */
#ifndef BFO_BASE_MARKS_H
#define BFO_BASE_MARKS_H

#include <stdint.h>
#include <et/com_err.h>

struct bfo_marks {
	uint64_t **pieces;
	uint64_t limit;		/* numbers are 0 .. limit - 1 */
};

#define BFO_MARKS_NONE UINT64_MAX

/* An empty set of numbers below LIMIT. */
errcode_t bfo_marks_init(struct bfo_marks *m, uint64_t limit);
void bfo_marks_free(struct bfo_marks *m);

/*
 * Adds the LEN numbers from START on, all below the limit.  *MET: the first of them that was in the
 * set before, or BFO_MARKS_NONE.
 */
errcode_t bfo_marks_add(struct bfo_marks *m, uint64_t start, uint64_t len, uint64_t *met);

/* True if NUMBER, below the limit, is in the set. */
int bfo_marks_have(const struct bfo_marks *m, uint64_t number);

#endif
