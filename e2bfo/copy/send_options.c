// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * send_options.c - the command line of `e2bfo send`, which is that of a copy to stream:-
 */
#include "copy_options.h"
#include "copy_words.h"

static const struct option_row rows[] = {
	OPTION_TITLE("What:"),
	{ OPT_FROM, "from", "PATH", "what to send; may be repeated (default /, the whole tree)" },
	COPY_EXCLUDE_ROWS,
	{ OPT_FILES_FROM, "files-from", "FILE", "only the paths that FILE lists, a line each" },
	COPY_LIST_ROWS,
	COPY_SOURCE_ROWS,
	COPY_OWNER_ROWS,
	COPY_CROSS_MOUNTS_ROW,
	{ 'n', "dry-run", NULL, "tell what would be sent, send nothing" },
	OPTION_TITLE("How:"),
	COPY_STREAM_ROWS,
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
