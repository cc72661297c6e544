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
#include "cli/timestamp.h"
#include "e2bfo/commands.h"
#include "copy_options.h"
#include "copying.h"

static void tell_line(void *priv, const char *line)
{
	(void) priv;
	message("%s", line);
}

/* True if an archive, or a list, goes to standard output. */
static int takes_stdout(const struct bfo_copy_options *opt)
{
	enum bfo_manifest_format format;
	const char *path;
	size_t i;

	for (i = 0; i < opt->n_manifests; i++)
		if (!bfo_manifest_tell(opt->manifests[i], &format, &path) && !strcmp(path, "-"))
			return 1;
	return !strcmp(opt->target, "tar:-");
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

static errcode_t copy(struct copying *c, struct copy_options *opt)
{
	errcode_t err = timestamp_now(&c->ctx, &opt->job.now);

	opt->job.has_epoch = timestamp_is_pinned();
	opt->job.tell = tell_line;
	c->copy.opt = opt->job;		/* whatever comes, the report has them */
	if (!err)
		err = bfo_copy_open(&c->copy, &c->ctx, &opt->job);
	return err ? err : copying_run(c);
}

int copy_main(int argc, char **argv)
{
	struct copying c = { .command = "copy" };
	struct copy_options opt;
	int status = options_read(&opt, argc, argv);

	if (status < 0)
		status = argument_check(c.command, &opt.common);
	if (status < 0)
		status = give_way(&opt);
	if (status < 0) {
		copying_begin(&c, c.command, &opt.common);
		status = copying_finish(&c, copy(&c, &opt));
		bfo_copy_close(&c.copy);
	}
	options_free(&opt);
	return status;
}
