// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * layout_options.c - the command line of `e2bfo layout`
 */
#include "layout/reader.h"
#include "e2bfo/argument.h"
#include "e2bfo/commands.h"
#include "layout_options.h"

#define READ_MIN 512U
#define READ_MAX (1U << 30)

enum { OPT_AGAINST = 256, OPT_SVG, OPT_READ_SIZE };

static const struct option_row rows[] = {
	OPTION_TITLE("What:"),
	{ OPT_AGAINST, "against", "B", "the same of B, side by side" },
	ARGUMENT_PARTITION_ROW("IMAGE"),
	{ ARGUMENT_JOURNAL, "journal", "DEVICE",
	  "an external journal, if it is not found; may be repeated" },
	ARGUMENT_IGNORE_JOURNAL_ROW,
	OPTION_TITLE("How:"),
	{ OPT_READ_SIZE, "read-size", "SIZE",
	  "of the reader's read(2) (default 128K; 4K: a reader of a mounted\n"
	  "filesystem whose read-ahead is off)" },
	ARGUMENT_BWLIMIT_ROW,
	ARGUMENT_BAD_IMAGE_TITLE,
	ARGUMENT_GO_ON_ROW,
	ARGUMENT_MAPFILE_ROW,
	{ ARGUMENT_MAPFILE_B, "mapfile-b", "FILE", "the same for B" },
	ARGUMENT_SUPERBLOCK_ROWS,
	OPTION_TITLE("Output:"),
	{ OPT_SVG, "svg", "FILE",
	  "a picture: the orders against each other, and the map of blocks" },
	{ ARGUMENT_JSON, "json", NULL, "all of it for scripts, every directory" },
	ARGUMENT_NO_PROGRESS_ROWS,
	{ 'q', "quiet", NULL, "the volume only, not its worst directories and files" },
	{ 'v', "verbose", NULL, "twenty of the worst, not five; reading with metadata" },
	ARGUMENT_HELP_ROWS,
	{ 0 }
};

static const struct option_table table = {
	.intro =
	"Usage: e2bfo layout [OPTIONS] IMAGE [PATH]...\n"
	"\n"
	"Measures how the files of a filesystem lie: pieces of files, how far the orders of\n"
	"names, inodes and data agree, how full directories are, free space; and computes what reading\n"
	"all files would cost, in readdir order, by name, and by inode number. IMAGE is a device or an\n"
	"image file, and is not written. With PATHs, only these and what is below them counts.\n"
	"\n",
	.rows = rows,
	.outro =
	"\n"
	"Exit status: 0 measured, 1 some of it is damaged or cannot be read, 8 could not measure,\n"
	"16 usage, 32 cancelled.\n"
	"\n"
	"Examples:\n"
	"  e2bfo layout /dev/sdb1\n"
	"  e2bfo layout --svg mail.svg disk.img /var/mail\n"
	"  e2bfo layout --svg both.svg old.img --against new.img\n",
};

static int set_text(const char *name, const char **out)
{
	*out = optarg;
	return *optarg ? -1 : argument_complain("layout", "--%s must not be empty", name);
}

static int read_option(struct layout_options *opt, int c)
{
	if (argument_is_medium(c))
		return argument_medium("layout", c, &opt->medium[0]);
	switch (c) {
	case ARGUMENT_MAPFILE_B:
		opt->medium[1].mapfile = optarg;
		return -1;
	case OPT_AGAINST:
		opt->n_volumes = 2;
		return set_text("against", &opt->volume[1]);
	case OPT_SVG:
		return set_text("svg", &opt->svg);
	case OPT_READ_SIZE:
		return argument_size("layout", "read-size", optarg, READ_MIN, READ_MAX,
				     &opt->read_bytes);
	default:
		return argument_common("layout", &table, c, &opt->common);
	}
}

int layout_options_read(struct layout_options *opt, int argc, char **argv)
{
	int c, status;

	*opt = (struct layout_options) { .n_volumes = 1, .read_bytes = BFO_READ_BYTES,
					 .medium[0].how.mode = ARGUMENT_GO_ON };
	status = argument_common_init(&opt->common, argc);
	opt->common.progress.mode = PROGRESS_NONE;
	argv[0] = "e2bfo";
	while (status < 0 && (c = option_next(argc, argv, &table)) != -1)
		status = read_option(opt, c);
	if (status < 0)
		status = argument_check_media("layout", opt->medium, 2);
	if (status < 0)
		status = argument_check("layout", &opt->common);
	return status >= 0 ? status : argument_image("layout", argc, argv, &opt->common,
						     &opt->volume[0], &opt->paths, &opt->n_paths);
}

void layout_options_free(struct layout_options *opt)
{
	bfo_medium_free(&opt->medium[0]);
	bfo_medium_free(&opt->medium[1]);
	argument_common_free(&opt->common);
}
