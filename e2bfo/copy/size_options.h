/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * size_options.h - options that say how large a new filesystem is going to be
 *
 *   --size SIZE | min | min+SIZE | min+N%
 *   --inodes N | used+N | used+N%
 */
#ifndef E2BFO_COPY_SIZE_OPTIONS_H
#define E2BFO_COPY_SIZE_OPTIONS_H

#include "job/job_options.h"

/* Read TEXT, of COMMAND, into OPT.  Return -1 to go on, or the exit status after a complaint. */
int size_option(const char *command, const char *text, struct bfo_copy_options *opt);
int inodes_option(const char *command, const char *text, struct bfo_copy_options *opt);

#endif
