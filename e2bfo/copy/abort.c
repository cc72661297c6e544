// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * abort.c - e2bfo abort
 *
 *   TARGET ── replay its journal ── record ──┬── a filesystem that was there: give back
 *                                            `── an image file that was being made: remove
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "commit/commit.h"
#include "volume/open.h"
#include "e2bfo/e2bfo.h"
#include "interrupted.h"

static const struct option options[] = {
	{ "partition", required_argument, NULL, ARGUMENT_PARTITION },
	{ "json", no_argument, NULL, ARGUMENT_JSON },
	{ "quiet", no_argument, NULL, 'q' },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 }
};

static const char help[] =
"Usage: e2bfo abort [OPTIONS] TARGET\n"
"\n"
"Gives up a copy into TARGET that was interrupted: TARGET becomes what it was before. (So does\n"
"mounting it, or e2fsck -p.) What 'e2bfo copy --size' was making of an image file is removed:\n"
"TARGET is the file's name, or TARGET.XXXXXX, which it has as long as it is not complete.\n"
"\n"
"  --partition N        TARGET is a disk: its partition N (TARGET?partition=N)\n"
"  -z FILE              undo file for e2undo(8), of what was live on TARGET\n"
"  --json               a report for scripts on standard output\n"
"  -q, --quiet          -V, --version          --help\n"
"\n"
"Exit status: 0 done, 8 not: there is none, or it had come to its end; 16 usage.\n"
"\n"
"Example:\n"
"  e2bfo abort /dev/sdc1\n";

/* No record: because the copy had come to its end? */
static int tell_none(const struct interrupted *r, struct bfo_context *ctx, errcode_t err,
		     struct bfo_volume *target)
{
	char what[sizeof(ctx->what)], when[32], done[640];
	int64_t begun;
	int is_whole = 0;

	snprintf(what, sizeof(what), "%s", ctx->what);
	if (bfo_commit_was_done(ctx, target, &is_whole, &begun) || !is_whole)
		return interrupted_tell(r, EXIT_FAILED, err, what, 0, NULL);
	interrupted_when(begun, when, sizeof(when));
	snprintf(done, sizeof(done), "the copy of %s had come to its end: all of it is "
		 "there%s%.500s", when, r->image.made ? ", in " : "",
		 r->image.made ? r->image.made : "");
	return interrupted_tell(r, EXIT_FAILED, 0, NULL, 1, done);
}

/* TARGET is open: nobody else works on the file. */
static errcode_t give_up(struct interrupted *r, struct bfo_context *ctx, struct bfo_volume *target)
{
	if (!r->image.made)
		return bfo_commit_abort(ctx, target, &r->record, r->undo_file);
	return unlink(r->image.made) ? bfo_fail(ctx, errno, "removing %s", r->image.made) : 0;
}

static int abort_copy(struct interrupted *r)
{
	struct bfo_volume *target = NULL;
	struct bfo_context ctx = { 0 };
	char done[640] = "the copy is given up, nothing of it is left";
	errcode_t err = interrupted_find(r, &ctx);
	int status;

	if (!err)
		err = interrupted_open(r, &ctx, &target);
	if (err == BFO_ET_NO_RECORD) {
		status = tell_none(r, &ctx, err, target);
	} else {
		if (!err)
			err = give_up(r, &ctx, target);
		if (!err && r->image.made)
			snprintf(done, sizeof(done), "the copy is given up, %.500s is removed",
				 r->image.made);
		status = interrupted_tell(r, err ? EXIT_FAILED : EXIT_KEPT, err, ctx.what, 0, done);
	}
	bfo_volume_close(target);
	return status;
}

int abort_main(int argc, char **argv)
{
	struct interrupted r = { .command = "abort" };
	int status = interrupted_read(&r, argc, argv, options, help);

	if (status < 0)
		status = abort_copy(&r);
	interrupted_free(&r);
	return status;
}
