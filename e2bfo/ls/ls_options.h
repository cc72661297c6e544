/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ls_options.h - what `e2bfo ls` was asked to do
 */
#ifndef E2BFO_LS_LS_OPTIONS_H
#define E2BFO_LS_LS_OPTIONS_H

#include "e2bfo/argument.h"

struct ls_options {
	const char *volume;		/* IMAGE */
	const char *const *paths;	/* in it */
	size_t n_paths;			/* at least one, unless there is a list */
	const char *files_from;		/* --files-from, or NULL */
	int from0;
	int is_long, recursive;		/* -l, -R */
	int all, alone;			/* -a, -d */
	int zero, human;		/* -0, --human-readable */
	int deleted, bodyfile;
	struct bfo_medium medium;
	struct argument_common common;
};

/*
 * Reads the command line.  Returns -1 to go on, else the exit status to end with (after --help,
 * or a complaint on standard error).  Release with ls_options_free().
 */
int ls_options_read(struct ls_options *opt, int argc, char **argv);
void ls_options_free(struct ls_options *opt);


#endif
