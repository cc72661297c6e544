/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copying.h - a copy in front of people and scripts: what `e2bfo copy` and `e2bfo resume` share
 */
#ifndef E2BFO_COPY_COPYING_H
#define E2BFO_COPY_COPYING_H

#include "cli/progress.h"
#include "job/copy.h"
#include "e2bfo/argument.h"

struct copying {
	const char *command;
	const struct argument_common *common;
	struct bfo_context ctx;
	struct bar bar;
	double begun;
	struct bfo_copy copy;
};

/* From here on signals ask to stop, and progress is shown. */
void copying_begin(struct copying *c, const char *command, const struct argument_common *common);

/* Plans and, unless it is a dry run, copies: c->copy is open. */
errcode_t copying_run(struct copying *c);

/* Adds to the message of ERR what users need to know. */
void copying_explain(struct copying *c, errcode_t err);

/* Tells how it ended; returns the exit status. */
int copying_finish(struct copying *c, errcode_t err);

#endif
