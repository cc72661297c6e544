// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * abort.c - e2bfo abort: options, job (job/interrupted.h), report
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "cli/process.h"
#include "export/extract.h"
#include "job/end.h"
#include "e2bfo/commands.h"
#include "resume_options.h"

static const struct option_row rows[] = {
	ARGUMENT_PARTITION_ROW("TARGET"),
	ARGUMENT_UNDO_ROW("TARGET"),
	ARGUMENT_JSON_ROW,
	{ 'q', "quiet", NULL, NULL },
	ARGUMENT_VERBOSE_ROWS,
	{ 0 }
};

static const struct option_table table = {
	.intro =
	"Usage: e2bfo abort [OPTIONS] TARGET\n"
	"\n"
	"Gives up a copy into TARGET that was interrupted: TARGET becomes what it was before. (So does\n"
	"mounting it, or e2fsck -p.) What 'e2bfo copy --size' was making of an image file is removed:\n"
	"TARGET is the file's name, or TARGET.XXXXXX, which it has as long as it is not complete. In a\n"
	"directory what copies have not completed is removed.\n"
	"\n",
	.rows = rows,
	.outro =
	"\n"
	"Exit status: 0 done, 8 not: there is none, or it had come to its end; 16 usage, 32 cancelled.\n"
	"\n"
	"Example:\n"
	"  e2bfo abort /dev/sdc1\n",
};

/* No record: because the copy had come to its end? */
static int tell_none(const struct resume_options *o, const struct bfo_interrupted *in,
		     errcode_t err)
{
	char when[32], done[640];

	if (in->state != BFO_LEFT_WHOLE)
		return interrupted_tell(o, in, EXIT_FAILED, err, NULL);
	interrupted_when(in->begun, when, sizeof(when));
	snprintf(done, sizeof(done), "the copy of %s had come to its end: all of it is "
		 "there%s%.500s", when, in->image.made ? ", in " : "",
		 in->image.made ? in->image.made : "");
	return interrupted_tell(o, in, EXIT_FAILED, 0, done);
}

/* TARGET is a directory: what killed copies have left in it is removed. */
static int abort_directory(const struct resume_options *o, struct bfo_interrupted *in,
			   struct bfo_context *ctx, const char *path)
{
	struct bfo_extract_left left;
	char done[160];
	errcode_t err;
	int used;

	process_attach(ctx);
	err = bfo_extract_abort(ctx, path, &left);
	if (!err && !left.removed && !left.alike && access(path, F_OK))
		err = bfo_fail(ctx, errno, "looking for what a copy has left of %s", path);
	in->ctx = ctx;
	used = snprintf(done, sizeof(done), "%llu unfinished %s removed",
			(unsigned long long) left.removed, left.removed == 1 ? "name" : "names");
	if (left.alike)
		snprintf(done + used, sizeof(done) - used, "; names that look alike, and that no "
			 "copy has made there: %llu, which stay", (unsigned long long) left.alike);
	return interrupted_tell(o, in, err == BFO_ET_CANCELLED ? EXIT_CANCELLED :
				err ? EXIT_FAILED : EXIT_KEPT, err, done);
}

static int abort_volume(const struct resume_options *o, struct bfo_interrupted *in,
			struct bfo_context *ctx)
{
	char done[640] = "the copy is given up, nothing of it is left";
	errcode_t err = bfo_interrupted_open(in, ctx, o->target);

	if (err == BFO_ET_NO_RECORD)
		return tell_none(o, in, err);
	if (err == ENOENT)
		bfo_fail_add(ctx, err, " (a directory that is not there yet is %s/)", o->target);
	if (!err)
		err = bfo_interrupted_abort(in, o->undo_file);
	if (!err && in->image.made)
		snprintf(done, sizeof(done), "the copy is given up, %.500s is removed",
			 in->image.made);
	return interrupted_tell(o, in, err ? EXIT_FAILED : EXIT_KEPT, err, done);
}

static int abort_copy(const struct resume_options *o, struct bfo_interrupted *in,
		      struct bfo_context *ctx)
{
	struct bfo_end end;
	errcode_t err = bfo_end_tell_target(ctx, o->target, &end);
	int status;

	if (!err && end.kind == BFO_END_DIRECTORY)
		status = abort_directory(o, in, ctx, end.path);
	else
		status = abort_volume(o, in, ctx);
	bfo_end_free(&end);
	return status;
}

int abort_main(int argc, char **argv)
{
	struct resume_options o = { .command = "abort" };
	struct bfo_interrupted in = { .target = NULL };
	struct bfo_context ctx = { 0 };
	int status = resume_options_read(&o, argc, argv, &table);

	if (status < 0) {
		status = abort_copy(&o, &in, &ctx);
		bfo_interrupted_close(&in);
	}
	resume_options_free(&o);
	return status;
}
