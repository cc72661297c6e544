// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resume_options.c - what `e2bfo resume` and `e2bfo abort` share: their options, and what they tell
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/message.h"
#include "cli/option.h"
#include "cli/result.h"
#include "e2bfo/commands.h"
#include "resume_options.h"

static int read_option(struct resume_options *o, int c, const struct option_table *table)
{
	switch (c) {
	case RESUME_SOURCE:
		o->source = optarg;
		return -1;
	case 'z':
		o->undo_file = optarg;
		return -1;
	case 'n':
		o->dry_run = 1;
		return -1;
	default:
		return argument_common(o->command, table, c, &o->common);
	}
}

int resume_options_read(struct resume_options *o, int argc, char **argv,
			const struct option_table *table)
{
	int c, status = argument_common_init(&o->common, argc);

	argv[0] = "e2bfo";
	while (status < 0 && (c = option_next(argc, argv, table)) != -1)
		status = read_option(o, c, table);
	if (status >= 0)
		return status;
	if (argc - optind != 1 || !*argv[optind])
		return argument_complain(o->command, "%s takes a TARGET", o->command);
	status = argument_check(o->command, &o->common);
	if (status >= 0)
		return status;
	o->target = argv[optind];
	return argument_partition(o->command, "TARGET", &o->common, &o->target);
}

void resume_options_free(struct resume_options *o)
{
	argument_common_free(&o->common);
}

void interrupted_when(int64_t begun, char *out, size_t size)
{
	time_t when = begun;
	const char *text = ctime(&when);

	snprintf(out, size, "%.24s", text ? text : "?");
}

int interrupted_tell(const struct resume_options *o, const struct bfo_interrupted *in, int status,
		     errcode_t err, const char *done)
{
	struct json j;

	if (err)
		com_err("e2bfo", err, "while %s", in->ctx->what);
	if (!o->common.json) {
		if (!err && (!o->common.quiet || status))
			message_printf("%s: %s.\n", o->target, done);
		return status;
	}
	result_begin(&j, "e2bfo", o->command);
	json_string(&j, "target", o->target);
	result_status(&j, status, err, in->ctx->what);
	json_bool(&j, "complete", in->state == BFO_LEFT_WHOLE);
	json_bool(&j, "resumable", in->record.ino && err);
	result_end(&j);
	return status;
}
