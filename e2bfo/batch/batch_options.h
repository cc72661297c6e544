/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batch_options.h - what `e2bfo batch` was asked to do
 */
#ifndef E2BFO_BATCH_BATCH_OPTIONS_H
#define E2BFO_BATCH_BATCH_OPTIONS_H

#include "e2bfo/argument.h"
#include "e2bfo/e2bfo.h"

struct batch_options {
	const char *volume;		/* IMAGE */
	struct e2bfo_batch_options batch;
	const char *script;		/* a file, or NULL: standard input, or there is none */
	const char *tar;		/* an archive instead, "-": standard input; or NULL */
	int allow_commands;
	struct argument_common common;
};

/*
 * Reads the command line.  Returns -1 to go on, else the exit status to end with (after --help,
 * or a complaint on standard error).  Release with batch_options_free().
 */
int batch_options_read(struct batch_options *opt, int argc, char **argv);
void batch_options_free(struct batch_options *opt);

#endif
