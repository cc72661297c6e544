// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch_report.c - what came of a batch
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bfo_err.h"
#include "cli/message.h"
#include "cli/result.h"
#include "cli/size.h"
#include "commit/fate.h"
#include "e2bfo/commands.h"
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
	if (err == BFO_ET_JOURNAL_SMALL)
		message("with --commit-every auto it goes in several commits");
}

/* True if FATE is one that has to be said: what the last commit left, if it failed. */
static int tell_fate(const struct batch_run *r, const char *fate)
{
	static const enum bfo_fate fates[] = {
		BFO_FATE_REPLAY, BFO_FATE_WAITING, BFO_FATE_UNCLEAN,
	};
	size_t i;

	for (i = 0; fate && i < sizeof(fates) / sizeof(*fates); i++)
		if (!strcmp(fate, bfo_fate_word(fates[i]))) {
			message("%s %s", r->opt->volume, bfo_fate_text(fates[i], 0));
			return fates[i] != BFO_FATE_REPLAY;
		}
	return 0;
}

/* What of the script is on the medium, although it failed. */
static void tell_durable(const struct batch_run *r, const char *fate)
{
	int partly;
	uint64_t line = batch_lines_durable(&r->lines, r->is_broken, &partly);

	if (tell_fate(r, fate))
		return;
	if (line || partly)
		message("%s: done up to %s %" PRIu64 " of %s%s, and that stays; nothing after it",
			r->opt->volume, unit(r), line, script_name(r),
			partly ? ", and part of the next one" : "");
	else
		message("%s: nothing was changed", r->opt->volume);
}

static void print_json(const struct batch_run *r, errcode_t err, int status, const char *fate)
{
	struct json j;
	int partly;
	uint64_t line = batch_lines_durable(&r->lines, r->is_broken, &partly);

	result_begin(&j, "e2bfo", "batch");
	result_status(&j, status, err, *r->ctx.what ? r->ctx.what : "writing");
	json_string(&j, "target", r->opt->volume);
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

	message_printf("%s: operations: %" PRIu64 ", contents: %" PRIu64 " (%s), commits: %" PRIu64
		       "\n", r->opt->volume, r->lines.n, r->put,
		       size_text(r->bytes, bytes, sizeof(bytes)), r->lines.commits);
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
		tell_durable(r, fate);
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
