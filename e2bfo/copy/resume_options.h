/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resume_options.h - what `e2bfo resume` and `e2bfo abort` share: their options, and what they tell
 */
#ifndef E2BFO_COPY_RESUME_OPTIONS_H
#define E2BFO_COPY_RESUME_OPTIONS_H

#include "job/interrupted.h"
#include "e2bfo/argument.h"

enum { RESUME_SOURCE = 256 };	/* --source */

struct resume_options {
	const char *command;
	const char *target;		/* as the user names it */
	const char *source;		/* --source, or NULL */
	const char *undo_file;		/* -z, or NULL */
	int dry_run;
	struct argument_common common;
};

/* Reads a command line by TABLE; -1, or the exit status to end with.  Free in any case. */
int resume_options_read(struct resume_options *o, int argc, char **argv,
			const struct option_table *table);
void resume_options_free(struct resume_options *o);

/*
 * Nothing was copied: how it ended, to people (DONE, if no error) or scripts.  ERR, if not 0,
 * happened while WHAT.  Returns STATUS.
 */
int interrupted_tell(const struct resume_options *o, const struct bfo_interrupted *in, int status,
		     errcode_t err, const char *done);

/* When a copy was begun, for people. */
void interrupted_when(int64_t begun, char *out, size_t size);

#endif
