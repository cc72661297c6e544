// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream_main.c - e2bfo stream: options, job, report
 *
 * Checking is job/stream_check.h, listing `e2bfo ls` does.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/process.h"
#include "e2bfo/commands.h"
#include "stream_command.h"

const char *stream_digest_text(const uint8_t *digest, char text[STREAM_DIGEST_TEXT])
{
	bfo_text_put_hex(digest, BFO_STREAM_DIGEST, text);
	text[STREAM_DIGEST_TEXT - 1] = 0;
	return text;
}

/* As if that had been the command line.  Whatever FILE is called, it is a stream. */
static int list(const struct stream_options *opt)
{
	char *argv[6] = { "ls", "-lR" }, *source;
	int argc = 2, status;

	if (asprintf(&source, "stream:%s", opt->path) < 0)
		return EXIT_FAILED;
	if (opt->common.json)
		argv[argc++] = "--json";
	if (opt->common.quiet)
		argv[argc++] = "--quiet";
	argv[argc++] = source;
	optind = 0;			/* getopt(3) begins anew */
	status = ls_main(argc, argv);
	free(source);
	return status;
}

static int run(const struct stream_options *opt)
{
	struct bfo_context ctx = { 0 };
	struct bar bar = { 0 };

	process_attach(&ctx);
	argument_pace((struct argument_common *) &opt->common, &ctx);
	progress_attach(&bar, &ctx, &opt->common.progress, opt->common.quiet);
	return opt->action == STREAM_DUMP ? stream_dump(opt, &ctx, &bar)
					  : stream_verify(opt, &ctx, &bar);
}

int stream_main(int argc, char **argv)
{
	struct stream_options opt;
	int status = stream_options_read(&opt, argc, argv);

	if (status < 0)
		status = opt.action == STREAM_LIST ? list(&opt) : run(&opt);
	stream_options_free(&opt);
	return status;
}
