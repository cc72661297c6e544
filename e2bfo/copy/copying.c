// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copying.c - a copy in front of people and scripts
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/clock.h"
#include "base/manifest_format.h"
#include "cli/message.h"
#include "cli/process.h"
#include "cli/timestamp.h"
#include "e2bfo/commands.h"
#include "e2bfo/journals.h"
#include "e2bfo/medium_report.h"
#include "boot_report.h"
#include "clash_report.h"
#include "copy_report.h"
#include "copying.h"
#include "export_report.h"
#include "remote_report.h"
#include "e2bfo/lists_report.h"
#include "e2bfo/manifest_report.h"

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

int copying_give_way(struct bfo_copy_options *opt)
{
	if (!takes_stdout(opt))
		return -1;
	signal(SIGPIPE, SIG_IGN);	/* that nobody reads is an error like others */
	opt->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (opt->out >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		return -1;
	com_err("e2bfo", errno, "while looking at standard output");
	return EXIT_FAILED;
}

void copying_begin(struct copying *c, const char *command, const struct argument_common *common)
{
	c->command = command;
	c->common = common;
	c->begun = bfo_clock();
	process_attach(&c->ctx);
	progress_attach(&c->bar, &c->ctx, &common->progress, common->quiet);
}

errcode_t copying_run(struct copying *c)
{
	errcode_t err = bfo_copy_plan(&c->copy);

	return err || c->copy.opt.dry_run ? err : bfo_copy_commit(&c->copy);
}

static void tell_line(void *priv, const char *line)
{
	(void) priv;
	message("%s", line);
}

static errcode_t begin(struct copying *c, const struct copy_options *opt)
{
	struct bfo_copy_options how = opt->job;
	errcode_t err = timestamp_now(&c->ctx, &how.now);

	how.has_epoch = timestamp_is_pinned();
	how.tell = tell_line;
	c->copy.opt = how;		/* whatever comes, the report has them */
	if (!err)
		err = bfo_copy_open(&c->copy, &c->ctx, &how);
	return err ? err : copying_run(c);
}

/* True if a copy was begun with the target that did not come to its end. */
static int is_begun(struct copying *c, const char *target)
{
	struct bfo_what what = bfo_what_keep(&c->ctx);
	struct bfo_interrupted in = { .target = NULL };
	int found;

	bfo_interrupted_look(&in, &c->ctx, target);
	found = in.state == BFO_LEFT_RECORD;
	bfo_interrupted_close(&in);
	bfo_what_restore(&c->ctx, &what);
	return found;
}

static errcode_t go_on(struct copying *c, const struct copy_options *opt)
{
	const struct bfo_resume_options how = { .source = opt->job.source, .in = opt->job.in,
						.memory = opt->job.memory, .has_bwlimit = 1,
						.bwlimit = opt->job.bwlimit };
	errcode_t err = bfo_interrupted_open(&c->left, &c->ctx, opt->job.target);

	c->copy.opt = opt->job;
	if (!err)
		err = bfo_interrupted_resume(&c->left, &how, &c->copy);
	return err ? err : copying_run(c);
}

errcode_t copying_do(struct copying *c, const struct copy_options *opt)
{
	if (opt->syntax->source && !opt->job.dry_run && is_begun(c, opt->job.target))
		return go_on(c, opt);
	return begin(c, opt);
}

void copying_close(struct copying *c)
{
	bfo_copy_close(&c->copy);
	bfo_interrupted_close(&c->left);
	c->copy = (struct bfo_copy) { .ctx = NULL };
}

void copying_explain(struct copying *c, errcode_t err)
{
	if (err && c->copy.job.phase == BFO_JOB_PLANNING)
		lists_explain(&c->copy.lists, &c->ctx, err);
	bfo_copy_explain(&c->copy, err);
}

/*
 * What else should be known, and could not be found out or written.  Returns 1 if there was such a
 * thing.
 */
static int tell_untold(struct copying *c)
{
	const struct bfo_copy *copy = &c->copy;
	struct bfo_context ctx = { .cancel = c->ctx.cancel };
	errcode_t err = bfo_copy_write_map(&c->copy);
	errcode_t doubt = bfo_copy_end_evidence(&c->copy, &ctx);

	if (copy->untold)
		com_err("e2bfo", copy->untold, "while finding out which data became zeroes (%s)%s",
			copy->untold_what.text,
			copy->opt.dry_run ? "" : "; the copy is complete");
	if (err)
		com_err("e2bfo", err, "while writing %s", copy->opt.write_mapfile);
	if (doubt)
		com_err("e2bfo", doubt, "while %s", ctx.what);
	return err || copy->untold || doubt;
}

static int exit_status(const struct bfo_copy *copy, errcode_t err, int untold)
{
	if (err)
		return exit_status_of(err);
	return copy->job.tree.findings.n || export_loses(copy) ||
	       manifest_loses(&copy->manifests) || untold ? EXIT_FINDINGS : EXIT_KEPT;
}

/* Said also with --quiet: who mounts by UUID gets either of them. */
static void warn_same_uuid(const struct bfo_copy *c)
{
	if (!c->opt.same_uuid || !(c->made ? c->written : c->formatted))
		return;
	message("warning: %s and %s now have the same UUID (%s); while both are attached, mount "
		"neither by UUID: detach one first", c->opt.source, c->opt.target, c->mkfs.uuid);
}

int copying_finish(struct copying *c, errcode_t err)
{
	const struct bfo_copy *copy = &c->copy;
	struct report r = { .command = c->command, .copy = copy, .common = c->common, .err = err,
			    .remote = c->remote, .seconds = bfo_clock() - c->begun };

	progress_wipe(&c->bar);
	copying_explain(c, err);
	r.status = exit_status(copy, err, tell_untold(c));
	if (c->remote)
		r.status = remote_status(c->remote, r.status);
	r.result = bfo_copy_result(copy, err);
	r.what = *c->ctx.what ? c->ctx.what : "copying";
	if (err == BFO_ET_CLASH && r.result.plan)
		clash_tell(copy, c->common->verbose);
	lists_tell(&copy->lists, c->common->verbose);
	report_print(&r);
	journals_warn(copy->opt.source, copy->job.source);
	medium_warn(copy->opt.source, copy->job.source);
	warn_same_uuid(copy);
	if (!err)
		boot_warn(copy);
	return r.status;
}
