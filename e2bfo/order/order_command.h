/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order_command.h - what `e2bfo order` was asked to do
 */
#ifndef E2BFO_ORDER_ORDER_COMMAND_H
#define E2BFO_ORDER_ORDER_COMMAND_H

#include "job/order.h"
#include "e2bfo/argument.h"

struct order_command {
	const char *volume;
	struct bfo_order_options order;	/* one policy: refs or trace */
	int zero;			/* paths end in NUL */
	struct bfo_medium medium;
	struct argument_common common;
};

/*
 * Reads the command line.  Returns -1 to go on, else the exit status to end with (after --help,
 * or a complaint on standard error).  Free in any case.
 */
int order_command_read(struct order_command *opt, int argc, char **argv);
void order_command_free(struct order_command *opt);

#endif
