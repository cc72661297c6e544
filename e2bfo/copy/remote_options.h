/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remote_options.h - a command line of e2bfo copy of which one end is on another machine
 *
 *   copy OPTIONS SOURCE ssh://HOST/PATH	= send OPTIONS SOURCE | receive OPTIONS PATH
 *   copy OPTIONS ssh://HOST/PATH TARGET	= send OPTIONS PATH | receive OPTIONS TARGET
 *
 * So an option belongs to the side whose table has it, and to both if both have it; what neither
 * has is refused.  Names of files in an option are names there.
 */
#ifndef E2BFO_COPY_REMOTE_OPTIONS_H
#define E2BFO_COPY_REMOTE_OPTIONS_H

#include "copy_options.h"
#include "remote_command.h"

struct remote_options {
	const char *name;		/* the end there, as it was written, */
	struct remote_spec spec;	/* and what that means */
	int sends;			/* it is the target */
	const char *to;			/* --to, of whichever side */
	int dry_run;
	unsigned int retries;
	struct words rsh, program;	/* --rsh, --remote-e2bfo */
	struct copy_options near;	/* of send or receive, on this machine */
	/* words of that command line, and of the one there without its command and its end */
	BFO_VEC(char *) near_words, far_words;
};

/* True if a word of a command line may be an end on another machine. */
int remote_is_meant(int argc, char **argv);

/*
 * Reads it.  Returns -1 to go on, else the exit status to end with; *IS_REMOTE: 0 if it turns out
 * that both ends are here, and nothing was read.  Free in any case.
 */
int remote_options_read(struct remote_options *o, int argc, char **argv, int *is_remote);
void remote_options_free(struct remote_options *o);

/* Adds "--NAME=VALUE", or "--NAME" if VALUE is NULL, to the words there.  ENOMEM. */
errcode_t remote_options_add(struct remote_options *o, const char *name, const char *value);

#endif
