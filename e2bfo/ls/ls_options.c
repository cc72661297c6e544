// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ls_options.c - the command line of `e2bfo ls`
 */
#include "e2bfo/argument.h"
#include "e2bfo/commands.h"
#include "ls_options.h"

enum { OPT_HUMAN = 256, OPT_DELETED, OPT_BODYFILE, OPT_FILES_FROM, OPT_FROM0 };

static const struct option_row rows[] = {
	OPTION_TITLE("What:"),
	{ 'l', "long", NULL,
	  "a line of attributes: inode, mode, links, uid, gid, size (devices:\n"
	  "major, minor), time of modification (UTC), name, -> target" },
	{ OPT_HUMAN, "human-readable", NULL,
	  "with -l: sizes as 1.5K, 23M (there is no -h for it: that is --help)" },
	{ 'R', "recursive", NULL, "directories below, too, level by level" },
	{ 'a', "all", NULL, "'.' and '..', too" },
	{ 'd', "directory", NULL, "each PATH itself, not what is in it" },
	{ OPT_FILES_FROM, "files-from", "FILE",
	  "with -d: also the paths that FILE lists, a line each (-: standard\n"
	  "input), all together, in the order of their inode numbers" },
	ARGUMENT_FROM0_ROW(OPT_FROM0),
	{ '0', "zero", NULL,
	  "whole paths, each ended by NUL: for xargs -0, and copy --files-from --from0" },
	{ OPT_DELETED, "deleted", NULL,
	  "no names, but what inode tables still tell of deleted inodes, and of\n"
	  "those that were open without a name when it was last in use" },
	ARGUMENT_IMAGE_ROWS,
	OPTION_TITLE("How:"),
	{ ARGUMENT_MEMORY, "memory", "SIZE",
	  "with -R, for directories that are read together (default a quarter\n"
	  "of RAM, at most 1G)" },
	ARGUMENT_BWLIMIT_ROW,
	ARGUMENT_BAD_IMAGE_TITLE,
	ARGUMENT_GO_ON_ROW,
	ARGUMENT_MAPFILE_ROW,
	ARGUMENT_SUPERBLOCK_ROWS,
	OPTION_TITLE("Output:"),
	{ ARGUMENT_JSON, "json", NULL, "all attributes, for scripts" },
	{ OPT_BODYFILE, "bodyfile", NULL, "with --deleted: lines for mactime(1)" },
	ARGUMENT_NO_PROGRESS_ROWS,
	ARGUMENT_QUIET_JOURNAL_ROW,
	{ 'v', "verbose", NULL, "how it was read, on standard error" },
	ARGUMENT_HELP_ROWS,
	{ 0 }
};

static const struct option_table table = {
	.intro =
	"Usage: e2bfo ls [OPTIONS] IMAGE [PATH]...\n"
	"   or: e2bfo ls --deleted [OPTIONS] IMAGE\n"
	"\n"
	"Lists directories of a filesystem, by default its root, with the attributes of all\n"
	"that is in them. IMAGE is a device or an image file, or an archive or a stream, and is not\n"
	"written. Names come in the order of their inode numbers, also those that begin with a dot.\n"
	"Symbolic links in PATH are not followed.\n"
	"\n",
	.rows = rows,
	.outro =
	"\n"
	"Exit status: 0 all listed, 1 some of it is damaged or cannot be read, 8 could not list a PATH, 16 usage,\n"
	"32 cancelled.\n"
	"\n"
	"Examples:\n"
	"  e2bfo ls -l disk.img /home/ann\n"
	"  e2bfo ls --partition 2 disk.img /etc\n"
	"  e2bfo ls -R0 disk.img /etc | grep -z '[.]conf$' |\n"
	"      e2bfo copy --from0 --files-from - disk.img new.img\n"
	"  e2bfo ls -dl --files-from list disk.img\n"
	"  e2bfo ls -R --json /dev/sdb1 | jq -r '.entries[] | select(.uid == 1000) | .path'\n",
};

static int read_option(struct ls_options *opt, int c)
{
	if (argument_is_medium(c))
		return argument_medium("ls", c, &opt->medium);
	switch (c) {
	case 'l':
		opt->is_long = 1;
		return -1;
	case 'R':
		opt->recursive = 1;
		return -1;
	case 'a':
		opt->all = 1;
		return -1;
	case 'd':
		opt->alone = 1;
		return -1;
	case '0':
		opt->zero = 1;
		return -1;
	case OPT_HUMAN:
		opt->human = 1;
		return -1;
	case OPT_DELETED:
		opt->deleted = 1;
		return -1;
	case OPT_FILES_FROM:
		opt->files_from = optarg;
		return -1;
	case OPT_FROM0:
		opt->from0 = 1;
		return -1;
	case OPT_BODYFILE:
		opt->bodyfile = 1;
		return -1;
	default:
		return argument_common("ls", &table, c, &opt->common);
	}
}

/* WITH_PATH: one was given. */
static int check_deleted(const struct ls_options *opt, int with_path)
{
	if (opt->bodyfile && !opt->deleted)
		return argument_complain("ls", "--bodyfile goes with --deleted");
	if (opt->bodyfile && opt->common.json)
		return argument_complain("ls", "--bodyfile and --json exclude each other");
	if (opt->deleted && (opt->recursive || opt->all || opt->alone || opt->zero))
		return argument_complain("ls", "--deleted excludes -R, -a, -d and -0");
	if (opt->deleted && with_path)
		return argument_complain("ls", "--deleted takes no PATH: inodes that were deleted "
					 "have no names");
	return -1;
}

static int check(struct ls_options *opt)
{
	if (opt->human && !opt->is_long && !opt->deleted)
		return argument_complain("ls", "--human-readable goes with -l");
	if (opt->zero && opt->common.json)
		return argument_complain("ls", "-0 and --json exclude each other");
	if (opt->files_from && !opt->alone)
		return argument_complain("ls", "--files-from goes with -d");
	if (opt->from0 && !opt->files_from)
		return argument_complain("ls", "--from0 goes with --files-from");
	return argument_check_media("ls", &opt->medium, 1);
}

int ls_options_read(struct ls_options *opt, int argc, char **argv)
{
	const char *cluster = option_cluster(argc, argv, &table, 'h');
	int c, status, with_path;

	*opt = (struct ls_options) { .medium.how.mode = ARGUMENT_GO_ON };
	status = argument_common_init(&opt->common, argc);
	opt->common.progress.mode = PROGRESS_NONE;
	argv[0] = "e2bfo";
	/* of ls(1) it is something else, and nobody wants a page of help */
	if (status < 0 && cluster)
		status = argument_complain("ls", "%s: -h is --help; sizes for people are "
					   "--human-readable", cluster);
	while (status < 0 && (c = option_next(argc, argv, &table)) != -1)
		status = read_option(opt, c);
	if (status < 0)
		status = check(opt);
	with_path = argc - optind > 1;
	if (status < 0)
		status = check_deleted(opt, with_path);
	if (status < 0)
		status = argument_check("ls", &opt->common);
	if (status < 0)
		status = argument_image("ls", argc, argv, &opt->common, &opt->volume, &opt->paths,
					&opt->n_paths);
	if (opt->files_from && !with_path)
		opt->n_paths = 0;
	return status;
}

void ls_options_free(struct ls_options *opt)
{
	bfo_medium_free(&opt->medium);
	argument_common_free(&opt->common);
}
