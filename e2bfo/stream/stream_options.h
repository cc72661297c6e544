/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_options.h - what `e2bfo stream` was asked to do
 */
#ifndef E2BFO_STREAM_STREAM_OPTIONS_H
#define E2BFO_STREAM_STREAM_OPTIONS_H

#include "e2bfo/argument.h"

enum stream_action {
	STREAM_NONE,
	STREAM_VERIFY,
	STREAM_DUMP,
	STREAM_LIST,
	STREAM_SALVAGE,
};

struct stream_options {
	enum stream_action action;
	const char *name;		/* FILE, as the command line has it */
	const char *path;		/* without "stream:" in front; "-": standard input */
	struct argument_common common;
};

/*
 * Reads the command line.  Returns -1 to go on, else the exit status to end with (after --help,
 * or a complaint on standard error).  Release with stream_options_free().
 */
int stream_options_read(struct stream_options *opt, int argc, char **argv);
void stream_options_free(struct stream_options *opt);

#endif
