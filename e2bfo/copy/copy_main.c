// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copy_main.c - e2bfo copy: options, job (job/copy.h), report
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/manifest_format.h"
#include "cli/message.h"
#include "e2bfo/commands.h"
#include "copy_options.h"
#include "copying.h"
#include "remote_copy.h"
#include "remote_options.h"

/* True if an archive, a stream, or a list goes to standard output. */
static int takes_stdout(const struct bfo_copy_options *opt)
{
	enum bfo_manifest_format format;
	const char *path;
	size_t i;

	for (i = 0; i < opt->n_manifests; i++)
		if (!bfo_manifest_tell(opt->manifests[i], &format, &path) && !strcmp(path, "-"))
			return 1;
	return !strcmp(opt->target, "tar:-") || !strcmp(opt->target, "stream:-");
}

/* It goes there alone: what is printed takes another way.  Returns -1, or an exit status. */
static int give_way(struct copy_options *opt)
{
	if (!takes_stdout(&opt->job))
		return -1;
	signal(SIGPIPE, SIG_IGN);	/* that nobody reads is an error like others */
	opt->job.out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (opt->job.out >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		return -1;
	com_err("e2bfo", errno, "while looking at standard output");
	return EXIT_FAILED;
}

static int run(int argc, char **argv, const struct copy_syntax *syntax)
{
	struct copying c = { .command = syntax->command };
	struct copy_options opt;
	int status = options_read(&opt, argc, argv, syntax);

	if (status < 0)
		status = argument_check(c.command, &opt.common);
	if (status < 0)
		status = give_way(&opt);
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
