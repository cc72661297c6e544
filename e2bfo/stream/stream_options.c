// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream_options.c - the command line of `e2bfo stream`
 */
#include <string.h>

#include "e2bfo/commands.h"
#include "stream_options.h"

enum { OPT_VERIFY = 256, OPT_DUMP, OPT_LIST, OPT_SALVAGE };

static const struct option_row rows[] = {
	OPTION_TITLE("What, one of:"),
	{ OPT_VERIFY, "verify", NULL, "whether all of it is as it was sent (default)" },
	{ OPT_LIST, "list", NULL, "the names in it with their attributes, as e2bfo ls -lR" },
	{ OPT_DUMP, "dump", NULL,
	  "its parts, as they stand there, up to the first that is damaged; with\n"
	  "--verbose each frame" },
	{ OPT_SALVAGE, "salvage", NULL, "which bytes of which files are missing in a damaged one" },
	OPTION_TITLE("How:"),
	ARGUMENT_BWLIMIT_ROW,
	OPTION_TITLE("Output:"),
	ARGUMENT_PROGRESS_ROWS,
	ARGUMENT_JSON_ROW,
	{ 'q', "quiet", NULL, "only errors and what is missing" },
	{ 'v', "verbose", NULL, "each place that is damaged; with --dump each frame" },
	ARGUMENT_HELP_ROWS,
	{ 0 }
};

static const struct option_table table = {
	.intro =
	"Usage: e2bfo stream [OPTIONS] FILE\n"
	"\n"
	"Reads a stream of e2bfo send that is kept in FILE, or comes on standard input (-), and tells\n"
	"whether it is whole, or what is in it. FILE is not written.\n"
	"\n",
	.rows = rows,
	.outro =
	"\n"
	"Exit status: 0 it is whole, 1 something is missing, 8 it is damaged, cut, or no stream, 16 usage,\n"
	"32 cancelled.\n"
	"\n"
	"Examples:\n"
	"  e2bfo stream home.e2bfo\n"
	"  e2bfo stream --list home.e2bfo | less\n"
	"  e2bfo stream --salvage home.e2bfo\n"
	"  e2bfo copy --on-read-error=zero home.e2bfo found/\n",
};

static int choose(struct stream_options *opt, enum stream_action action)
{
	if (opt->action && opt->action != action)
		return argument_complain("stream", "--verify, --list, --dump and --salvage exclude "
					 "each other");
	opt->action = action;
	return -1;
}

static int read_option(struct stream_options *opt, int c)
{
	switch (c) {
	case OPT_VERIFY:
		return choose(opt, STREAM_VERIFY);
	case OPT_DUMP:
		return choose(opt, STREAM_DUMP);
	case OPT_LIST:
		return choose(opt, STREAM_LIST);
	case OPT_SALVAGE:
		return choose(opt, STREAM_SALVAGE);
	default:
		return argument_common("stream", &table, c, &opt->common);
	}
}

static int take_file(struct stream_options *opt, int argc, char **argv)
{
	static const char word[] = "stream:";

	if (argc - optind != 1)
		return argument_complain("stream", "stream takes one FILE");
	opt->name = opt->path = argv[optind];
	if (!strncmp(opt->path, word, sizeof(word) - 1))
		opt->path += sizeof(word) - 1;
	if (!*opt->path)
		return argument_complain("stream", "FILE must not be empty");
	if (!opt->action)
		opt->action = STREAM_VERIFY;
	return argument_check("stream", &opt->common);
}

int stream_options_read(struct stream_options *opt, int argc, char **argv)
{
	int c, status;

	*opt = (struct stream_options) { .action = STREAM_NONE };
	status = argument_common_init(&opt->common, argc);
	argv[0] = "e2bfo";
	while (status < 0 && (c = option_next(argc, argv, &table)) != -1)
		status = read_option(opt, c);
	return status >= 0 ? status : take_file(opt, argc, argv);
}

void stream_options_free(struct stream_options *opt)
{
	argument_common_free(&opt->common);
}
