// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * remote_report.c - what is told of a copy of which one end is on another machine
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bfo_err.h"
#include "cli/error_word.h"
#include "cli/message.h"
#include "cli/size.h"
#include "e2bfo/commands.h"
#include "remote_report.h"

/* Of sh(1), when there is no such command, or none that can be run. */
#define SH_NOT_RUN 126
#define SH_NOT_FOUND 127

/* ---- how it ended ---- */

int remote_is_consequence(const struct remote_told *t, errcode_t err)
{
	return t->options->sends ? err == EPIPE : err == BFO_ET_STREAM_CUT;
}

/* The report is that of the command that was run. */
static int has_report(const struct remote_told *t)
{
	return t->there->report.is_there &&
	       !strcmp(t->there->report.command, t->options->sends ? "receive" : "send");
}

/* It has lost the stream, though not us; or it does not say what else has failed. */
static int has_lost_stream(const struct remote_report *r)
{
	const errcode_t code = error_code_of(r->code);

	return r->is_resumable && *r->token && r->status == EXIT_FAILED &&
	       (!code || code == BFO_ET_STREAM_CUT || code == BFO_ET_STREAM_DAMAGED);
}

static enum remote_outcome judge_receiver(const struct remote_told *t)
{
	const struct remote_report *r = &t->there->report;

	if (has_lost_stream(r))
		return REMOTE_BROKEN;
	if (r->status != t->there->status)
		return REMOTE_BROKEN;
	return r->status <= EXIT_FINDINGS && (r->is_complete || t->options->dry_run)
		       ? REMOTE_DONE : REMOTE_FAILED;
}

enum remote_outcome remote_judge(const struct remote_told *t, errcode_t err)
{
	int status = t->there->status;

	if (err && !remote_is_consequence(t, err))
		return REMOTE_HERE;
	if (!err && !t->options->sends)
		return REMOTE_DONE;	/* all of it is here, and its digest */
	if (status == SH_NOT_FOUND || status == SH_NOT_RUN)
		return REMOTE_MISSING;
	if (has_report(t) && t->options->sends)
		return judge_receiver(t);
	if (has_report(t) && t->there->report.status >= EXIT_FAILED)
		return REMOTE_FAILED;
	return status == EXIT_USAGE ? REMOTE_REFUSED : REMOTE_BROKEN;
}

static errcode_t tell_broken(const struct remote_told *t, struct bfo_context *ctx, errcode_t err)
{
	const char *rsh = t->options->rsh.v.v[0];
	int status = t->there->status;
	const char *what = t->there->report.what;
	const char *how = status < 256 ? "status" : "signal";

	if (bfo_cancelled(ctx))
		return bfo_fail(ctx, BFO_ET_CANCELLED, "copying to %s", t->options->name);
	status -= status < 256 ? 0 : 256;
	if (!t->options->sends)
		return bfo_fail_add(ctx, err, "; %s ended with %s %d", rsh, how, status);
	if (has_report(t) && *what)
		return bfo_fail(ctx, ECONNRESET, "copying to %s: there, while %s", t->options->name,
				what);
	return bfo_fail(ctx, ECONNRESET, "copying to %s: no report came from there; %s ended with "
			"%s %d; 'e2bfo resume --dry-run' there says whether it can go on",
			t->options->name, rsh, how, status);
}

errcode_t remote_error(const struct remote_told *t, struct bfo_context *ctx, errcode_t err)
{
	const struct remote_report *r = &t->there->report;
	errcode_t code = error_code_of(r->code);

	switch (t->outcome) {
	case REMOTE_FAILED:
		return bfo_fail(ctx, code ? code : BFO_ET_COMMAND, "copying on %s: %s",
				t->options->spec.host, r->what);
	case REMOTE_REFUSED:
		return bfo_fail(ctx, BFO_ET_OPTION, "running e2bfo on %s: it takes other options; "
				"is it another version than this, " PACKAGE_VERSION "?",
				t->options->spec.host);
	case REMOTE_MISSING:
		return bfo_fail(ctx, BFO_ET_COMMAND, "running %s on %s: it is not there, or not in "
				"PATH; --remote-e2bfo says where it is",
				t->options->program.v.v[0], t->options->spec.host);
	case REMOTE_BROKEN:
		return tell_broken(t, ctx, err);
	default:
		return err;
	}
}

/* Whatever else it ends with, it has failed. */
static int status_there(const struct remote_told *t)
{
	int status = t->there->status;

	switch (t->outcome) {
	case REMOTE_DONE:
		return t->is_lost ? EXIT_FINDINGS : status;
	case REMOTE_FAILED:
		return status == EXIT_USAGE || status == EXIT_CANCELLED ? status : EXIT_FAILED;
	default:
		return 0;
	}
}

int remote_status(const struct remote_told *t, int status)
{
	int there = status_there(t);

	if (t->outcome == REMOTE_FAILED)
		return there;
	return status > there ? status : there;
}

/* ---- for people ---- */

int remote_has_said(const struct remote_told *t)
{
	return t->outcome == REMOTE_FAILED;
}

void remote_tell(const struct remote_told *t)
{
	if (t->is_lost)
		message("the connection to %s broke when all was done: what could not be kept "
			"there is not known", t->options->spec.host);
}

void remote_tell_version(const struct remote_told *t)
{
	const char *host = t->options->spec.host, *version = t->there->report.version;

	if (*version && strcmp(version, PACKAGE_VERSION))
		message("%s has e2bfo %s, and this is e2bfo " PACKAGE_VERSION, host, version);
}

void remote_print(const struct remote_told *t)
{
	const struct remote_report *r = &t->there->report;
	char text[32];

	if (!t->options->sends)
		return;
	if (r->skipped || r->replaced)
		message_printf("On %s: files copied: %llu, directories: %llu, replaced: %llu, "
			       "stay as they are: %llu.\n", t->options->spec.host,
			       (unsigned long long) r->files, (unsigned long long) r->dirs,
			       (unsigned long long) r->replaced, (unsigned long long) r->skipped);
	if (!t->options->dry_run || !r->block_size)
		return;
	printf("  blocks:       %llu of %llu free\n", (unsigned long long) r->blocks_needed,
	       (unsigned long long) r->blocks_free);
	printf("  inodes:       %llu of %llu free\n", (unsigned long long) r->inodes_needed,
	       (unsigned long long) r->inodes_free);
	if (r->smallest)
		printf("  smallest new target that fits: %llu bytes (%s)\n",
		       (unsigned long long) r->smallest,
		       size_text(r->smallest, text, sizeof(text)));
}

/* ---- for scripts ---- */

static void json_plan(struct json *j, const struct remote_report *r)
{
	if (!r->has_plan)
		return;
	json_open(j, "plan", '{');
	json_number(j, "files", r->files);
	json_number(j, "directories", r->dirs);
	json_number(j, "skipped", r->skipped);
	json_number(j, "replaced", r->replaced);
	if (!r->block_size) {
		json_close(j, '}');
		return;
	}
	json_number(j, "blocks_needed", r->blocks_needed);
	json_number(j, "blocks_free", r->blocks_free);
	json_number(j, "block_size", r->block_size);
	json_number(j, "inodes_needed", r->inodes_needed);
	json_number(j, "inodes_free", r->inodes_free);
	if (r->smallest)
		json_number(j, "smallest_target_bytes", r->smallest);
	json_close(j, '}');
}

/* What the other side could not keep, as it says. */
static void json_findings(struct json *j, const struct remote_report *r)
{
	struct remote_finding f;
	size_t at = 0;

	json_open(j, "not_kept", '[');
	while (remote_report_finding(r, &at, &f)) {
		json_open(j, NULL, '{');
		json_string(j, "kind", f.kind);
		json_bytes(j, "path", f.path, f.len);
		damage_json(j, &f.where);
		json_close(j, '}');
	}
	json_close(j, ']');
	if (r->is_cut)
		json_bool(j, "cut", 1);
}

static void json_text(struct json *j, const char *name, const char *text)
{
	json_string(j, name, *text ? text : NULL);
}

void remote_json(struct json *j, const struct remote_told *t)
{
	const struct remote_report *r = &t->there->report;

	json_open(j, "remote", '{');
	json_string(j, "host", t->options->spec.host);
	json_number(j, "attempts", t->attempts);
	json_bool(j, "answered", r->is_there);
	if (r->is_there) {
		json_text(j, "version", r->version);
		json_number(j, "status", r->status);
		json_text(j, "error", r->error);
		json_text(j, "code", r->code);
		json_text(j, "while", r->what);
		json_text(j, "target_state", r->state);
		json_bool(j, "complete", r->is_complete);
		json_text(j, "target_uuid", r->uuid);
		json_plan(j, r);
		json_findings(j, r);
	}
	json_close(j, '}');
}
