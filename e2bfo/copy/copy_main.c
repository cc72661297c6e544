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
#include "job/interrupted.h"

static void tell_line(void *priv, const char *line)
{
	(void) priv;
	message("%s", line);
}

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

/* What was begun with TARGET goes on, whatever else was said.  Returns -1 if nothing was. */
static int resume(struct copying *c, const struct copy_options *opt)
{
	const struct bfo_resume_options how = { .source = opt->job.source,
						.memory = opt->job.memory, .has_bwlimit = 1,
						.bwlimit = opt->job.bwlimit };
	struct bfo_interrupted in = { .target = NULL };
	struct bfo_what what = bfo_what_keep(&c->ctx);
	errcode_t err = bfo_interrupted_look(&in, &c->ctx, opt->job.target);
	int status = -1;

	bfo_what_restore(&c->ctx, &what);
	if (in.state == BFO_LEFT_RECORD) {
		bfo_interrupted_close(&in);
		err = bfo_interrupted_open(&in, &c->ctx, opt->job.target);
		if (!err)
			err = bfo_interrupted_resume(&in, &how, &c->copy);
		if (!err)
			err = copying_run(c);
		status = copying_finish(c, err);
	}
	bfo_copy_close(&c->copy);
	c->copy = (struct bfo_copy) { .ctx = NULL };
	bfo_interrupted_close(&in);
	return status;
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
		if (syntax == &receive_syntax && !opt.job.dry_run)
			status = resume(&c, &opt);
		if (status < 0)
			status = copying_finish(&c, copy(&c, &opt));
		bfo_copy_close(&c.copy);
	}
	options_free(&opt);
	return status;
}

int copy_main(int argc, char **argv)
{
	return run(argc, argv, &copy_syntax);
}

int send_main(int argc, char **argv)
{
	return run(argc, argv, &send_syntax);
}

int receive_main(int argc, char **argv)
{
	return run(argc, argv, &receive_syntax);
}
