/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mount_options.h - what `e2bfo mount` was asked to do
 */
#ifndef E2BFO_MOUNT_MOUNT_OPTIONS_H
#define E2BFO_MOUNT_MOUNT_OPTIONS_H

#include "e2bfo/argument.h"

struct mount_options {
	const char *volume;		/* IMAGE */
	const char *dir;
	int foreground, allow_other;
	struct bfo_medium medium;
	struct argument_common common;
};

/*
 * Reads the command line.  Returns -1 to go on, else the exit status to end with (after --help,
 * or a complaint on standard error).  Release with mount_options_free().
 */
int mount_options_read(struct mount_options *opt, int argc, char **argv);
void mount_options_free(struct mount_options *opt);

#endif
