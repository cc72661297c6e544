/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench.h - a scenario made ready: one copy that nothing disturbs, and its log
 */
#ifndef FAULT_BENCH_H
#define FAULT_BENCH_H

#include "cut.h"
#include "verdict.h"

struct options {
	uint64_t seed;
	uint64_t cuts;		/* how many, */
	int64_t only;		/* or this one; -1 */
	uint64_t kernel_every;	/* one in so many cuts is judged by the kernel; 0: none */
	uint64_t stride;	/* of N, once N is above FULL */
	uint64_t full;
	int64_t forget;		/* barriers: cut.h */
	int every_write;	/* a cut at each, whatever CUTS says */
	int today;
	const char *event;	/* of fault nth; NULL: all */
};

/* Copies once, into L; b->before is what there is when e2bfo itself begins to write. */
void bench_open(struct bench *b, struct log *l, const char *dir, const struct options *opt);

/* The scenario's target is as it was. */
void bench_reset(const struct bench *b);

/* A line of failure; the first ones of a scenario are printed. */
struct tally {
	const char *name;
	unsigned failed;
};

void tally_fail(struct tally *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

int sweep_main(struct bench *b, struct log *l, const struct options *opt);
int nth_main(struct bench *b, const struct options *opt);
int kills_main(struct bench *b, const struct options *opt);

#endif
