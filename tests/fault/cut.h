/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cut.h - what a power cut may leave on the target
 *
 *	writes | barrier | writes ........ X
 *	`- all there --'   `- any of those issued, each maybe torn -'
 *
 * Interval i is what lies between two barriers; of the writes of the interval in which power
 * fails, a first part was issued, and of these some arrived, in sectors of 512 bytes, but for the
 * 1,024 bytes of the superblock, which arrive as one.  Seed and number of a cut say which.
 */
#ifndef FAULT_CUT_H
#define FAULT_CUT_H

#include "image.h"
#include "log.h"

struct log {
	struct image file;		/* of which the rest is a view */
	const struct fault_record **records;	/* writes only, in order */
	size_t n;
	size_t *begins;			/* first record of each interval; one more: n */
	size_t intervals;		/* that hold writes */
	size_t own;			/* first interval that e2bfo itself writes in */
};

/*
 * FORGET: a test of the judges.  0: all barriers are as none; N: the Nth that e2bfo itself has
 * waited for is; -1: none.
 */
void log_load(struct log *l, const char *path, int64_t forget);

struct cut {
	const struct log *log;
	struct image durable;		/* all before an interval */
	struct image crashed;
	size_t interval;
	char said[160];			/* what the last cut did */
};

/* BASE is the target before the first write; it becomes part of C. */
void cut_init(struct cut *c, const struct log *l, struct image base);

/* All writes before interval I are there; I never goes down. */
void cut_advance(struct cut *c, size_t interval);

/* The interval in which cut NUMBER happens: e2bfo's own, in turns. */
size_t cut_interval(const struct log *l, uint64_t number);

/*
 * Makes c->crashed from cut NUMBER, which has to happen in the current interval.  ISSUED: so many
 * of its writes were; 0: as chance has it.
 */
void cut_make(struct cut *c, uint64_t seed, uint64_t number, size_t issued);

/* The interval of e2bfo's write NUMBER, and how many were issued in it when that was the last. */
size_t cut_interval_of(const struct log *l, uint64_t number);
size_t cut_issued(const struct cut *c, uint64_t number);

/* Makes c->crashed what is durable again. */
void cut_undo(struct cut *c);

#endif
