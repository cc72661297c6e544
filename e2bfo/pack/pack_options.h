/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pack_options.h - what `e2bfo pack` and `e2bfo unpack` were asked to do
 */
#ifndef E2BFO_PACK_PACK_OPTIONS_H
#define E2BFO_PACK_PACK_OPTIONS_H

#include "e2bfo/argument.h"
#include "e2bfo/order_options.h"
#include "job/pack.h"

struct pack_options {
	const char *command;		/* "pack", "unpack" */
	struct bfo_pack_options job;
	struct argument_common common;
	order_texts order_texts;
};

/*
 * Reads the command line of COMMAND.  Returns -1 to go on, else the exit status to end with.
 * Release with pack_options_free().
 */
int pack_options_read(struct pack_options *opt, const char *command, int argc, char **argv);
void pack_options_free(struct pack_options *opt);

#endif
