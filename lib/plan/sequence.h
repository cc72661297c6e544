/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sequence.h - files that come before the rest, by policies
 *
 * bfo_plan_order() puts everything in the order in which a kernel will list it.  Policies may take
 * files out of that, each in an order of its own; what no policy takes follows as it was:
 *
 *   order      d a b c e f g                     take: f, then group (g b)
 *   sequence   f | g b | d a c e                 inode numbers and the stem follow it
 *
 * The first policy that takes a file has it.  Those that take everything (by source, by name, by
 * directory) leave nothing to others.
 *
 * Errors: ENOMEM; of lists, those of following a path (plan/lookup.h).
 */
#ifndef BFO_PLAN_SEQUENCE_H
#define BFO_PLAN_SEQUENCE_H

#include "plan/plan.h"

/* Files that belong together: a slice of the sequence. */
struct bfo_sequence_group {
	uint32_t first, n;
	int policy;			/* the caller's */
	uint32_t support;		/* the caller's */
};

struct bfo_sequence {
	struct bfo_plan *plan;
	/* a bit per record: it is in the order, and was not taken */
	uint64_t *left;
	bfo_order taken;
	BFO_VEC(struct bfo_sequence_group) groups;
};

/* Begins with the order as it is. */
errcode_t bfo_sequence_begin(struct bfo_sequence *s, struct bfo_plan *plan);
void bfo_sequence_free(struct bfo_sequence *s);

/* What is taken from now on belongs together, because of POLICY; an empty group is none. */
errcode_t bfo_sequence_group(struct bfo_sequence *s, int policy);

/* Record ROW is next, unless it is not copied or was taken. */
errcode_t bfo_sequence_take(struct bfo_sequence *s, bfo_row row);

/*
 * Takes as a group those of the N records that are left, if two or more are.  Their parent
 * directories go in front of the group, since a cold open reads them first.
 */
errcode_t bfo_sequence_take_group(struct bfo_sequence *s, int policy, uint32_t support,
				  const bfo_row *rows, size_t n);

/* The plan's order becomes what was taken, then the rest. */
errcode_t bfo_sequence_end(struct bfo_sequence *s);

/* ---- policies; files alone unless something else is said ---- */

/*
 * Everything, by its first block in the source, what has none by the number of its inode; inode
 * numbers then are given in the order of the source's.
 */
errcode_t bfo_sequence_by_source(struct bfo_sequence *s);

/* Everything: every directory in the order of its names' bytes, what is below a name after it. */
errcode_t bfo_sequence_by_name(struct bfo_sequence *s);

/*
 * Everything: of every directory what is no directory, as it is listed, then its subdirectories,
 * each with all that is below it.
 */
errcode_t bfo_sequence_by_dir(struct bfo_sequence *s);

/* Small files first; directories are not taken. */
errcode_t bfo_sequence_by_size(struct bfo_sequence *s);

/* Oldest first, but for directories: TIMES[i] belongs to record i, and ascends with the time. */
errcode_t bfo_sequence_by_time(struct bfo_sequence *s, const uint64_t *times);

/*
 * The files that N paths of the source lead to.  Where a group of them ends, ENDS has the index of
 * the path behind it; what follows the last group is in none.  The indexes of paths that lead
 * nowhere are added to MISSING; a directory stands for nothing.
 */
errcode_t bfo_sequence_by_list(struct bfo_sequence *s, int policy, const char *const *paths,
			       size_t n, const bfo_numbers *ends, bfo_numbers *missing);

#endif
