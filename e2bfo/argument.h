/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * argument.h - what the command lines of all commands have in common
 *
 * Functions that read return -1 to go on, else the exit status to end with, after a complaint on
 * standard error that names COMMAND.
 */
#ifndef E2BFO_ARGUMENT_H
#define E2BFO_ARGUMENT_H

#include <stdint.h>

#include "cli/exit_status.h"
#include "cli/message.h"
#include "cli/option.h"
#include "cli/progress.h"
#include "job/job_options.h"
#include "volume/open.h"
#include "medium_report.h"

/* What every command can be told. */
struct argument_common {
	int json, quiet, verbose;
	uint64_t memory;		/* bytes of buffers */
	struct progress_options progress;
	int has_bwlimit;		/* --bwlimit was said: */
	uint64_t bwlimit;		/* bytes a second; 0: none */
	struct bfo_pace pace;		/* of that */
	const char *partition;		/* --partition, or NULL */
	char *volume;			/* made by argument_partition(), or NULL */
	struct bfo_journal_use journal;	/* --journal, --ignore-journal */
	const char **journals;		/* the devices in it */
};

enum { ARGUMENT_PARTITION = 512, ARGUMENT_MEMORY, ARGUMENT_PROGRESS, ARGUMENT_PROGRESS_FD,
       ARGUMENT_JSON, ARGUMENT_JOURNAL, ARGUMENT_IGNORE_JOURNAL, ARGUMENT_BWLIMIT,
       ARGUMENT_ON_READ_ERROR, ARGUMENT_MAPFILE, ARGUMENT_MAPFILE_B };

/* Rows of option tables that say the same for several commands. */
#define ARGUMENT_PARTITION_ROW(name) \
	{ ARGUMENT_PARTITION, "partition", "N", \
	  name " is a disk: its partition N (" name "?partition=N)" }
#define ARGUMENT_IMAGE_ROWS \
	ARGUMENT_PARTITION_ROW("IMAGE"), \
	{ ARGUMENT_JOURNAL, "journal", "DEVICE", \
	  "its external journal, if it is not found; may be repeated" }, \
	ARGUMENT_IGNORE_JOURNAL_ROW
#define ARGUMENT_IGNORE_JOURNAL_ROW \
	{ ARGUMENT_IGNORE_JOURNAL, "ignore-journal", NULL, \
	  "read it as it stands, though its journal has to be replayed" }
#define ARGUMENT_UNDO_ROW(name) \
	{ 'z', NULL, "FILE", "undo file for e2undo(8), of what was live on " name }
#define ARGUMENT_FROM0_ROW(CODE) \
	{ CODE, "from0", NULL, "the list is separated by NUL, not in lines" }
#define ARGUMENT_MEMORY_ROW \
	{ ARGUMENT_MEMORY, "memory", "SIZE", \
	  "batch buffer (default a quarter of RAM, at most 1G)" }
#define ARGUMENT_BWLIMIT_ROW \
	{ ARGUMENT_BWLIMIT, "bwlimit", "RATE", \
	  "read at most so many bytes in any second (128K or more; 0: no limit)" }
#define ARGUMENT_BAD_IMAGE_TITLE \
	OPTION_TITLE("An image that cannot be read well (e2bfo(8), BAD MEDIA):")
#define ARGUMENT_BAD_SOURCE_ROWS \
	OPTION_TITLE("A SOURCE that cannot be read well (e2bfo(8), BAD MEDIA):"), \
	{ ARGUMENT_ON_READ_ERROR, "on-read-error", "stop|zero|skip", \
	  "what cannot be read: an error (default), zeroes, no file" }, \
	ARGUMENT_MAPFILE_ROW
#define ARGUMENT_GO_ON_ROW \
	{ ARGUMENT_ON_READ_ERROR, "on-read-error", "stop|zero|skip", \
	  "stop: end there; else (default) tell it and go on" }
#define ARGUMENT_MAPFILE_ROW \
	{ ARGUMENT_MAPFILE, "mapfile", "FILE", \
	  "read only what this mapfile of ddrescue(1) says was read" }
#define ARGUMENT_SUPERBLOCK_ROWS \
	{ 'b', "superblock", "BLOCK", "open IMAGE by the backup of its superblock in BLOCK" }, \
	ARGUMENT_BLOCK_SIZE_ROW
#define ARGUMENT_BLOCK_SIZE_ROW \
	{ 'B', "block-size", "SIZE", "with -b: the size of its blocks" }
#define ARGUMENT_PROGRESS_ROWS \
	{ ARGUMENT_PROGRESS, "progress", PROGRESS_ARGUMENT, PROGRESS_HELP }, \
	ARGUMENT_PROGRESS_FD_ROW
#define ARGUMENT_NO_PROGRESS_ROWS \
	{ ARGUMENT_PROGRESS, "progress", PROGRESS_ARGUMENT, PROGRESS_HELP "\n(default none)" }, \
	ARGUMENT_PROGRESS_FD_ROW
#define ARGUMENT_PROGRESS_FD_ROW \
	{ ARGUMENT_PROGRESS_FD, "progress-fd", "FD", PROGRESS_FD_HELP }
#define ARGUMENT_JSON_ROW \
	{ ARGUMENT_JSON, "json", NULL, "a report for scripts on standard output" }
/* The last ones. */
#define ARGUMENT_VERBOSE_ROWS \
	{ 'v', "verbose", NULL, NULL }, \
	ARGUMENT_HELP_ROWS
#define ARGUMENT_QUIET_JOURNAL_ROW \
	{ 'q', "quiet", NULL, "not a word about a journal" }
#define ARGUMENT_HELP_ROWS \
	{ 'V', "version", NULL, NULL }, \
	{ 'h', "help", NULL, NULL }

/* What they are if nothing is said on a command line of ARGC words. */
int argument_common_init(struct argument_common *common, int argc);
void argument_common_free(struct argument_common *common);

/*
 * Takes option C of TABLE, with getopt's optarg; also --version, and --help.  What is none of these
 * is one that getopt complained about: the complaint is completed.
 */
int argument_common(const char *command, const struct option_table *table, int c,
		    struct argument_common *common);

/* True for --on-read-error, --mapfile, -b and -B; takes option C, with getopt's optarg. */
int argument_is_medium(int c);
int argument_medium(const char *command, int c, struct bfo_medium *medium);

/* What of these does not go together. */
int argument_check_medium(const char *command, const struct bfo_medium *medium);

/*
 * The same for commands that only read, of MEDIA, N of them, the first of which was told what to
 * do: as nothing is left behind, they go on unless they are to stop.
 */
#define ARGUMENT_GO_ON BFO_MEDIA_ZERO
int argument_check_media(const char *command, struct bfo_medium *media, int n);

/* One of three words, TEXT of option --OPTION: its number. */
int argument_word(const char *command, const char *option, const char *text,
		  const char *const words[3], int *number);

/*
 * What is true of a command line only while it runs, and not when a record has kept it: open
 * descriptors.
 */
int argument_check(const char *command, const struct argument_common *common);

/* Tells CTX, which has to know how it is cancelled, of --bwlimit. */
void argument_pace(struct argument_common *common, struct bfo_context *ctx);

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

/* True if NAME, of a tree that is read, stands for an archive on standard input. */
int argument_is_stdin(const char *name);

/* "e2bfo: TEXT; try 'e2bfo COMMAND --help'".  Returns EXIT_USAGE. */
#define argument_complain(command, ...) message_usage(EXIT_USAGE, command, __VA_ARGS__)

/* The value TEXT of option --exclude or, IS_FILE, --exclude-from. */
int argument_exclude(const char *command, const char *text, int is_file, struct bfo_exclude *out);

/* The value TEXT of option --strip-components. */
int argument_strip(const char *command, const char *text, uint32_t *strip);

/* The value TEXT of option --NAME: bytes from MIN to MAX. */
int argument_size(const char *command, const char *name, const char *text, uint64_t min,
		  uint64_t max, uint64_t *out);

#endif
