// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * verify_options.c - the command line of `e2bfo verify`
 */
#include <string.h>

#include "base/manifest_format.h"
#include "compare/diff.h"
#include "e2bfo/argument.h"
#include "e2bfo/commands.h"
#include "verify_options.h"

enum { OPT_FROM = 256, OPT_TO, OPT_IGNORE, OPT_CROSS_MOUNTS, OPT_METADATA_IN, OPT_STRIP };

static const struct option_row rows[] = {
	OPTION_TITLE("What:"),
	{ OPT_FROM, "from", "PATH", "the part of A to be compared (default /)" },
	{ OPT_TO, "to", "PATH", "the part of B to be compared with it (default /)" },
	{ OPT_IGNORE, "ignore", "KIND,...",
	  "what may differ; may be repeated. Kinds:\n"
	  "missing extra type mode uid gid size nlink mtime atime ctime crtime\n"
	  "generation version flags project device links hash symlink xattr\n"
	  "holes data" },
	{ OPT_CROSS_MOUNTS, "cross-mounts", NULL,
	  "what is mounted below a directory belongs to it" },
	{ OPT_METADATA_IN, "metadata-in", "FILE",
	  "what a directory could not be given comes from FILE (e2bfo-metadata(5))" },
	{ OPT_STRIP, "strip-components", "N", "paths in an archive lose N components" },
	ARGUMENT_PARTITION_ROW("A"),
	{ ARGUMENT_JOURNAL, "journal", "DEVICE",
	  "an external journal of A or B, if it is not found; may be repeated" },
	{ ARGUMENT_IGNORE_JOURNAL, "ignore-journal", NULL,
	  "read both as they stand, though journals have to be replayed" },
	OPTION_TITLE("How:"),
	{ ARGUMENT_MEMORY, "memory", "SIZE", "buffers (default a quarter of RAM, at most 1G)" },
	ARGUMENT_BWLIMIT_ROW,
	OPTION_TITLE("Filesystems that cannot be read well (e2bfo(8), BAD MEDIA):"),
	{ ARGUMENT_ON_READ_ERROR, "on-read-error", "stop|zero|skip",
	  "stop: end there; else (default) tell it, compare the rest" },
	{ ARGUMENT_MAPFILE, "mapfile", "FILE",
	  "read only what this mapfile of ddrescue(1) says was read of A" },
	{ ARGUMENT_MAPFILE_B, "mapfile-b", "FILE", "the same for B" },
	{ 'b', "superblock", "BLOCK", "open A by the backup of its superblock in BLOCK" },
	ARGUMENT_BLOCK_SIZE_ROW,
	OPTION_TITLE("Output:"),
	ARGUMENT_PROGRESS_ROWS,
	{ ARGUMENT_JSON, "json", NULL, "a report for scripts on standard output, all differences" },
	{ 'q', "quiet", NULL, "only differences and errors" },
	{ 'v', "verbose", NULL, "all differences, not ten of a kind; more about the I/O" },
	ARGUMENT_HELP_ROWS,
	{ 0 }
};

static const struct option_table table = {
	.intro =
	"Usage: e2bfo verify [OPTIONS] A B\n"
	"\n"
	"Compares two file trees, of unmounted filesystems, directories or archives: names, all attributes,\n"
	"extended attributes, holes and every byte of data; not how they are laid out. Neither is\n"
	"written. B may be a list, FORMAT:FILE (e2bfo-manifest(5)): then A is compared with what that\n"
	"says.\n"
	"\n",
	.rows = rows,
	.outro =
	"\n"
	"Exit status: 0 equal, 1 different, 8 could not compare all (perhaps different, too), 16 usage,\n"
	"32 cancelled.\n"
	"\n"
	"Examples:\n"
	"  e2bfo verify /dev/sdb1 /dev/sdc1             judge a copy\n"
	"  e2bfo verify --from /home/ann --to /old/ann /dev/sdb1 /dev/sdc2\n"
	"  e2bfo verify --ignore atime,ctime old.img new.img\n"
	"  e2bfo verify rootfs rootfs.img               judge an image of a directory\n"
	"  e2bfo verify disk.img mtree:disk.mtree       is it as it was?\n"
	"  e2bfo verify --mapfile rescued.map rescued.img /dev/sdc1     judge a rescue\n",
};

static int read_kinds(const char *text, uint32_t *kinds)
{
	const char *bad = bfo_diff_kinds_read(text, kinds);

	return !bad ? -1 : argument_complain("verify", "--ignore %.*s: no such kind",
					     (int) strcspn(bad, ","), bad);
}

static int read_option(struct verify_options *opt, int c)
{
	if (argument_is_medium(c))
		return argument_medium("verify", c, &opt->medium[0]);
	switch (c) {
	case ARGUMENT_MAPFILE_B:
		opt->medium[1].mapfile = optarg;
		return -1;
	case OPT_FROM:
	case OPT_TO:
		opt->path[c == OPT_TO] = optarg;
		return -1;
	case OPT_CROSS_MOUNTS:
		opt->cross_mounts = 1;
		return -1;
	case OPT_METADATA_IN:
		opt->metadata_in = optarg;
		return -1;
	case OPT_STRIP:
		return argument_strip("verify", optarg, &opt->strip);
	case OPT_IGNORE:
		return read_kinds(optarg, &opt->ignore);
	default:
		return argument_common("verify", &table, c, &opt->common);
	}
}

/* What B is, or cannot be. */
static int check_b(const struct verify_options *opt)
{
	enum bfo_manifest_format format;
	const char *b = opt->volume[1], *list;
	int is_list = !bfo_manifest_tell(b, &format, &list);

	if (is_list && strcmp(opt->path[1], "/"))
		return argument_complain("verify", "--to is for trees: %s is a list", b);
	if (is_list && opt->medium[1].mapfile)
		return argument_complain("verify", "--mapfile-b is for filesystems: %s is a list",
					 b);
	if (argument_is_stdin(opt->volume[0]) && argument_is_stdin(is_list ? list : b))
		return argument_complain("verify", "only one of A and B can be standard input");
	return -1;
}

int verify_options_read(struct verify_options *opt, int argc, char **argv)
{
	int c, status;

	*opt = (struct verify_options) { .path = { "/", "/" },
					 .medium[0].how.mode = ARGUMENT_GO_ON };
	status = argument_common_init(&opt->common, argc);
	argv[0] = "e2bfo";
	while (status < 0 && (c = option_next(argc, argv, &table)) != -1)
		status = read_option(opt, c);
	if (status < 0)
		status = argument_check_media("verify", opt->medium, 2);
	if (status < 0)
		status = argument_check("verify", &opt->common);
	if (status >= 0)
		return status;
	if (argc - optind != 2 || !*argv[optind] || !*argv[optind + 1])
		return argument_complain("verify", "verify takes two trees, A and B");
	opt->volume[0] = argv[optind];
	opt->volume[1] = argv[optind + 1];
	status = check_b(opt);
	if (status >= 0)
		return status;
	return argument_partition("verify", "A", &opt->common, &opt->volume[0]);
}

void verify_options_free(struct verify_options *opt)
{
	argument_common_free(&opt->common);
}
