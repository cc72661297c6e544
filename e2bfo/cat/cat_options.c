// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cat_options.c - the command line of `e2bfo cat`
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "e2bfo/commands.h"
#include "cat_options.h"

enum { OPT_INODE = 256, OPT_RANGE, OPT_FILES_FROM, OPT_FROM0, OPT_BATCH };

static const struct option_row rows[] = {
	OPTION_TITLE("What:"),
	{ OPT_INODE, "inode", "N", "also the file of this inode number; may be repeated" },
	{ OPT_FILES_FROM, "files-from", "FILE",
	  "also the paths that FILE lists, a line each (-: standard input)" },
	ARGUMENT_FROM0_ROW(OPT_FROM0),
	{ OPT_RANGE, "range", "FROM[:LENGTH]",
	  "of each file only LENGTH bytes from byte FROM on, or all from there" },
	ARGUMENT_IMAGE_ROWS,
	OPTION_TITLE("How:"),
	{ OPT_BATCH, "batch", NULL,
	  "in the order in which they lie on the device; before each, a line with its inode\n"
	  "number, the number of bytes that follow, and its path; behind each, a newline" },
	{ '0', "zero", NULL, "with --batch: the line in front ends with NUL" },
	{ ARGUMENT_MEMORY, "memory", "SIZE",
	  "for contents that are read together (default a quarter of RAM, at\n"
	  "most 1G; with --batch at most 32M are)" },
	ARGUMENT_BWLIMIT_ROW,
	ARGUMENT_BAD_IMAGE_TITLE,
	{ ARGUMENT_ON_READ_ERROR, "on-read-error", "stop|zero|skip",
	  "stop (default): end there; else zeroes, and tell it" },
	ARGUMENT_MAPFILE_ROW,
	ARGUMENT_SUPERBLOCK_ROWS,
	OPTION_TITLE("Output:"),
	ARGUMENT_NO_PROGRESS_ROWS,
	ARGUMENT_QUIET_JOURNAL_ROW,
	{ 'v', "verbose", NULL, "how much was read, on standard error" },
	ARGUMENT_HELP_ROWS,
	{ 0 }
};

static const struct option_table table = {
	.intro =
	"Usage: e2bfo cat [OPTIONS] IMAGE PATH...\n"
	"\n"
	"Writes what stands in files of a filesystem to standard output, one behind the other.\n"
	"IMAGE is a device or an image file, or an archive or a stream, and is not written. Symbolic\n"
	"links are not followed.\n"
	"\n",
	.rows = rows,
	.outro =
	"\n"
	"Exit status: 0 all written, 1 some of it is zeroes, as it cannot be read, 8 a file could not be\n"
	"read at all, 16 usage, 32 cancelled.\n"
	"\n"
	"Examples:\n"
	"  e2bfo cat disk.img /etc/fstab\n"
	"  e2bfo cat --partition 2 disk.img /boot/vmlinuz > vmlinuz\n"
	"  e2bfo cat --range 1M:512 disk.img /var/lib/db | xxd\n"
	"  e2bfo cat --inode 1234 /dev/sdb1 > found\n",
};

static int read_inode(struct cat_options *opt)
{
	char *end;
	unsigned long long ino;

	errno = 0;
	ino = strtoull(optarg, &end, 10);
	if (*optarg < '0' || *optarg > '9' || *end || errno || !ino || ino > UINT32_MAX)
		return argument_complain("cat", "--inode %s: not a number of an inode", optarg);
	return bfo_vec_push(&opt->inos, ino) ? EXIT_FAILED : -1;
}

/* LEN bytes at TEXT are a size. */
static int read_size(const char *text, size_t len, uint64_t *out)
{
	char copy[32];

	if (!len || len >= sizeof(copy))
		return 0;
	memcpy(copy, text, len);
	copy[len] = 0;
	return bfo_text_size(copy, out);
}

static int read_range(struct cat_options *opt)
{
	size_t len = strcspn(optarg, ":");
	const char *rest = optarg + len;

	if (!read_size(optarg, len, &opt->from) ||
	    (*rest && !read_size(rest + 1, strlen(rest + 1), &opt->size)))
		return argument_complain("cat", "--range %s: not FROM or FROM:LENGTH, in bytes "
					 "(1M is 1048576)", optarg);
	return -1;
}

static int read_option(struct cat_options *opt, int c)
{
	if (argument_is_medium(c))
		return argument_medium("cat", c, &opt->medium);
	switch (c) {
	case OPT_INODE:
		return read_inode(opt);
	case OPT_RANGE:
		return read_range(opt);
	case OPT_FILES_FROM:
		opt->files_from = optarg;
		return -1;
	case OPT_FROM0:
		opt->from0 = 1;
		return -1;
	case OPT_BATCH:
		opt->batch = 1;
		return -1;
	case '0':
		opt->zero = 1;
		return -1;
	default:
		return argument_common("cat", &table, c, &opt->common);
	}
}

static int check(struct cat_options *opt, int argc, char **argv)
{
	int has_paths = argc - optind > 1;
	int status = argument_check_medium("cat", &opt->medium);

	/* a file of which some is left out is none */
	if (opt->medium.how.mode == BFO_MEDIA_SKIP)
		opt->medium.how.mode = BFO_MEDIA_ZERO;
	if (status < 0)
		status = argument_check("cat", &opt->common);
	if (status < 0)
		status = argument_image("cat", argc, argv, &opt->common, &opt->volume,
					&opt->paths, &opt->n_paths);
	if (status >= 0)
		return status;
	if (!has_paths)
		opt->n_paths = 0;
	if (!has_paths && !opt->inos.n && !opt->files_from)
		return argument_complain("cat", "cat takes an IMAGE and a PATH in it, or --inode");
	if (opt->zero && !opt->batch)
		return argument_complain("cat", "-0 goes with --batch");
	if (opt->from0 && !opt->files_from)
		return argument_complain("cat", "--from0 goes with --files-from");
	return -1;
}

int cat_options_read(struct cat_options *opt, int argc, char **argv)
{
	int c, status;

	*opt = (struct cat_options) { .size = UINT64_MAX };
	status = argument_common_init(&opt->common, argc);
	opt->common.progress.mode = PROGRESS_NONE;
	argv[0] = "e2bfo";
	while (status < 0 && (c = option_next(argc, argv, &table)) != -1)
		status = read_option(opt, c);
	return status >= 0 ? status : check(opt, argc, argv);
}

void cat_options_free(struct cat_options *opt)
{
	bfo_medium_free(&opt->medium);
	argument_common_free(&opt->common);
	bfo_vec_free(&opt->inos);
}
