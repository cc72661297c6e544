/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h - the command line of e2itree
 */
#ifndef E2ITREE_OPTIONS_H
#define E2ITREE_OPTIONS_H

#include <stdint.h>

#include "cli/progress.h"

enum in_place { INPLACE_AUTO, INPLACE_ALWAYS, INPLACE_NEVER };
enum answer { ANSWER_ASK, ANSWER_NO, ANSWER_PREEN, ANSWER_YES };

struct options {
	const char *device;
	enum answer answer;	/* -n, -p, -y, or none of them */
	int force;		/* -f: all trees anew */
	enum in_place in_place;	/* how trees change that were there */
	int trust;		/* the bitmaps, whoever has used the filesystem */
	int online;		/* -w */
	int remove, list;	/* -r, -l */
	const char *dump;	/* -d DIR, or NULL */
	uint64_t min;		/* -m: entries; 0: more than one block */
	int min_given;		/* else it is what the container says */
	int completion;		/* -C: descriptor that progress goes to, or -1 */
	const char *undo_file;	/* -z, or NULL */
	int verbose, json, quiet;
	uint64_t memory;	/* bytes */
	struct progress_options progress;
};

/* Returns -1 to go on, else the exit status to end with, after a complaint if that is one. */
int options_read(struct options *opt, int argc, char **argv);

#endif
