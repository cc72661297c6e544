/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy_options.h - what `e2bfo copy` was asked to do
 */
#ifndef E2BFO_COPY_COPY_OPTIONS_H
#define E2BFO_COPY_COPY_OPTIONS_H

#include <wordexp.h>

#include "job/job_options.h"
#include "e2bfo/argument.h"
#include "e2bfo/order_options.h"

/* A command line of e2bfo copy, or one that stands for such. */
struct copy_syntax {
	const char *command;
	const struct option_table *table;
	const char *operands;		/* in words */
	const char *source, *target;	/* what is none of these; or NULL */
};

extern const struct copy_syntax copy_syntax, send_syntax, receive_syntax;

struct copy_options {
	const struct copy_syntax *syntax;
	struct bfo_copy_options job;
	struct argument_common common;
	/* what `job` points into */
	const char **from, **said, **no_xattrs, **manifests;
	struct bfo_exclude *exclude;
	char *mkfs_args, *directory;
	bfo_chars owners;
	wordexp_t mkfs_words;
	order_texts order_texts;
};

/*
 * Reads the command line.  Returns -1 to go on, else the exit status to end with (after --help,
 * or a complaint on standard error).  Free in any case.
 */
int options_read(struct copy_options *opt, int argc, char **argv,
		 const struct copy_syntax *syntax);
void options_free(struct copy_options *opt);

#endif
