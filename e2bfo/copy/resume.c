// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resume.c - e2bfo resume: options, job (job/interrupted.h), report
 */
#include "base/bfo_err.h"
#include "cli/process.h"
#include "volume/gate.h"
#include "volume/open.h"
#include "e2bfo/commands.h"
#include "copying.h"
#include "resume_options.h"
#include "resume_tell.h"

static const struct option_row rows[] = {
	{ 'n', "dry-run", NULL, "tell what is there, and whether resume can go on; write nothing" },
	{ RESUME_SOURCE, "source", "SOURCE",
	  "where the source is now (default: where it was, or by its UUID)" },
	ARGUMENT_PARTITION_ROW("TARGET"),
	ARGUMENT_MEMORY_ROW,
	{ ARGUMENT_BWLIMIT, "bwlimit", "RATE",
	  "read at most so many bytes in any second (128K or more; 0: no limit)\n"
	  "(default: as the copy had it)" },
	ARGUMENT_UNDO_ROW("TARGET"),
	ARGUMENT_PROGRESS_ROWS,
	ARGUMENT_JSON_ROW,
	{ 'q', "quiet", NULL, NULL },
	ARGUMENT_VERBOSE_ROWS,
	{ 0 }
};

static const struct option_table table = {
	.intro =
	"Usage: e2bfo resume [OPTIONS] TARGET\n"
	"\n"
	"Goes on with a copy into TARGET that was interrupted, where it had come to. TARGET must not\n"
	"have been mounted or checked meanwhile, and the source must not have changed. What 'e2bfo copy\n"
	"--size' was making of an image file is found by the file's name, or by TARGET.XXXXXX, which it\n"
	"has as long as it is not complete.\n"
	"\n",
	.rows = rows,
	.outro =
	"\n"
	"Exit status: as e2bfo copy; 0 also if the copy had come to its end. With -n: 0 if resume would\n"
	"go on, 8 if not.\n"
	"\n"
	"Example:\n"
	"  e2bfo resume /dev/sdc1\n",
};

static struct bfo_resume_options how(const struct resume_options *o)
{
	return (struct bfo_resume_options) {
		.source = o->source, .undo_file = o->undo_file, .memory = o->common.memory,
		.has_bwlimit = o->common.has_bwlimit, .bwlimit = o->common.bwlimit,
		.dry_run = o->dry_run,
	};
}

static int resume_copy(struct copying *c, const struct resume_options *o,
		       struct bfo_interrupted *in)
{
	struct bfo_resume_options resume = how(o);
	errcode_t err = bfo_interrupted_open(in, &c->ctx, o->target);

	if (in->state == BFO_LEFT_WHOLE)
		return resume_tell_whole(o, in, bfo_interrupted_finish(in));
	if (err == BFO_ET_NO_RECORD)
		return interrupted_tell(o, in, EXIT_FAILED, err, NULL);
	c->copy.opt.source = "?";
	c->copy.opt.target = o->target;
	if (!err)
		err = bfo_interrupted_resume(in, &resume, &c->copy);
	if (!err)
		err = copying_run(c);
	return copying_finish(c, err);
}

/* The target is open as a source; what it would be refused for as a target comes last. */
static errcode_t try_to_go_on(struct copying *c, const struct bfo_resume_options *resume,
			      struct bfo_interrupted *in)
{
	errcode_t err = bfo_interrupted_resume(in, resume, &c->copy);

	if (!err)
		err = bfo_copy_plan(&c->copy);
	return err ? err : bfo_gate_healthy(&c->ctx, c->copy.job.target, BFO_OPEN_RECORDED);
}

static int look_at_copy(struct copying *c, const struct resume_options *o,
			struct bfo_interrupted *in)
{
	struct bfo_resume_options resume = how(o);
	char token[BFO_STREAM_TOKEN_TEXT];
	errcode_t err = bfo_interrupted_look(in, &c->ctx, o->target);

	if (in->state == BFO_LEFT_WHOLE)
		return resume_tell_whole(o, in, 0);
	if (in->state == BFO_LEFT_NOTHING)
		return interrupted_tell(o, in, EXIT_FAILED, err, NULL);
	err = bfo_interrupted_load(in);
	if (!err && !o->source && bfo_interrupted_token(in, token))
		return resume_tell_record(o, in, &c->copy, 0);
	bfo_saved_options_free(&in->saved);
	if (!err)
		err = try_to_go_on(c, &resume, in);
	progress_wipe(&c->bar);
	copying_explain(c, err);
	return resume_tell_record(o, in, &c->copy, err);
}

int resume_main(int argc, char **argv)
{
	struct resume_options o = { .command = "resume" };
	struct bfo_interrupted in = { .target = NULL };
	struct copying c = { .command = "resume" };
	int status = resume_options_read(&o, argc, argv, &table);

	if (status < 0) {
		copying_begin(&c, o.command, &o.common);
		status = o.dry_run ? look_at_copy(&c, &o, &in) : resume_copy(&c, &o, &in);
		bfo_copy_close(&c.copy);
		bfo_interrupted_close(&in);
	}
	resume_options_free(&o);
	return status;
}
