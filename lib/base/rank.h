/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rank.h - from a sparse set of numbers to positions in a dense array
 *
 * A bitmap with a running count every 512 bits: 1.06 bits per number of the universe, constant
 * time.  Used to find an inode's record: records are stored in ascending inode order, the
 * record's index is the number of used inodes below it.
 *
 * Errors: ENOMEM.
 */
#ifndef BFO_BASE_RANK_H
#define BFO_BASE_RANK_H

#include <stdint.h>
#include <et/com_err.h>

struct bfo_rank {
	uint64_t *bits;
	uint32_t *below;	/* set bits before each run of 512 */
	uint64_t limit;		/* numbers are 0 .. limit - 1 */
};

#define BFO_RANK_NONE UINT32_MAX

/* An empty set of numbers below LIMIT. */
errcode_t bfo_rank_init(struct bfo_rank *r, uint64_t limit);
void bfo_rank_free(struct bfo_rank *r);

/* Adds NUMBER, which must be below the limit. */
void bfo_rank_add(struct bfo_rank *r, uint64_t number);

/* Counts; call once after the last bfo_rank_add() and before the first bfo_rank_of(). */
void bfo_rank_seal(struct bfo_rank *r);

/* How many members are below NUMBER, or BFO_RANK_NONE if NUMBER is no member. */
uint32_t bfo_rank_of(const struct bfo_rank *r, uint64_t number);

#endif
