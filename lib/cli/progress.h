/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.h - the bar on the terminal
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "base/context.h"

enum progress_mode { PROGRESS_AUTO, PROGRESS_BAR, PROGRESS_NONE };

struct bar {
	int shown;		/* a line stands on the terminal */
	enum bfo_stage stage;
	double begun;		/* of this stage, seconds */
	double drawn;
};

/* Makes CTX draw on standard error, if MODE (and a terminal there) ask for it. */
void progress_attach(struct bar *bar, struct bfo_context *ctx, enum progress_mode mode);

/* Wipes the line, so that something else can be printed. */
void progress_wipe(struct bar *bar);

#endif
