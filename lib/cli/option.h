/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option.h - the options of a command: one table from which the command line is read, and --help
 * printed
 */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include <getopt.h>
#include <stdio.h>

/* A row of the table.  The last one is zeroed. */
struct option_row {
	/* what option_next() returns: a short option's letter, or above 255; 0: a title */
	int code;
	const char *name;	/* of the long option, without dashes; or NULL */
	/* as --help calls it; "[=NAME]": may be left out; NULL: it has none */
	const char *argument;
	/* lines; NULL: nothing to be said, and the next such row stands beside it */
	const char *help;
};

/* A line of --help above the rows that follow. */
#define OPTION_TITLE(text) { 0, "", NULL, text }

struct option_table {
	const char *intro;		/* of --help: up to the options */
	const struct option_row *rows;
	const char *outro;		/* what follows them */
	int is_before_command;		/* the first word that is no option ends them */
};

/*
 * getopt_long(3) by TABLE, but for its complaints, which become messages like all others; an empty
 * FILE, DEVICE, DIR, PATH or SOURCE is one.  Returns '?' after a complaint, -1 behind the last
 * option.
 */
int option_next(int argc, char **argv, const struct option_table *table);

/* Prints --help. */
void option_help(FILE *out, const struct option_table *table);

/* The word of ARGV in which short option C stands together with others; NULL: there is none. */
const char *option_cluster(int argc, char **argv, const struct option_table *table, int c);

#endif
