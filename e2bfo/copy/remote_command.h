/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remote_command.h - the command line that runs e2bfo on another machine
 *
 *   ssh -T [-l USER] [-p PORT] -- HOST "'e2bfo' 'receive' ... '--' '/dev/sdb1'"
 *
 * The last word goes to a shell there, which makes of it the words that it was made of.
 */
#ifndef E2BFO_COPY_REMOTE_COMMAND_H
#define E2BFO_COPY_REMOTE_COMMAND_H

#include "base/vec.h"
#include "cli/words.h"
#include "remote_spec.h"

typedef BFO_VEC(const char *) remote_words;

/* Zeroed at first. */
struct remote_command {
	remote_words v;			/* for exec(3): NULL at the end; strings of others, */
	bfo_chars line;			/* but for the last word */
};

/* Appends WORD to LINE so that sh(1) takes it for one word, behind a blank unless LINE is empty. */
errcode_t remote_quote(bfo_chars *line, const char *word);

/* Makes C anew: by RSH, on SPEC, PROGRAM with N WORDS.  ENOMEM. */
errcode_t remote_command_make(struct remote_command *c, const struct words *rsh,
			      const struct remote_spec *spec, const struct words *program,
			      const char *const *words, size_t n);
void remote_command_free(struct remote_command *c);

#endif
