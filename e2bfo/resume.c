// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resume.c - e2bfo resume, e2bfo abort
 *
 *   TARGET ── replay its journal ── record ──┬── the command line it keeps ── plan again ── the same?
 *                                            │                                              go on
 *                                            └── abort: give back
 *
 * What the record says is the copy's own command line, so resuming is copying once more, with a
 * target on which, in memory, the record is not there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/clock.h"
#include "cli/json.h"
#include "cli/process.h"
#include "commit/recover.h"
#include "volume/open.h"
#include "volume/store.h"
#include "argument.h"
#include "copy.h"
#include "e2bfo.h"

struct resume {
	const char *command;
	const char *target;
	const char *source;		/* --source, or NULL */
	const char *undo_file;
	char *target_path;		/* absolute */
	char *source_path;
	const char *old_source;		/* where it was, if it is not there */
	struct argument_common common;
	struct bfo_record record;
	char **words;			/* of the record: directory, command line */
	int n_words;
};

static const struct option resume_options[] = {
	{ "source", required_argument, NULL, 's' },
	ARGUMENT_MEMORY_LONG,
	ARGUMENT_LONG,
	{ 0 }
};

static const struct option abort_options[] = {
	{ "partition", required_argument, NULL, ARGUMENT_PARTITION },
	{ "json", no_argument, NULL, ARGUMENT_JSON },
	{ "quiet", no_argument, NULL, 'q' },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 }
};

static const char resume_help[] =
"Usage: e2bfo resume [OPTIONS] TARGET\n"
"\n"
"Goes on with a copy into TARGET that was interrupted, where it had come to. TARGET must not\n"
"have been mounted or checked meanwhile, and the source must not have changed.\n"
"\n"
"  --source SOURCE      where the source is now (default: where it was, or by its UUID)\n"
"  --partition N        TARGET is a disk: its partition N (TARGET?partition=N)\n"
"  --memory SIZE        batch buffer (default a quarter of RAM, at most 1G)\n"
"  -z FILE              undo file for e2undo(8), of what was live on TARGET\n"
"  --progress auto|bar|none\n"
"  --json               a report for scripts on standard output\n"
"  -q, --quiet          -v, --verbose          -V, --version          --help\n"
"\n"
"Exit status: as e2bfo copy; 0 also if the copy had come to its end.\n"
"\n"
"Example:\n"
"  e2bfo resume /dev/sdc1\n";

static const char abort_help[] =
"Usage: e2bfo abort [OPTIONS] TARGET\n"
"\n"
"Gives up a copy into TARGET that was interrupted: TARGET becomes what it was before. (So does\n"
"mounting it, or e2fsck -p.)\n"
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

static int read_option(struct resume *r, int c, const char *help)
{
	switch (c) {
	case 's':
		r->source = optarg;
		return -1;
	case 'z':
		r->undo_file = optarg;
		return -1;
	default:
		return argument_common(r->command, help, c, &r->common);
	}
}

/* A path that stays what it is in another directory; TAG=VALUE does so anyway. */
static char *absolute(const char *spec)
{
	char *here, *path = NULL;

	if (*spec == '/' || bfo_store_is_tag(spec))
		return strdup(spec);
	here = getcwd(NULL, 0);
	if (!here || asprintf(&path, "%s/%s", here, spec) < 0)
		path = NULL;
	free(here);
	return path;
}

/* OPTIONS: those of the command. */
static int read_command(struct resume *r, int argc, char **argv, const struct option *options,
			const char *help)
{
	int c, status = argument_common_init(&r->common, argc);

	argv[0] = "e2bfo";
	while (status < 0 &&
	       (c = getopt_long(argc, argv, "z:" ARGUMENT_SHORT, options, NULL)) != -1)
		status = read_option(r, c, help);
	if (status >= 0)
		return status;
	if (argc - optind != 1 || !*argv[optind])
		return argument_complain(r->command, "%s takes a TARGET", r->command);
	r->target = argv[optind];
	c = argument_partition(r->command, "TARGET", &r->common, &r->target);
	if (c >= 0)
		return c;
	r->target_path = absolute(r->target);
	r->source_path = r->source ? absolute(r->source) : NULL;
	return r->target_path && (!r->source || r->source_path) ? -1 : EXIT_FAILED;
}

static void release(struct resume *r)
{
	bfo_record_free(&r->record);
	argument_common_free(&r->common);
	free(r->words);
	free(r->target_path);
	free(r->source_path);
}

/* Without a journal there is no record: e2fsck is all that is left. */
static errcode_t advise_unclean(struct bfo_context *ctx)
{
	char what[sizeof(ctx->what)];

	memcpy(what, ctx->what, sizeof(what));
	return bfo_fail(ctx, BFO_ET_UNHEALTHY, "%.300s (a copy to a filesystem without a journal, or "
			"one with --not-atomic, cannot be resumed; e2fsck -fy gives it up)", what);
}

/* Opens the target, whose journal is replayed first if it has to be, and looks for the record. */
static errcode_t open_target(struct resume *r, struct bfo_context *ctx, struct bfo_volume **target)
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

/* Nothing was copied here: how it ended, to people (DONE, if no error) or scripts. */
static int tell(const struct resume *r, int status, errcode_t err, const char *what, int whole,
		const char *done)
{
	struct json j = { .out = stdout };

	if (err)
		com_err("e2bfo", err, "while %s", what);
	if (!r->common.json) {
		if (!err && (!r->common.quiet || status))
			printf("%s: %s.\n", r->target, done);
		return status;
	}
	json_open(&j, NULL, '{');
	json_string(&j, "program", "e2bfo");
	json_string(&j, "version", PACKAGE_VERSION);
	json_string(&j, "command", r->command);
	json_string(&j, "target", r->target);
	json_number(&j, "status", status);
	json_string(&j, "error", err ? error_message(err) : NULL);
	json_string(&j, "while", err ? what : NULL);
	json_bool(&j, "complete", whole);
	json_close(&j, '}');
	putchar('\n');
	return status;
}

/* No record: because the copy had come to its end? */
static int tell_none(const struct resume *r, struct bfo_context *ctx, struct bfo_volume *target,
		     int status_done)
{
	char what[sizeof(ctx->what)], done[128];
	int64_t when;
	int whole = 0;
	time_t begun;

	memcpy(what, ctx->what, sizeof(what));
	if (bfo_commit_was_done(ctx, target, &whole, &when) || !whole)
		return tell(r, EXIT_FAILED, BFO_ET_NO_RECORD, what, 0, NULL);
	begun = when;
	snprintf(done, sizeof(done), "the copy of %.24s had come to its end: all of it is there",
		 ctime(&begun) ? ctime(&begun) : "?");
	return tell(r, status_done, 0, NULL, 1, done);
}

/* ---- abort ---- */

static int abort_copy(struct resume *r)
{
	struct bfo_volume *target = NULL;
	struct bfo_context ctx = { 0 };
	errcode_t err = open_target(r, &ctx, &target);
	int status;

	if (err == BFO_ET_NO_RECORD) {
		status = tell_none(r, &ctx, target, EXIT_FAILED);
	} else {
		if (!err)
			err = bfo_commit_abort(&ctx, target, &r->record, r->undo_file);
		status = tell(r, err ? EXIT_FAILED : EXIT_KEPT, err, ctx.what, 0,
			      "the copy is given up, nothing of it is left");
	}
	bfo_volume_close(target);
	return status;
}

int abort_main(int argc, char **argv)
{
	struct resume r = { .command = "abort" };
	int status = read_command(&r, argc, argv, abort_options, abort_help);

	if (status < 0)
		status = abort_copy(&r);
	release(&r);
	return status;
}

/* ---- resume ---- */

/* The strings of the record's text; there are at least a directory and "copy SOURCE TARGET". */
static errcode_t split_text(struct resume *r, struct bfo_context *ctx)
{
	char *at = r->record.text.v, *end = at + r->record.text.n;

	r->words = calloc(r->record.text.n + 2, sizeof(*r->words));
	if (!r->words)
		return bfo_fail(ctx, ENOMEM, "reading the record");
	for (; at < end; at += strlen(at) + 1)
		r->words[r->n_words++] = at;
	if (r->n_words < 4)
		return bfo_fail(ctx, BFO_ET_NO_RECORD, "reading what it says");
	return 0;
}

/* True if lists are read from where the copy was begun.  (The source may be somewhere else now.) */
static int needs_directory(const struct copy_options *opt)
{
	int yes = opt->files_from && *opt->files_from != '/' && strcmp(opt->files_from, "-");
	size_t i;

	yes |= opt->order.list && *opt->order.list != '/' && strcmp(opt->order.list, "-");
	yes |= opt->order.trace && *opt->order.trace != '/' && strcmp(opt->order.trace, "-");
	for (i = 0; i < opt->n_exclude; i++)
		yes |= opt->exclude[i].is_file && *opt->exclude[i].text != '/' &&
		       strcmp(opt->exclude[i].text, "-");
	return yes;
}

/* The options of the copy, as they were; but for where things are now. */
static errcode_t take_options(struct resume *r, struct copy *c)
{
	struct copy_options *opt = &c->opt;
	errcode_t err = split_text(r, &c->ctx), failed;

	if (err)
		return err;
	failed = chdir(r->words[0]) ? errno : 0;
	if (options_read(opt, r->n_words - 1, r->words + 1) >= 0)
		return bfo_fail(&c->ctx, BFO_ET_NO_RECORD, "reading what it says");
	if (failed && needs_directory(opt))
		return bfo_fail(&c->ctx, failed, "going to %s, where the copy was begun",
				r->words[0]);
	opt->target = r->target_path;
	opt->mkfs = opt->same_uuid = opt->dry_run = opt->not_atomic = 0;
	opt->size = 0;
	opt->undo_file = r->undo_file;
	opt->common.memory = r->common.memory;
	opt->common.json = r->common.json;
	opt->common.quiet = r->common.quiet;
	opt->common.verbose = r->common.verbose;
	c->now = r->record.now;
	c->record = &r->record;
	return 0;
}

/* True if what the options call the source has its UUID. */
static int is_source(struct resume *r, struct copy *c)
{
	struct bfo_context ctx = { 0 };
	struct bfo_volume *vol;
	int same;

	if (rescue_open_as(c, &ctx, c->opt.source, &vol))
		return 0;
	same = !memcmp(vol->fs->super->s_uuid, r->record.source_uuid,
		       sizeof(r->record.source_uuid));
	bfo_volume_close(vol);
	return same;
}

/* ERR: it was not where it was, nor is its UUID anywhere. */
static errcode_t ask_source(const struct resume *r, struct bfo_context *ctx, errcode_t err)
{
	char what[sizeof(ctx->what)];

	memcpy(what, ctx->what, sizeof(what));
	return bfo_fail(ctx, err, "%.300s; the source of the copy is needed: --source says where it "
			"is now%s%s", what, r->old_source ? ", it was " : "",
			r->old_source ? r->old_source : "");
}

/* --source; or where it was; or wherever its UUID is. */
static errcode_t find_source(struct resume *r, struct copy *c)
{
	const uint8_t *u = r->record.source_uuid;
	errcode_t err;

	if (r->source_path) {
		c->opt.source = r->source_path;
	} else if (!is_source(r, c)) {
		r->old_source = c->opt.source;
		if (asprintf(&r->source_path, "UUID=%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
			     "%02x%02x%02x%02x%02x%02x", u[0], u[1], u[2], u[3], u[4], u[5], u[6],
			     u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]) < 0)
			return bfo_fail(&c->ctx, ENOMEM, "looking for the source");
		c->opt.source = r->source_path;
	}
	err = copy_open_source(c);
	if (err && !r->source)
		return ask_source(r, &c->ctx, err);
	return err ? err : bfo_record_is_of(&c->ctx, &r->record, c->source);
}

/* In memory the target is what it was when the copy was planned. */
static errcode_t hide_record(struct resume *r, struct copy *c)
{
	struct bfo_meta m;
	errcode_t err = bfo_meta_open(&m, &c->ctx, c->target);

	if (!err)
		bfo_record_mark(&r->record, &m, -1);
	bfo_meta_close(&m);
	return err ? err : bfo_volume_distinct(&c->ctx, c->source, c->target);
}

static int resume_copy(struct resume *r, struct copy *c)
{
	errcode_t err;

	c->opt = (struct copy_options) { .source = "?", .target = r->target };
	c->opt.common.json = r->common.json;
	err = open_target(r, &c->ctx, &c->target);
	if (err == BFO_ET_NO_RECORD)
		return tell_none(r, &c->ctx, c->target, EXIT_KEPT);
	if (!err)
		err = bfo_record_is_on(&c->ctx, &r->record, c->target);
	if (!err)
		err = take_options(r, c);
	if (!err)
		err = find_source(r, c);
	if (!err)
		err = hide_record(r, c);
	if (!err)
		err = copy_run(c);
	return copy_finish(c, err);
}

int resume_main(int argc, char **argv)
{
	struct resume r = { .command = "resume" };
	struct copy c = { .command = "resume", .begun = bfo_clock() };
	int status = read_command(&r, argc, argv, resume_options, resume_help);

	if (status < 0) {
		c.ctx.cancel = &cancel_requested;
		process_catch_signals();
		progress_attach(&c.bar, &c.ctx, r.common.quiet ? PROGRESS_NONE :
				r.common.progress);
		status = resume_copy(&r, &c);
	}
	copy_release(&c);
	release(&r);
	return status;
}
