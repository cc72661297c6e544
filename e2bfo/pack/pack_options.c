// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pack_options.c - the command lines of `e2bfo pack` and `e2bfo unpack`
 */
#include <string.h>
#include <unistd.h>

#include "e2bfo/commands.h"
#include "pack/composite.h"
#include "pack_options.h"

#define MAX_SIZE (64U << 10)		/* bytes */
#define PACK_SIZE (4U << 20)
#define PACK_SIZE_MOST (256U << 20)	/* all of it is in memory */

enum { OPT_MAX_SIZE = 256, OPT_PACK_SIZE, OPT_UPDATE, OPT_NOT_ATOMIC, OPT_TRUST };

#define WHICH_ROWS \
	{ 'r', "recursive", NULL, "directories below them, too" }, \
	ARGUMENT_PARTITION_ROW("IMAGE")
#define HOW_ROWS \
	{ 'n', "dry-run", NULL, "only look, and tell what would be done" }, \
	{ OPT_NOT_ATOMIC, "not-atomic", NULL, "also where IMAGE has no journal" }, \
	ARGUMENT_UNDO_ROW("IMAGE"), \
	{ OPT_TRUST, "trust", NULL, \
	  "do not compare IMAGE's bitmaps with its inodes after a mount" }
#define OUTPUT_ROWS \
	OPTION_TITLE("Output:"), \
	ARGUMENT_PROGRESS_ROWS, \
	ARGUMENT_JSON_ROW, \
	{ 'q', "quiet", NULL, "only errors" }, \
	ARGUMENT_VERBOSE_ROWS

static const struct option_row pack_rows[] = {
	OPTION_TITLE("What:"),
	WHICH_ROWS,
	{ OPT_MAX_SIZE, "max-size", "SIZE", "files up to that (default 64K, at most 16M)" },
	{ OPT_ORDER, "order", "POLICIES",
	  "files that list:FILE, refs[:DEPTH] or trace:FILE put next to each other, and,\n"
	  "with readdir, source, dir, name, size or mtime behind a comma, all others" },
	{ OPT_ORDER_SUPPORT, "order-support", "PERCENT",
	  "how much of the accesses to a file in a trace makes a group (default 5)" },
	{ OPT_ORDER_WINDOW, "order-window", "N",
	  "how near to each other accesses in a trace are together (default 8)" },
	{ OPT_ORDER_ROOT, "order-root", "DIR",
	  "where paths of a web server's log and pages begin in IMAGE" },
	{ OPT_ORDER_MOUNT, "order-mount", "DIR",
	  "where IMAGE was mounted when the trace was taken" },
	{ OPT_UPDATE, "update", NULL,
	  "composite files that are there take what is new, and give up what is too large" },
	OPTION_TITLE("How:"),
	{ OPT_PACK_SIZE, "pack-size", "SIZE",
	  "of one composite file, at most (default 4M, up to 256M)" },
	HOW_ROWS,
	OUTPUT_ROWS,
	{ 0 }
};

static const struct option_row unpack_rows[] = {
	OPTION_TITLE("What:"),
	WHICH_ROWS,
	OPTION_TITLE("How:"),
	HOW_ROWS,
	OUTPUT_ROWS,
	{ 0 }
};

#define STATUS \
	"\n" \
	"Exit status: 0 all done, 8 failed: nothing was changed, 16 usage, 32 cancelled, likewise.\n" \
	"\n"

static const struct option_table pack_table = {
	.intro =
	"Usage: e2bfo pack [OPTIONS] IMAGE PATH...\n"
	"\n"
	"A stock kernel sees one opaque file where this has packed many: pack what is read through e2bfo.\n"
	"The small files of each directory PATH of an ext2, ext3 or ext4 filesystem that is not mounted,\n"
	"a device or an image file, become members of composite files, packed-1.e2pack and so on: all of\n"
	"them or none, also when the machine stops.  'e2bfo unpack' makes them files again.\n"
	"\n",
	.rows = pack_rows,
	.outro =
	STATUS
	"Examples:\n"
	"  e2bfo pack --dry-run mail.img /var/mail/ann/cur\n"
	"  e2bfo pack -r --max-size 16K disk.img /home/ann/.cache\n"
	"  e2bfo pack -r --update --order trace:access.log,name www.img /\n",
};

static const struct option_table unpack_table = {
	.intro =
	"Usage: e2bfo unpack [OPTIONS] IMAGE PATH...\n"
	"\n"
	"The members of all composite files in the directories PATH become files again, with the attributes\n"
	"that they had, and the composite files go: all of them or none, also when the machine stops.\n"
	"IMAGE is a device or an image file with an ext2, ext3 or ext4 filesystem that is not mounted.\n"
	"\n",
	.rows = unpack_rows,
	.outro =
	STATUS
	"Example:\n"
	"  e2bfo unpack -r disk.img /\n",
};

static const struct option_table *table_of(const struct pack_options *opt)
{
	return *opt->command == 'p' ? &pack_table : &unpack_table;
}

static int read_option(struct pack_options *opt, int c)
{
	if (order_is_option(c))
		return order_option(opt->command, &opt->job.order, &opt->order_texts, c);
	switch (c) {
	case OPT_UPDATE:
		opt->job.is_update = 1;
		return -1;
	case 'r':
		opt->job.is_recursive = 1;
		return -1;
	case 'n':
		opt->job.is_dry = 1;
		return -1;
	case OPT_MAX_SIZE:
		return argument_size(opt->command, "max-size", optarg, 0,
				     BFO_COMPOSITE_CONTENT_MOST, &opt->job.max_size);
	case OPT_PACK_SIZE:
		return argument_size(opt->command, "pack-size", optarg, BFO_COMPOSITE_HEAD,
				     PACK_SIZE_MOST, &opt->job.pack_size);
	case OPT_NOT_ATOMIC:
		opt->job.batch.is_not_atomic = 1;
		return -1;
	case OPT_TRUST:
		opt->job.batch.is_forced = 1;
		return -1;
	case 'z':
		opt->job.batch.undo_file = optarg;
		return -1;
	default:
		return argument_common(opt->command, table_of(opt), c, &opt->common);
	}
}

static int check(struct pack_options *opt, int argc, char **argv)
{
	int has_paths = argc - optind > 1;
	int status = argument_check(opt->command, &opt->common);

	if (status < 0)
		status = order_check(opt->command, &opt->job.order);
	if (status < 0)
		status = argument_image(opt->command, argc, argv, &opt->common,
					&opt->job.batch.volume, &opt->job.paths,
					&opt->job.n_paths);
	if (status >= 0)
		return status;
	if (!has_paths)
		return argument_complain(opt->command, "%s takes an IMAGE and a PATH in it",
					 opt->command);
	if (opt->job.pack_size < opt->job.max_size)
		return argument_complain(opt->command, "--pack-size is less than --max-size");
	opt->job.memory = opt->common.memory;
	opt->job.environment = environ;
	return -1;
}

int pack_options_read(struct pack_options *opt, const char *command, int argc, char **argv)
{
	int c, status;

	*opt = (struct pack_options) { .command = command, .job.max_size = MAX_SIZE,
				       .job.pack_size = PACK_SIZE };
	status = argument_common_init(&opt->common, argc);
	argv[0] = "e2bfo";
	while (status < 0 && (c = option_next(argc, argv, table_of(opt))) != -1)
		status = read_option(opt, c);
	return status >= 0 ? status : check(opt, argc, argv);
}

void pack_options_free(struct pack_options *opt)
{
	order_texts_free(&opt->order_texts);
	argument_common_free(&opt->common);
}
