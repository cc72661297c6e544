/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * problem.h - what can be wrong with a container, and whether it is to be mended
 */
#ifndef E2ITREE_PROBLEM_H
#define E2ITREE_PROBLEM_H

#include <stdint.h>

struct job;

/* A row of the table in problem.c each; numbers by pass, part of --json. */
enum problem_code {
	PR_1_CONTAINER_DAMAGED,	/* header or catalogue */
	PR_1_OTHER_UUID,
	PR_1_OTHER_HASH,
	PR_1_UNPROTECTED,	/* others than root can write to it, or may have made it */
	PR_1_TREE_DAMAGED,
	PR_2_DIR_DAMAGED,
	PR_2_RECENT,
	PR_2_LEFT_OUT,
	PR_3_NO_TREE,
	PR_3_STALE,
	PR_3_SMALL,
	PR_3_GONE,
	PR_3_TIMES,
	PR_3_LEAST,
	PR_3_FORCED,
	PR_5_MISSING,
	PR_5_EXTRA,
	PR_5_UNREADABLE,
	PR_CODES
};

/* What a problem is about. */
struct about {
	uint32_t ino;		/* a directory */
	uint32_t blk;		/* of its tree */
	const char *text;
	uint64_t count;
};

/* Tells of problem CODE, and asks if that is how it is run.  1: it is to be mended. */
int problem(struct job *j, enum problem_code code, const struct about *about);

/* The word by which CODE goes in --json. */
const char *problem_word(enum problem_code code);

#endif
