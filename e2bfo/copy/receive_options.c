// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * receive_options.c - the command line of `e2bfo receive`, which is that of a copy from stream:-
 */
#include "copy_options.h"
#include "copy_words.h"

static const struct option_row rows[] = {
	OPTION_TITLE("Where to:"),
	{ OPT_TO, "to", "DIR", "where to, on the target; made if missing (default /)" },
	{ OPT_MKFS, "mkfs", "[=ARGS]",
	  "format TARGET first, alike to the source; ARGS go to mke2fs(8)" },
	{ OPT_SIZE, "size", "SIZE|min[+MORE]",
	  "with --mkfs: make TARGET an image file of this size, or of the smallest, so that\n"
	  "MORE (32M, 10%) is free for ordinary users" },
	{ OPT_INODES, "inodes", "N|used+MORE",
	  "with --mkfs: so many inodes, or MORE (1000, 10%) than are used" },
	{ OPT_SPOOL, "spool", NULL, "the stream goes to a file in TMPDIR first" },
	{ 'n', "dry-run", NULL, "check all of the stream, write nothing" },
	{ OPT_SKIP_EXISTING, "skip-existing", NULL,
	  "files that exist on TARGET stay, and are not copied" },
	{ OPT_OVERWRITE, "overwrite", NULL,
	  "files take the place of files that exist" },
	{ OPT_IF_NEWER, "if-newer", NULL, "files take the place of older ones" },
	{ OPT_NO_DEVICES, "no-devices", NULL, "no device files" },
	{ OPT_NO_SUID, "no-suid", NULL, "no set-user-id and set-group-id bits, no capabilities" },
	OPTION_TITLE("Where TARGET is a directory:"),
	OPTION_TITLE("How:"),
	ARGUMENT_MEMORY_ROW,
	ARGUMENT_BWLIMIT_ROW,
	{ OPT_VERIFY, "verify", NULL, "read back from the device what was written, and compare" },
	{ OPT_ITREE, "itree", NULL, "index big directories by inode number, as e2itree(8) does" },
	{ OPT_ALLOW_LOSS, "allow-loss", "KINDS",
	  "copy though the target cannot hold these, or all (e2bfo-copy(8), LOSSES)" },
	{ OPT_NOT_ATOMIC, "not-atomic", NULL,
	  "go on where TARGET's journal is too small (e2bfo-resume(8))" },
	{ 'z', NULL, "FILE", "undo file for e2undo(8), of what was live on TARGET" },
	{ OPT_TRUST, "trust", NULL,
	  "do not compare TARGET's bitmaps with its inodes after a mount" },
	{ OPT_FORCE, "force", NULL, "override what e2bfo-copy(8) lists under FORCE" },
	OPTION_TITLE("Output:"),
	ARGUMENT_PROGRESS_ROWS,
	ARGUMENT_JSON_ROW,
	{ 'q', "quiet", NULL, "only errors and what could not be kept" },
	{ 'v', "verbose", NULL, "more about the plan and the I/O" },
	ARGUMENT_HELP_ROWS,
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
