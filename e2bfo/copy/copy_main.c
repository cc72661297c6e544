// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copy_main.c - e2bfo copy: options, job (job/copy.h), report
 */
#include "e2bfo/commands.h"
#include "copy_options.h"
#include "copying.h"
#include "remote_copy.h"
#include "remote_options.h"

static int run(int argc, char **argv, const struct copy_syntax *syntax)
{
	struct copying c = { .command = syntax->command };
	struct copy_options opt;
	int status = options_read(&opt, argc, argv, syntax);

	if (status < 0)
		status = argument_check(c.command, &opt.common);
	if (status < 0)
		status = copying_give_way(&opt.job);
	if (status < 0) {
		copying_begin(&c, c.command, &opt.common);
		status = copying_finish(&c, copying_do(&c, &opt));
		copying_close(&c);
	}
	options_free(&opt);
	return status;
}

int copy_main(int argc, char **argv)
{
	int status = -1, is_remote = 0;

	if (remote_is_meant(argc, argv))
		status = remote_copy(argc, argv, &is_remote);
	return status < 0 && !is_remote ? run(argc, argv, &copy_syntax) : status;
}

int send_main(int argc, char **argv)
{
	return run(argc, argv, &send_syntax);
}

int receive_main(int argc, char **argv)
{
	return run(argc, argv, &receive_syntax);
}
