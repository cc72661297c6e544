/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash_options.h - what `e2bfo hash` was asked to do
 */
#ifndef E2BFO_HASH_HASH_OPTIONS_H
#define E2BFO_HASH_HASH_OPTIONS_H

#include "job/job_options.h"
#include "e2bfo/argument.h"

struct hash_options {
	struct bfo_copy_options job;
	struct argument_common common;
	/* what `job` points into */
	const char **manifests;
	struct bfo_exclude *exclude;
};

/*
 * Reads the command line.  Returns -1 to go on, else the exit status to end with.  Free in any
 * case.
 */
int hash_options_read(struct hash_options *opt, int argc, char **argv);
void hash_options_free(struct hash_options *opt);

#endif
