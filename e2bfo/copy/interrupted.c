// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * interrupted.c - what `e2bfo resume` and `e2bfo abort` share
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bfo_err.h"
#include "cli/message.h"
#include "cli/option.h"
#include "cli/result.h"
#include "commit/recover.h"
#include "volume/open.h"
#include "volume/spec.h"
#include "e2bfo/e2bfo.h"
#include "interrupted.h"

static int read_option(struct interrupted *r, int c, const char *help)
{
	switch (c) {
	case 's':
		r->source = optarg;
		return -1;
	case 'z':
		r->undo_file = optarg;
		return -1;
	case 'n':
		r->dry_run = 1;
		return -1;
	default:
		return argument_common(r->command, help, c, &r->common);
	}
}

/* -n is resume's alone: for abort it would be a look that its name does not promise. */
static const char *shorts_of(const struct interrupted *r)
{
	return strcmp(r->command, "resume") ? ":z:" ARGUMENT_SHORT : ":nz:" ARGUMENT_SHORT;
}

int interrupted_read(struct interrupted *r, int argc, char **argv, const struct option *options,
		     const char *help)
{
	int c, status = argument_common_init(&r->common, argc);

	argv[0] = "e2bfo";
	while (status < 0 && (c = option_next(argc, argv, shorts_of(r), options)) != -1)
		status = read_option(r, c, help);
	if (status >= 0)
		return status;
	if (argc - optind != 1 || !*argv[optind])
		return argument_complain(r->command, "%s takes a TARGET", r->command);
	status = argument_check(r->command, &r->common);
	if (status >= 0)
		return status;
	r->target = argv[optind];
	c = argument_partition(r->command, "TARGET", &r->common, &r->target);
	if (c >= 0)
		return c;
	r->target_path = bfo_spec_absolute(r->target);
	r->source_path = r->source ? bfo_spec_absolute(r->source) : NULL;
	return r->target_path && (!r->source || r->source_path) ? -1 : EXIT_FAILED;
}

void interrupted_free(struct interrupted *r)
{
	recorded_free(&r->said);
	bfo_record_free(&r->record);
	unfinished_free(&r->image);
	argument_common_free(&r->common);
	free(r->target_path);
	free(r->source_path);
}

errcode_t interrupted_find(struct interrupted *r, struct bfo_context *ctx)
{
	errcode_t err = unfinished_find(ctx, r->target_path, &r->image);
	char *path;

	if (err || !r->image.made)
		return err;
	if (asprintf(&path, "file:%s", r->image.made) < 0)
		return bfo_fail(ctx, ENOMEM, "opening %s", r->image.made);
	free(r->target_path);
	r->target_path = path;
	return 0;
}

/* Without a journal there is no record: e2fsck is all that is left. */
static errcode_t advise_unclean(struct bfo_context *ctx)
{
	return bfo_fail_add(ctx, BFO_ET_UNHEALTHY, " (a copy to a filesystem without a journal, or one "
			    "with --not-atomic, cannot be resumed; e2fsck -fy gives it up)");
}

errcode_t interrupted_open(struct interrupted *r, struct bfo_context *ctx,
			   struct bfo_volume **target)
{
	errcode_t err = bfo_volume_open(ctx, r->target_path, BFO_OPEN_TARGET | BFO_OPEN_RECORDED,
					NULL, target);

	if (err == BFO_ET_RECOVERY) {
		err = bfo_target_recover(ctx, r->target_path);
		if (!err)
			err = bfo_volume_open(ctx, r->target_path,
					      BFO_OPEN_TARGET | BFO_OPEN_RECORDED, NULL, target);
	}
	if (err == BFO_ET_UNHEALTHY)
		return advise_unclean(ctx);
	return err ? err : bfo_record_find(ctx, *target, &r->record);
}

void interrupted_when(int64_t begun, char *out, size_t size)
{
	time_t when = begun;
	const char *text = ctime(&when);

	snprintf(out, size, "%.24s", text ? text : "?");
}

int interrupted_tell(const struct interrupted *r, int status, errcode_t err, const char *what,
		     int is_whole, const char *done)
{
	struct json j;

	if (err)
		com_err("e2bfo", err, "while %s", what);
	if (!r->common.json) {
		if (!err && (!r->common.quiet || status))
			message_printf("%s: %s.\n", r->target, done);
		return status;
	}
	result_begin(&j, "e2bfo", r->command);
	json_string(&j, "target", r->target);
	result_status(&j, status, err, what);
	json_bool(&j, "complete", is_whole);
	json_bool(&j, "resumable", r->record.ino && err);
	result_end(&j);
	return status;
}
