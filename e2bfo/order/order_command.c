// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * order_command.c - the command line of `e2bfo order`
 */
#include <unistd.h>

#include "e2bfo/commands.h"
#include "e2bfo/order_options.h"
#include "order_command.h"

enum { OPT_TRACE = 256, OPT_REFS, OPT_SUPPORT, OPT_WINDOW, OPT_ROOT, OPT_MOUNT };

static const struct option_row rows[] = {
	OPTION_TITLE("What is used together:"),
	{ OPT_TRACE, "trace", "FILE",
	  "what a trace of accesses has together again and again: of strace(1),\n"
	  "fatrace(8), a web server's log, or a path a line (-: standard input)" },
	{ OPT_REFS, "refs", "[=DEPTH]",
	  "files that refer to each other: HTML, CSS, C, makefiles; down to DEPTH\n"
	  "references (default 1)" },
	{ OPT_SUPPORT, "support", "PERCENT",
	  "how much of the accesses to a file in a trace makes a group (default 5)" },
	{ OPT_WINDOW, "window", "N",
	  "how near to each other accesses in a trace are together (default 8)" },
	{ OPT_ROOT, "root", "DIR", "where paths of a web server's log and pages begin in IMAGE" },
	{ OPT_MOUNT, "mount", "DIR", "where IMAGE was mounted when the trace was taken" },
	OPTION_TITLE("How:"),
	{ '0', "zero", NULL, "end paths, and groups, with NUL: for copy --from0" },
	ARGUMENT_IMAGE_ROWS,
	{ ARGUMENT_MEMORY, "memory", "SIZE",
	  "for contents that are read together (default a quarter of RAM,\n"
	  "at most 1G)" },
	ARGUMENT_BWLIMIT_ROW,
	ARGUMENT_BAD_IMAGE_TITLE,
	ARGUMENT_GO_ON_ROW,
	ARGUMENT_MAPFILE_ROW,
	ARGUMENT_SUPERBLOCK_ROWS,
	OPTION_TITLE("Output:"),
	{ ARGUMENT_JSON, "json", NULL, "the groups, for scripts" },
	ARGUMENT_PROGRESS_ROWS,
	{ 'q', "quiet", NULL, "the list alone" },
	ARGUMENT_VERBOSE_ROWS,
	{ 0 }
};

static const struct option_table table = {
	.intro =
	"Usage: e2bfo order [OPTIONS] --trace FILE|--refs IMAGE\n"
	"\n"
	"Finds groups of files of a filesystem that are used together, and lists them: a path a line, and\n"
	"an empty line behind each group. 'e2bfo copy --order list:FILE' lays them out next to each other.\n"
	"IMAGE is a device or an image file, and is not written.\n"
	"\n",
	.rows = rows,
	.outro =
	"\n"
	"Exit status: 0 listed, 1 some of IMAGE is damaged or cannot be read, 8 failed, 16 usage,\n"
	"32 cancelled.\n"
	"\n"
	"Examples:\n"
	"  e2bfo order --refs www.img > groups\n"
	"  e2bfo order --trace boot.strace --mount /mnt root.img > groups\n"
	"  e2bfo copy --mkfs --order list:groups root.img /dev/sdc1\n",
};

static int choose(struct order_command *opt, enum bfo_order_policy policy)
{
	if (opt->order.n)
		return argument_complain("order", "--trace and --refs: one of them, once");
	opt->order.policies[opt->order.n++] = policy;
	return -1;
}

static int read_refs(struct order_command *opt)
{
	int status = choose(opt, BFO_ORDER_REFS);

	return status >= 0 || !optarg ? status :
	       order_number("order", "--refs", optarg, BFO_ORDER_DEPTH_MOST, 0, &opt->order.depth);
}

static int read_option(struct order_command *opt, int c)
{
	struct bfo_order_options *o = &opt->order;

	if (argument_is_medium(c))
		return argument_medium("order", c, &opt->medium);
	switch (c) {
	case OPT_TRACE:
		o->trace = optarg;
		return choose(opt, BFO_ORDER_TRACE);
	case OPT_REFS:
		return read_refs(opt);
	case OPT_SUPPORT:
		return order_number("order", "--support", optarg, 100, 1, &o->support);
	case OPT_WINDOW:
		return order_number("order", "--window", optarg, BFO_ORDER_WINDOW_MOST, 0,
				    &o->window);
	case OPT_ROOT:
		return order_folder("order", "--root", optarg, &o->root);
	case OPT_MOUNT:
		return order_folder("order", "--mount", optarg, &o->mount);
	case '0':
		opt->zero = 1;
		return -1;
	default:
		return argument_common("order", &table, c, &opt->common);
	}
}

static int check(struct order_command *opt)
{
	const struct bfo_order_options *o = &opt->order;

	if (!o->n)
		return argument_complain("order", "order takes --trace FILE or --refs");
	if ((o->support || o->window || o->mount) && !o->trace)
		return argument_complain("order", "--%s goes with --trace", o->support ? "support" :
					 o->window ? "window" : "mount");
	if (opt->zero && opt->common.json)
		return argument_complain("order", "-0 and --json exclude each other");
	return argument_check_media("order", &opt->medium, 1);
}

int order_command_read(struct order_command *opt, int argc, char **argv)
{
	const char *const *paths;
	int c, status;
	size_t n;

	*opt = (struct order_command) { .medium.how.mode = ARGUMENT_GO_ON };
	status = argument_common_init(&opt->common, argc);
	argv[0] = "e2bfo";
	while (status < 0 && (c = option_next(argc, argv, &table)) != -1)
		status = read_option(opt, c);
	if (status < 0)
		status = check(opt);
	if (status < 0)
		status = argument_check("order", &opt->common);
	if (status < 0 && argc - optind > 1)
		status = argument_complain("order", "order takes one IMAGE");
	return status >= 0 ? status
			   : argument_image("order", argc, argv, &opt->common, &opt->volume, &paths,
					    &n);
}

void order_command_free(struct order_command *opt)
{
	argument_common_free(&opt->common);
}
