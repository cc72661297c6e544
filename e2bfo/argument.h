/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * argument.h - what the command lines of all commands have in common
 *
 * Functions that read return -1 to go on, else the exit status to end with, after a complaint on
 * standard error that names COMMAND.
 */
#ifndef E2BFO_ARGUMENT_H
#define E2BFO_ARGUMENT_H

#include <getopt.h>
#include <stdint.h>

#include "cli/progress.h"
#include "volume/open.h"

/* What every command can be told. */
struct argument_common {
	int json, quiet, verbose;
	uint64_t memory;		/* bytes of buffers */
	enum progress_mode progress;
	const char *partition;		/* --partition, or NULL */
	char *volume;			/* made by argument_partition(), or NULL */
	struct bfo_journal_use journal;	/* --journal, --ignore-journal */
	const char **journals;		/* the devices in it */
};

enum { ARGUMENT_PARTITION = 512, ARGUMENT_MEMORY, ARGUMENT_PROGRESS, ARGUMENT_JSON,
       ARGUMENT_JOURNAL, ARGUMENT_IGNORE_JOURNAL };

/* For the options of getopt_long(): those in short and in long form. */
#define ARGUMENT_SHORT "qvVh"
#define ARGUMENT_LONG \
	{ "partition", required_argument, NULL, ARGUMENT_PARTITION }, \
	{ "progress", required_argument, NULL, ARGUMENT_PROGRESS }, \
	{ "json", no_argument, NULL, ARGUMENT_JSON }, \
	{ "quiet", no_argument, NULL, 'q' }, \
	{ "verbose", no_argument, NULL, 'v' }, \
	{ "version", no_argument, NULL, 'V' }, \
	{ "help", no_argument, NULL, 'h' }

/* The same for commands that have buffers. */
#define ARGUMENT_MEMORY_LONG \
	{ "memory", required_argument, NULL, ARGUMENT_MEMORY }

/* The same for commands that read a source. */
#define ARGUMENT_SOURCE_LONG \
	{ "journal", required_argument, NULL, ARGUMENT_JOURNAL }, \
	{ "ignore-journal", no_argument, NULL, ARGUMENT_IGNORE_JOURNAL }

/* What they are if nothing is said on a command line of ARGC words. */
int argument_common_init(struct argument_common *common, int argc);
void argument_common_free(struct argument_common *common);

/*
 * Takes option C, with getopt's optarg; also --version, and --help, which prints HELP.  What is
 * none of these is one that getopt complained about: the complaint is completed.
 */
int argument_common(const char *command, const char *help, int c, struct argument_common *common);

/*
 * --partition N is short for VOLUME?partition=N: replaces *VOLUME, which the command line calls
 * NAME, if that was said.
 */
int argument_partition(const char *command, const char *name, struct argument_common *common,
		       const char **volume);

/*
 * The operands IMAGE [PATH]... behind the options: *VOLUME with its --partition, and N *PATHS, of
 * which there is "/" if none was said.
 */
int argument_image(const char *command, int argc, char **argv, struct argument_common *common,
		   const char **volume, const char *const **paths, size_t *n);

/* "e2bfo: TEXT; try 'e2bfo COMMAND --help'".  Returns EXIT_USAGE. */
int argument_complain(const char *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The value TEXT of option --NAME: bytes from MIN to MAX. */
int argument_size(const char *command, const char *name, const char *text, uint64_t min,
		  uint64_t max, uint64_t *out);

#endif
