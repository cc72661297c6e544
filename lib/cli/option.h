/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option.h - the next option of a command line
 */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include <getopt.h>

/*
 * getopt_long(3), but for its complaints, which become messages like all others.  SHORTS begins with
 * a colon.  Returns '?' after a complaint.
 */
int option_next(int argc, char **argv, const char *shorts, const struct option *longs);

/* The word of ARGV in which short option C stands together with others; NULL: there is none. */
const char *option_cluster(int argc, char **argv, const char *shorts, int c);

#endif
