/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify_options.h - what `e2bfo verify` was asked to do
 */
#ifndef E2BFO_VERIFY_VERIFY_OPTIONS_H
#define E2BFO_VERIFY_VERIFY_OPTIONS_H

#include <stdint.h>

#include "e2bfo/argument.h"

struct verify_options {
	const char *volume[2];		/* A, B */
	const char *path[2];		/* --from, --to */
	struct bfo_medium medium[2];	/* --on-read-error, --mapfile, --mapfile-b, -b, -B */
	int cross_mounts;
	const char *metadata_in;
	uint32_t strip;
	uint32_t ignore;		/* BFO_DIFF_BIT()s */
	struct argument_common common;
};

/*
 * Reads the command line.  Returns -1 to go on, else the exit status to end with (after --help,
 * or a complaint on standard error).  Release with verify_options_free().
 */
int verify_options_read(struct verify_options *opt, int argc, char **argv);
void verify_options_free(struct verify_options *opt);

#endif
