// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * send_options.c - the command line of `e2bfo send`, which is that of a copy to stream:-
 */
#include "copy_options.h"
#include "copy_words.h"

static const struct option_row rows[] = {
	OPTION_TITLE("What:"),
	{ OPT_FROM, "from", "PATH", "what to send; may be repeated (default /, the whole tree)" },
	{ OPT_EXCLUDE, "exclude", "PATTERN",
	  "not what matches, e.g. '*.o', /var/cache/, '/a/**'; may be repeated" },
	{ OPT_EXCLUDE_FROM, "exclude-from", "FILE", "the same for each line of FILE" },
	{ OPT_FILES_FROM, "files-from", "FILE", "only the paths that FILE lists, a line each" },
	{ OPT_FROM0, "from0", NULL, "lists are separated by NUL, not in lines" },
	{ OPT_ALLOW_EMPTY, "allow-empty", NULL,
	  "a FILE of --files-from that lists nothing is no error" },
	{ ARGUMENT_PARTITION, "partition", "N",
	  "SOURCE is a disk: its partition N (SOURCE?partition=N)" },
	{ ARGUMENT_JOURNAL, "journal", "DEVICE",
	  "where the external journal of SOURCE is, if it is not found" },
	{ ARGUMENT_IGNORE_JOURNAL, "ignore-journal", NULL,
	  "read SOURCE as it stands, though its journal has to be replayed" },
	{ OPT_OWNER, "owner", "USER[:GROUP]",
	  "who owns everything, or what no range of --map-* holds" },
	{ OPT_MAP_USERS, "map-users", "FROM:TO:COUNT",
	  "COUNT users from number FROM on become those from TO on; may be repeated" },
	{ OPT_MAP_GROUPS, "map-groups", "FROM:TO:COUNT", "the same of groups" },
	{ OPT_CROSS_MOUNTS, "cross-mounts", NULL,
	  "SOURCE is a directory: also what is mounted below it" },
	{ 'n', "dry-run", NULL, "tell what would be sent, send nothing" },
	OPTION_TITLE("How:"),
	{ OPT_COMPRESS, "compress", "LEVEL",
	  "auto (default of a pipe), none, fast, or 1 to 19, as zstd(1) has them" },
	{ OPT_RESUME, "resume", "TOKEN",
	  "go on with a stream that broke: what e2bfo receive has printed" },
	{ OPT_STATE, "state", "FILE",
	  "of a directory: keep in FILE what is needed to go on, or go on with it" },
	{ ARGUMENT_BWLIMIT, "bwlimit", "RATE",
	  "send at most so many bytes of the stream in any second (128K or more)" },
	ARGUMENT_MEMORY_ROW,
	{ OPT_ALLOW_LOSS, "allow-loss", "KINDS",
	  "send though a stream cannot hold these, or all (e2bfo-copy(8), LOSSES)" },
	ARGUMENT_BAD_SOURCE_ROWS,
	OPTION_TITLE("Output, on standard error:"),
	ARGUMENT_PROGRESS_ROWS,
	ARGUMENT_JSON_ROW,
	{ 'q', "quiet", NULL, "only errors and what could not be kept" },
	{ 'v', "verbose", NULL, "more about the I/O" },
	ARGUMENT_HELP_ROWS,
	{ 0 }
};

static const struct option_table table = {
	.intro =
	"Usage: e2bfo send [OPTIONS] SOURCE > STREAM\n"
	"\n"
	"Writes the file tree in SOURCE to standard output, as a stream that e2bfo receive takes: names\n"
	"and attributes first, then the data, compressed and with checksums. SOURCE is what e2bfo copy\n"
	"takes, but no stream. It is never written.\n"
	"\n",
	.rows = rows,
	.outro =
	"\n"
	"Exit status: as e2bfo copy.\n"
	"\n"
	"Examples:\n"
	"  e2bfo send /dev/sdb1 | ssh host e2bfo receive --mkfs /dev/sdc1\n"
	"  e2bfo send --resume TOKEN /dev/sdb1 | ssh host e2bfo receive /dev/sdc1\n"
	"  e2bfo send disk.img > disk.e2bfo\n",
};

const struct copy_syntax send_syntax = {
	.command = "send", .table = &table, .operands = "a SOURCE", .target = "stream:-",
};
