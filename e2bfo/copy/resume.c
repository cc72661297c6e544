// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resume.c - e2bfo resume
 *
 *   TARGET ── replay its journal ── record ── its command line ── plan again ── the same? go on
 *          `─ -n: as its journal leaves it ─┘                        or tell (resume_tell.c)
 *
 * What the record says is the copy's own command line, so resuming is copying once more, with a
 * target on which, in memory, the record is not there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/clock.h"
#include "base/text.h"
#include "cli/process.h"
#include "commit/look.h"
#include "volume/gate.h"
#include "volume/open.h"
#include "copy.h"
#include "e2bfo/e2bfo.h"
#include "interrupted.h"
#include "resume_tell.h"

static const struct option options[] = {
	{ "source", required_argument, NULL, 's' },
	{ "dry-run", no_argument, NULL, 'n' },
	ARGUMENT_MEMORY_LONG,
	ARGUMENT_BWLIMIT_LONG,
	ARGUMENT_LONG,
	{ 0 }
};

static const char help[] =
"Usage: e2bfo resume [OPTIONS] TARGET\n"
"\n"
"Goes on with a copy into TARGET that was interrupted, where it had come to. TARGET must not\n"
"have been mounted or checked meanwhile, and the source must not have changed. What 'e2bfo copy\n"
"--size' was making of an image file is found by the file's name, or by TARGET.XXXXXX, which it\n"
"has as long as it is not complete.\n"
"\n"
"  -n, --dry-run        tell what is there, and whether resume can go on; write nothing\n"
"  --source SOURCE      where the source is now (default: where it was, or by its UUID)\n"
"  --partition N        TARGET is a disk: its partition N (TARGET?partition=N)\n"
"  --memory SIZE        batch buffer (default a quarter of RAM, at most 1G)\n"
ARGUMENT_BWLIMIT_HELP
"                       (default: as the copy had it)\n"
"  -z FILE              undo file for e2undo(8), of what was live on TARGET\n"
PROGRESS_HELP
"  --json               a report for scripts on standard output\n"
"  -q, --quiet          -v, --verbose          -V, --version          --help\n"
"\n"
"Exit status: as e2bfo copy; 0 also if the copy had come to its end. With -n: 0 if resume would\n"
"go on, 8 if not.\n"
"\n"
"Example:\n"
"  e2bfo resume /dev/sdc1\n";

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

/* An image file that was being made gets its name at the end, as it would have. */
static errcode_t take_image(struct interrupted *r, struct copy *c)
{
	const struct unfinished *u = &r->image;

	if (!u->made)
		return 0;
	c->made = strdup(u->made);
	c->path = strdup(u->name);
	if (!c->made || !c->path)
		return bfo_fail(&c->ctx, ENOMEM, "resuming %s", u->made);
	c->opt.target = c->path;
	if (!u->replaces && !access(u->name, F_OK))
		return bfo_fail(&c->ctx, EEXIST, "looking for the name that %s is to get, %s: give "
				"one of them another name", u->made, u->name);
	return 0;
}

/* The options of the copy, as they were; but for where things are now. */
static errcode_t take_options(struct interrupted *r, struct copy *c)
{
	struct copy_options *opt = &c->opt;
	errcode_t failed = chdir(r->said.words[0]) ? errno : 0;

	*opt = r->said.opt;
	r->said.opt = (struct copy_options) { .source = NULL };
	if (failed && needs_directory(opt))
		return bfo_fail(&c->ctx, failed, "going to %s, where the copy was begun",
				r->said.words[0]);
	opt->target = r->target_path;
	opt->mkfs = opt->same_uuid = opt->not_atomic = 0;
	opt->dry_run = r->dry_run;
	opt->size = 0;
	opt->undo_file = r->undo_file;
	opt->common.memory = r->common.memory;
	opt->common.json = r->common.json;
	opt->common.quiet = r->common.quiet;
	opt->common.verbose = r->common.verbose;
	if (r->common.has_bwlimit)
		opt->common.bwlimit = r->common.bwlimit;
	argument_pace(&opt->common, &c->ctx);
	c->job.config.now = r->record.now;
	c->job.config.record = &r->record;
	c->fate = c->job.stats.fate = BFO_FATE_RECORDED;
	return take_image(r, c);
}

/* True if what the options call the source has its UUID. */
static int is_source(struct interrupted *r, struct copy *c)
{
	struct bfo_context ctx = { 0 };
	struct bfo_volume *vol;
	int same;

	if (medium_open(&c->opt.medium, &ctx, c->opt.source, &c->opt.common.journal, &vol))
		return 0;
	same = !memcmp(vol->fs->super->s_uuid, r->record.source_uuid,
		       sizeof(r->record.source_uuid));
	bfo_volume_close(vol);
	return same;
}

/* ERR: it was not where it was, nor is its UUID anywhere. */
static errcode_t ask_source(const struct interrupted *r, struct bfo_context *ctx, errcode_t err)
{
	return bfo_fail_add(ctx, err, "; the source of the copy is needed: --source says where it is "
			    "now%s%s", r->old_source ? ", it was " : "",
			    r->old_source ? r->old_source : "");
}

/* --source; or where it was; or wherever its UUID is, if the target has another one. */
static errcode_t find_source(struct interrupted *r, struct copy *c)
{
	const uint8_t *u = r->record.source_uuid;
	char uuid[BFO_UUID_TEXT_BYTES];
	errcode_t err;

	if (r->source_path) {
		c->opt.source = r->source_path;
	} else if (memcmp(u, c->job.target->fs->super->s_uuid, sizeof(r->record.source_uuid)) &&
		   !is_source(r, c)) {
		r->old_source = c->opt.source;
		if (asprintf(&r->source_path, "UUID=%s", bfo_text_uuid(u, uuid)) < 0)
			return bfo_fail(&c->ctx, ENOMEM, "looking for the source");
		c->opt.source = r->source_path;
	}
	err = copy_open_source(c);
	if (err && !r->source)
		return ask_source(r, &c->ctx, err);
	return err ? err : bfo_record_is_of(&c->ctx, &r->record, c->job.source);
}

/* In memory the target is what it was when the copy was planned. */
static errcode_t hide_record(struct interrupted *r, struct copy *c)
{
	struct bfo_meta m;
	errcode_t err = bfo_meta_open(&m, &c->ctx, c->job.target);

	if (!err)
		bfo_record_mark(&r->record, &m, -1);
	bfo_meta_close(&m);
	return err ? err : bfo_volume_distinct(&c->ctx, c->job.source, c->job.target);
}

/* What was to be copied, by the same plan, on the target that is open. */
static errcode_t go_on(struct interrupted *r, struct copy *c)
{
	errcode_t err = recorded_read(&c->ctx, &r->record, &r->said);

	if (!err)
		err = bfo_record_is_on(&c->ctx, &r->record, c->job.target);
	if (!err)
		err = take_options(r, c);
	if (!err)
		err = find_source(r, c);
	if (!err)
		err = hide_record(r, c);
	return err ? err : copy_run(c);
}

/* No record: because the copy had come to its end, and at most a name is missing? */
static int end_whole(struct interrupted *r, struct copy *c, errcode_t err)
{
	struct unfinished *u = &r->image;
	int64_t begun;
	int is_whole = 0;

	if (c->job.target && bfo_commit_was_done(&c->ctx, c->job.target, &is_whole, &begun))
		is_whole = 0;
	if (!is_whole)
		return resume_tell_none(r, err, c->ctx.what);
	err = bfo_commit_tidy(&c->ctx, c->job.target);
	if (!err && u->made)
		err = mkfs_publish(&c->ctx, u->made, u->name, u->replaces);
	return resume_tell_whole(r, err, c->ctx.what, begun);
}

static int resume_copy(struct interrupted *r, struct copy *c)
{
	errcode_t err;

	c->opt = (struct copy_options) { .source = "?", .target = r->target };
	c->opt.common.json = r->common.json;
	err = interrupted_find(r, &c->ctx);
	if (!err)
		err = interrupted_open(r, &c->ctx, &c->job.target);
	if (err == BFO_ET_NO_RECORD)
		return end_whole(r, c, err);
	if (!err)
		err = go_on(r, c);
	return copy_finish(c, err);
}

/* ---- --dry-run ---- */

/* The target is open as a source; what it would be refused for as a target comes last. */
static errcode_t try_to_go_on(struct interrupted *r, struct copy *c)
{
	errcode_t err = go_on(r, c);

	return err ? err : bfo_gate_healthy(&c->ctx, c->job.target, BFO_OPEN_RECORDED);
}

static int look_at_copy(struct interrupted *r, struct copy *c)
{
	struct bfo_left left = { .vol = NULL };
	errcode_t err = interrupted_find(r, &c->ctx);

	if (!err)
		err = bfo_left_look(&c->ctx, r->target_path, &left);
	c->job.target = left.vol;
	r->record = left.record;
	if (left.state == BFO_LEFT_WHOLE)
		return resume_tell_whole(r, 0, NULL, left.begun);
	if (left.state == BFO_LEFT_NOTHING)
		return resume_tell_none(r, err, c->ctx.what);
	err = try_to_go_on(r, c);
	progress_wipe(&c->bar);
	rescue_explain(c, err);
	return resume_tell_record(r, c, err);
}

int resume_main(int argc, char **argv)
{
	struct interrupted r = { .command = "resume" };
	struct copy c = { .command = "resume", .begun = bfo_clock() };
	int status = interrupted_read(&r, argc, argv, options, help);

	if (status < 0) {
		c.ctx.cancel = &cancel_requested;
		process_catch_signals();
		progress_attach(&c.bar, &c.ctx, &r.common.progress, r.common.quiet);
		status = r.dry_run ? look_at_copy(&r, &c) : resume_copy(&r, &c);
	}
	copy_release(&c);
	interrupted_free(&r);
	return status;
}
