/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify_options.h - what `e2bfo verify` was asked to do
 */
#ifndef E2BFO_VERIFY_OPTIONS_H
#define E2BFO_VERIFY_OPTIONS_H

#include <stdint.h>

#include "progress.h"

struct verify_options {
	const char *volume[2];		/* A, B */
	const char *path[2];		/* --from, --to */
	int json, quiet, verbose;
	uint64_t memory;		/* bytes of buffers */
	uint32_t ignore;		/* BFO_DIFF_BIT()s */
	enum progress_mode progress;
};

/*
 * Reads the command line.  Returns -1 to go on, else the exit status to end with (after --help,
 * or a complaint on standard error).
 */
int verify_options_read(struct verify_options *opt, int argc, char **argv);

#endif
