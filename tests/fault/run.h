/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - scenarios, and running programs on them
 *
 * A scenario is a folder that tests/fault/scenarios makes:
 *
 *   source.img, before.img	the two volumes; before.img may be a link to that of another
 *				(program arrive: source.img is a tar; stream: a stream; batch: a
 *				script, in which "commit" may be a line)
 *   content			of a batch: another name of a file that its script puts
 *   scenario			lines of KEY VALUE: program (copy: e2bfo copy; arrive: the same,
 *				from a pipe; stream: e2bfo receive; itree: e2itree, which has no
 *				source; batch: e2bfo batch, which nothing resumes; pack, unpack:
 *				these in its place, of "/"), args, promise
 *				(atomic, weak), mount (rw, no: what this kernel does with the
 *				target)
 */
#ifndef FAULT_RUN_H
#define FAULT_RUN_H

#include "log.h"

#define STATUS_KEPT 0
#define STATUS_FINDINGS 1
#define STATUS_FAILED 8
#define STATUS_CANCELLED 32

#define ITREE_CHANGED 1			/* of e2itree: bits */
#define ITREE_LEFT 4

struct scenario {
	const char *name;
	char *source, *before;
	char *read;		/* the file whose reads are counted, and fail */
	char *target;		/* copy of before.img that belongs to this process */
	char *work;		/* prefix of its other files */
	char *args[16];
	int n_args;
	int itree;		/* e2itree, not e2bfo copy */
	int arrive;		/* what is copied comes out of a pipe, */
	int stream;		/* and so it does here: to e2bfo receive */
	int batch;		/* e2bfo batch; the source is its script */
	const char *pack;	/* "pack", "unpack": a batch that has no script; or NULL */
	int kept;		/* the batch keeps indexes right */
	int indexed;		/* the copy brings indexes up to date, or makes them */
	int atomic;		/* the copy is promised to be there whole or not at all */
	int no_mount;		/* the kernel does not mount it */
	int mkfs;
};

void scenario_load(struct scenario *s, const char *dir);

/* Its files go; those that were loaded stay. */
void scenario_end(struct scenario *s);

struct fault {
	enum fault_event event;
	uint64_t at;		/* 0: nothing fails */
	const char *how;
	unsigned times;		/* 0: all from then on */
	char *log;		/* or NULL */
	char *target;		/* of the copy */
	char *source;		/* NULL: the scenario's */
};

struct outcome {
	int status;		/* -1: ended by a signal */
	int signal;
	int hung;
	char *said;		/* standard output and error; to be freed by outcome_free() */
	struct fault_counts counts;
};

/* Runs argv[0], under shim.so if F is given. */
void run(const struct scenario *s, char *const *argv, const struct fault *f, struct outcome *o);

/* What the scenario is about: the program with its arguments. */
void run_scenario(const struct scenario *s, const struct fault *f, struct outcome *o);

/* The status of one that nothing disturbs. */
int run_done(const struct scenario *s);

/* e2itree HOW -m 2 TARGET; HOW: -n or -p */
void run_itree(const struct scenario *s, const char *how, struct outcome *o);

/* e2bfo WORD [--source SOURCE] TARGET */
void run_command(const struct scenario *s, const char *word, int with_source, struct outcome *o);

/* Has the program this command? */
int run_has(const struct scenario *s, const char *word);

/* e2fsck HOW on the scenario's target. */
void run_fsck(const struct scenario *s, const char *how, struct outcome *o);

/* The line of what was said that holds PATTERN, or NULL; in memory that is reused. */
const char *outcome_line(const struct outcome *o, const char *pattern);

void outcome_free(struct outcome *o);

#endif
