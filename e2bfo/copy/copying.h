/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copying.h - a copy in front of people and scripts: what `e2bfo copy` and `e2bfo resume` share
 */
#ifndef E2BFO_COPY_COPYING_H
#define E2BFO_COPY_COPYING_H

#include "cli/progress.h"
#include "job/interrupted.h"
#include "e2bfo/argument.h"
#include "copy_options.h"

struct remote_told;

struct copying {
	const char *command;
	const struct argument_common *common;
	struct bfo_context ctx;
	struct bar bar;
	double begun;
	struct bfo_copy copy;
	struct bfo_interrupted left;	/* what a copy from a stream goes on with */
	const struct remote_told *remote;	/* remote_report.h; NULL: both ends are here */
};

/*
 * What goes to standard output goes there alone: what is printed takes another way.  Returns -1, or
 * an exit status.
 */
int copying_give_way(struct bfo_copy_options *opt);

/* From here on signals ask to stop, and progress is shown. */
void copying_begin(struct copying *c, const char *command, const struct argument_common *common);

/* Plans and, unless it is a dry run, copies: c->copy is open. */
errcode_t copying_run(struct copying *c);

/*
 * All of a copy: what was begun with the target goes on, if the source is a stream on standard
 * input; else it is begun.
 */
errcode_t copying_do(struct copying *c, const struct copy_options *opt);

/* Closes what copying_do() has opened. */
void copying_close(struct copying *c);

/* Adds to the message of ERR what users need to know. */
void copying_explain(struct copying *c, errcode_t err);

/* Tells how it ended; returns the exit status. */
int copying_finish(struct copying *c, errcode_t err);

#endif
