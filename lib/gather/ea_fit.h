/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ea_fit.h - repacked sets of attributes, made to fit a target's inodes and blocks
 *
 *   set ── fits into inode and block? ─────────────────────────> the same set
 *            `─ no ── target has ea_inode? ── values move ──────> another set, records for values
 *                        `─ no ── attributes go: a loss ────────> another set, or none
 *
 * As by the kernel, a value gets an inode of its own only if there is no other way: the largest
 * goes first, until the others fit.  Equal values that move share one.  Names stay where they are,
 * so a set whose entries alone are too much loses those with the longest names.
 */
#ifndef BFO_GATHER_EA_FIT_H
#define BFO_GATHER_EA_FIT_H

#include "tree/sets.h"
#include "gather/target.h"
#include "tree/tree.h"

struct bfo_fate {
	uint32_t index;			/* of the set that it becomes, or BFO_NONE */
	uint8_t known, lost;
};

struct bfo_fit {
	struct bfo_sets *sets;
	struct bfo_tree *tree;		/* gets records, segments and values for what moves */
	const struct bfo_target *target;
	/* its own, zeroed at first */
	BFO_VEC(struct bfo_fate) fates;	/* of the sets that there were at the beginning */
	struct bfo_sets moved;		/* every value that moves, as a set of its own */
	uint32_t first;			/* record of the first of them */
	bfo_xattrs set, bare;		/* scratch */
	BFO_VEC(uint8_t) inside;	/* scratch */
};

/* Once all sets are there, each with its `reserve`.  Returns 0 or ENOMEM, as does the next one. */
errcode_t bfo_fit_begin(struct bfo_fit *fit);

/* Set *INDEX (or BFO_NONE) becomes what fits; *LOST if some of its attributes had to go. */
errcode_t bfo_fit_set(struct bfo_fit *fit, uint32_t *index, int *lost);

/* Hands the bytes of the values that moved over to the tree, and frees the rest. */
void bfo_fit_end(struct bfo_fit *fit);

#endif
