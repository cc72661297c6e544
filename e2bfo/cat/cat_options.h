/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cat_options.h - what `e2bfo cat` was asked to do
 */
#ifndef E2BFO_CAT_CAT_OPTIONS_H
#define E2BFO_CAT_CAT_OPTIONS_H

#include "tree/tree.h"
#include "e2bfo/argument.h"

struct cat_options {
	const char *volume;		/* IMAGE */
	const char *const *paths;	/* in it */
	size_t n_paths;
	bfo_numbers inos;		/* --inode */
	const char *files_from;		/* a list of paths, or NULL */
	int from0;
	uint64_t from, size;		/* --range: SIZE bytes from byte FROM on */
	int batch, zero;		/* --batch, -0 */
	struct bfo_medium medium;
	struct argument_common common;
};

/*
 * Reads the command line.  Returns -1 to go on, else the exit status to end with (after --help,
 * or a complaint on standard error).  Release with cat_options_free().
 */
int cat_options_read(struct cat_options *opt, int argc, char **argv);
void cat_options_free(struct cat_options *opt);

#endif
