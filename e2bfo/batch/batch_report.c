// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch_report.c - what came of a batch
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/bfo_err.h"
#include "cli/message.h"
#include "cli/result.h"
#include "cli/size.h"
#include "e2bfo/e2bfo.h"
#include "batch_report.h"

static const char *script_name(const struct batch_run *r)
{
	const char *name = r->opt->tar ? r->opt->tar : r->opt->script;

	return name && !(r->opt->tar && name[0] == '-' && !name[1]) ? name : "standard input";
}

static const char *unit(const struct batch_run *r)
{
	return r->opt->tar ? "member" : "line";
}

static void tell_error(const struct batch_run *r, errcode_t err)
{
	const char *what = *r->ctx.what ? r->ctx.what : "writing";

	if (r->is_broken)
		message("%s:%" PRIu64 ": %s while %s", script_name(r), r->lines.line,
			error_message(err), what);
	else
		com_err("e2bfo", err, "while %s", what);
}

/* What of the script is on the medium, although it failed. */
static void tell_durable(const struct batch_run *r)
{
	int partly;
	uint64_t line = batch_lines_durable(&r->lines, r->is_broken, &partly);

	if (line || partly)
		message("%s: done up to %s %" PRIu64 " of %s%s, and that stays; nothing after it",
			r->opt->job.volume, unit(r), line, script_name(r),
			partly ? ", and part of the next one" : "");
	else
		message("%s: nothing was changed", r->opt->job.volume);
}

static void print_json(const struct batch_run *r, errcode_t err, int status, const char *fate)
{
	struct json j;
	int partly;
	uint64_t line = batch_lines_durable(&r->lines, r->is_broken, &partly);

	result_begin(&j, "e2bfo", "batch");
	result_status(&j, status, err, *r->ctx.what ? r->ctx.what : "writing");
	json_string(&j, "target", r->opt->job.volume);
	json_string(&j, "target_state", fate);
	json_string(&j, "script", script_name(r));
	if (r->is_broken)
		json_number(&j, "failed_line", r->lines.line);
	json_number(&j, "durable_lines", line);
	json_bool(&j, "durable_partly", partly);
	json_number(&j, "operations", r->lines.n);
	json_number(&j, "durable_operations", r->lines.durable);
	json_number(&j, "commits", r->lines.commits);
	json_number(&j, "contents", r->put);
	json_number(&j, "bytes", r->bytes);
	json_number(&j, "left_out", r->left_out);
	result_end(&j);
}

static void print_text(const struct batch_run *r)
{
	char bytes[64];

	message_printf("%s: %" PRIu64 " operations, %" PRIu64 " contents (%s), %" PRIu64
		       " commit%s\n", r->opt->job.volume, r->lines.n, r->put,
		       size_text(r->bytes, bytes, sizeof(bytes)), r->lines.commits,
		       r->lines.commits == 1 ? "" : "s");
}

static int status_of(const struct batch_run *r, errcode_t err)
{
	if (err)
		return err == BFO_ET_CANCELLED ? EXIT_CANCELLED : EXIT_FAILED;
	return r->left_out ? EXIT_FINDINGS : EXIT_KEPT;
}

int batch_report(const struct batch_run *r, errcode_t err, const char *fate)
{
	int status = status_of(r, err);

	if (err) {
		tell_error(r, err);
		tell_durable(r);
	}
	if (r->left_out)
		message("extended attributes that ext4 cannot store: %" PRIu64 "; left out",
			r->left_out);
	if (r->opt->common.json)
		print_json(r, err, status, fate);
	else if (!err && !r->opt->common.quiet)
		print_text(r);
	return status;
}
