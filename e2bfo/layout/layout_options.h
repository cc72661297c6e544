/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout_options.h - what `e2bfo layout` was asked to do
 */
#ifndef E2BFO_LAYOUT_LAYOUT_OPTIONS_H
#define E2BFO_LAYOUT_LAYOUT_OPTIONS_H

#include "e2bfo/argument.h"

struct layout_options {
	const char *volume[2];		/* IMAGE, and that of --against */
	int n_volumes;			/* 1 or 2 */
	const char *const *paths;	/* in each */
	size_t n_paths;			/* at least one */
	const char *svg;		/* --svg, or NULL */
	uint64_t read_bytes;		/* --read-size */
	struct bfo_medium medium[2];
	struct argument_common common;
};

/*
 * Reads the command line.  Returns -1 to go on, else the exit status to end with (after --help,
 * or a complaint on standard error).  Release with layout_options_free().
 */
int layout_options_read(struct layout_options *opt, int argc, char **argv);
void layout_options_free(struct layout_options *opt);

#endif
