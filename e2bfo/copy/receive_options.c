// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * receive_options.c - the command line of `e2bfo receive`, which is that of a copy from stream:-
 */
#include "copy_options.h"
#include "copy_words.h"

static const struct option_row rows[] = {
	OPTION_TITLE("Where to:"),
	COPY_TO_ROW,
	{ OPT_MKFS, "mkfs", "[=ARGS]",
	  "format TARGET first, alike to the source; ARGS go to mke2fs(8)" },
	COPY_SIZE_ROWS,
	{ OPT_SPOOL, "spool", NULL, "the stream goes to a file in TMPDIR first" },
	{ 'n', "dry-run", NULL, "check all of the stream, write nothing" },
	{ OPT_SKIP_EXISTING, "skip-existing", NULL,
	  "files that exist on TARGET stay, and are not copied" },
	{ OPT_OVERWRITE, "overwrite", NULL,
	  "files take the place of files that exist" },
	{ OPT_IF_NEWER, "if-newer", NULL, "files take the place of older ones" },
	{ OPT_NO_DEVICES, "no-devices", NULL, "no device files" },
	{ OPT_NO_SUID, "no-suid", NULL, "no set-user-id and set-group-id bits, no capabilities" },
	OPTION_TITLE("How:"),
	ARGUMENT_MEMORY_ROW,
	ARGUMENT_BWLIMIT_ROW,
	COPY_VERIFY_ROW,
	COPY_TARGET_ROWS,
	OPTION_TITLE("Output:"),
	COPY_OUTPUT_ROWS,
	{ 0 }
};

static const struct option_table table = {
	.intro =
	"Usage: e2bfo receive [OPTIONS] TARGET < STREAM\n"
	"\n"
	"Copies the file tree in a stream of e2bfo send, which comes by standard input, into TARGET, as\n"
	"e2bfo copy does: a filesystem, a new image file, a directory. If the stream breaks, TARGET is as\n"
	"it was before, and a token says how the sender goes on. Receive then takes the rest.\n"
	"\n",
	.rows = rows,
	.outro =
	"\n"
	"Exit status: as e2bfo copy.\n"
	"\n"
	"Examples:\n"
	"  e2bfo send /dev/sdb1 | ssh host e2bfo receive --mkfs /dev/sdc1\n"
	"  e2bfo receive --mkfs --size min new.img < disk.e2bfo\n",
};

const struct copy_syntax receive_syntax = {
	.command = "receive", .table = &table, .operands = "a TARGET",
	.source = "stream:-",
};
