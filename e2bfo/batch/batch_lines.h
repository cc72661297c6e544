/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batch_lines.h - which operation was in which line, and which lines are durable
 *
 * Lines are counted from 1; of an archive they are its members.  A line may be several operations,
 * and commits may come between these.
 */
#ifndef E2BFO_BATCH_BATCH_LINES_H
#define E2BFO_BATCH_BATCH_LINES_H

#include "base/vec.h"

/* Zeroed at first. */
struct batch_lines {
	BFO_VEC(uint64_t) v;		/* lines of operations, ascending: of operation FIRST on */
	uint64_t first;
	uint64_t n;			/* operations so far */
	uint64_t durable;		/* of them, from the first on */
	uint64_t commits;
	uint64_t line;			/* that is being done */
};

/* An operation of the line at hand was done.  ENOMEM. */
errcode_t batch_lines_add(struct batch_lines *l);

/* The first N operations are durable. */
void batch_lines_commit(struct batch_lines *l, uint64_t n);

/*
 * The last line of which all is durable, 0: none; *PARTLY: something of the next one is, too.  The
 * line at hand is not done if IS_BROKEN.
 */
uint64_t batch_lines_durable(const struct batch_lines *l, int is_broken, int *partly);

void batch_lines_free(struct batch_lines *l);

#endif
