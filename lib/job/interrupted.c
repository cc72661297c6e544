// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * interrupted.c - a copy that was interrupted: finding it, going on, giving it up
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/temporary.h"
#include "base/text.h"
#include "commit/commit.h"
#include "commit/recover.h"
#include "job/interrupted.h"
#include "volume/gate.h"
#include "volume/open.h"
#include "device/spec.h"

/* ---- finding it ---- */

static errcode_t find(struct bfo_interrupted *in, struct bfo_context *ctx, const char *target)
{
	errcode_t err;

	*in = (struct bfo_interrupted) { .ctx = ctx, .target = bfo_spec_absolute(target) };
	if (!in->target)
		return bfo_fail(ctx, ENOMEM, "opening %s", target);
	err = bfo_unfinished_find(ctx, in->target, &in->image);
	if (err || !in->image.made)
		return err;
	free(in->target);
	if (asprintf(&in->target, "file:%s", in->image.made) < 0) {
		in->target = NULL;
		return bfo_fail(ctx, ENOMEM, "opening %s", in->image.made);
	}
	return 0;
}

/* Without a journal there is no record: e2fsck is all that is left. */
static errcode_t advise_unclean(struct bfo_context *ctx)
{
	return bfo_fail_add(ctx, BFO_ET_UNHEALTHY,
			    " (a copy to a filesystem without a journal, or one "
			    "with --not-atomic, cannot be resumed; e2fsck -fy gives it up)");
}

static errcode_t open_target(struct bfo_interrupted *in)
{
	const int how = BFO_OPEN_TARGET | BFO_OPEN_RECORDED;
	errcode_t err = bfo_volume_open(in->ctx, in->target, how, NULL, &in->volume);

	if (err == BFO_ET_RECOVERY) {
		err = bfo_target_recover(in->ctx, in->target);
		if (!err)
			err = bfo_volume_open(in->ctx, in->target, how, NULL, &in->volume);
	}
	return err == BFO_ET_UNHEALTHY ? advise_unclean(in->ctx) : err;
}

/* There is no record; ctx->what, which says why, stays as it is. */
static void look_for_end(struct bfo_interrupted *in)
{
	struct bfo_what what = bfo_what_keep(in->ctx);
	int whole = 0;

	if (!bfo_commit_was_done(in->ctx, in->volume, &whole, &in->begun) && whole)
		in->state = BFO_LEFT_WHOLE;
	bfo_what_restore(in->ctx, &what);
}

errcode_t bfo_interrupted_open(struct bfo_interrupted *in, struct bfo_context *ctx,
			       const char *target)
{
	errcode_t err = find(in, ctx, target);

	if (!err)
		err = open_target(in);
	if (!err)
		err = bfo_record_find(ctx, in->volume, &in->record);
	if (err == BFO_ET_NO_RECORD)
		look_for_end(in);
	if (err)
		return err;
	in->state = BFO_LEFT_RECORD;
	in->begun = in->record.now;
	return 0;
}

errcode_t bfo_interrupted_look(struct bfo_interrupted *in, struct bfo_context *ctx,
			       const char *target)
{
	struct bfo_left left = { .vol = NULL };
	errcode_t err = find(in, ctx, target);

	if (!err)
		err = bfo_left_look(ctx, in->target, &left);
	in->volume = left.vol;
	in->record = left.record;
	in->state = left.state;
	in->begun = left.begun;
	return err;
}

/* ---- going on ---- */

errcode_t bfo_interrupted_load(struct bfo_interrupted *in)
{
	const struct bfo_record *r = &in->record;
	errcode_t err;

	if (r->version != BFO_RECORD_VERSION)
		return bfo_fail(
			in->ctx, BFO_ET_RECORD_VERSION,
			"reading the record: it has version "
			"%u, and this e2bfo goes on with version %u; the e2bfo that has begun "
			"the copy can resume it, or 'e2bfo abort' gives it up",
			r->version, BFO_RECORD_VERSION);
	err = bfo_options_load(r->text.v, r->text.n, &in->saved);
	return err == EINVAL ? bfo_fail(in->ctx, BFO_ET_NO_RECORD, "reading what it says") :
	       err ? bfo_fail(in->ctx, err, "reading the record") : 0;
}

int bfo_interrupted_token(const struct bfo_interrupted *in, char text[BFO_STREAM_TOKEN_TEXT])
{
	struct bfo_stream_token token;

	if (!in->saved.opt.token || !bfo_stream_get_token(in->saved.opt.token, &token))
		return 0;
	token.next = in->record.mark;
	bfo_stream_put_token(&token, text);
	return 1;
}

/* An image file that was being made gets its name at the end, as it would have. */
static errcode_t take_image(struct bfo_interrupted *in, struct bfo_copy *c)
{
	const struct bfo_unfinished *u = &in->image;

	if (!u->made)
		return 0;
	c->made = strdup(u->made);
	c->path = strdup(u->name);
	if (!c->made || !c->path)
		return bfo_fail(c->ctx, ENOMEM, "resuming %s", u->made);
	c->opt.target = c->path;
	if (!u->replaces && !access(u->name, F_OK))
		return bfo_fail(c->ctx, EEXIST, "looking for the name that %s is to get, %s: give "
				"one of them another name", u->made, u->name);
	return 0;
}

/* The options of the copy, as they were; but for where things are now. */
static void take_options(struct bfo_interrupted *in, const struct bfo_resume_options *how,
			 struct bfo_copy *c)
{
	*c = (struct bfo_copy) { .ctx = in->ctx, .opt = in->saved.opt };
	c->opt.target = in->target;
	c->opt.medium.beside = in->volume;
	c->opt.in = how->in;
	c->opt.dry_run = how->dry_run;
	if (how->dry_run)		/* which tells of neither */
		c->opt.evidence = c->opt.hash_source = 0;
	c->opt.undo_file = how->undo_file;
	c->opt.memory = how->memory;
	c->opt.medium.how.keep_done = !!c->opt.write_mapfile;
	c->opt.now = in->record.now;
	if (how->has_bwlimit)
		c->opt.bwlimit = how->bwlimit;
	c->job.config.record = &in->record;
	c->fate = c->job.stats.fate = BFO_FATE_RECORDED;
}

/* True if what the options call the source has its UUID. */
static int is_source(struct bfo_interrupted *in, struct bfo_copy *c)
{
	const uint8_t *uuid = in->record.source_uuid;
	struct bfo_context ctx = { 0 };
	struct bfo_volume *vol;
	int same;

	if (bfo_medium_open(&c->opt.medium, &ctx, c->opt.source, &c->opt.journal, &vol))
		return 0;
	same = !memcmp(vol->fs->super->s_uuid, uuid, sizeof(in->record.source_uuid));
	bfo_volume_close(vol);
	return same;
}

/* ERR: it was not where it was, nor is its UUID anywhere. */
static errcode_t ask_source(const struct bfo_interrupted *in, errcode_t err)
{
	return bfo_fail_add(in->ctx, err,
			    "; the source of the copy is needed: --source says where it "
			    "is now%s%s",
			    in->old_source ? ", it was " : "",
			    in->old_source ? in->old_source : "");
}

/* What the caller says; or where it was; or wherever its UUID is, if the target has another one. */
static errcode_t find_source(struct bfo_interrupted *in, const struct bfo_resume_options *how,
			     struct bfo_copy *c)
{
	static const uint8_t none[16];		/* of what is no volume */
	const uint8_t *u = in->record.source_uuid;
	char uuid[BFO_UUID_TEXT_BYTES];
	errcode_t err;

	if (how->source) {
		c->opt.source = how->source;
	} else if (memcmp(u, none, sizeof(none)) &&
		   memcmp(u, c->job.target->fs->super->s_uuid, sizeof(in->record.source_uuid)) &&
		   !is_source(in, c)) {
		in->old_source = c->opt.source;
		if (asprintf(&in->found_source, "UUID=%s", bfo_text_uuid(u, uuid)) < 0)
			return bfo_fail(c->ctx, ENOMEM, "looking for the source");
		c->opt.source = in->found_source;
	}
	err = bfo_copy_open_source(c);
	if (err && !how->source && !c->job.source && !c->opt.token)
		return ask_source(in, err);
	return err || !c->job.source ? err : bfo_record_is_of(c->ctx, &in->record, c->job.from);
}

/* In memory the target is what it was when the copy was planned. */
static errcode_t hide_record(struct bfo_interrupted *in, struct bfo_copy *c)
{
	struct bfo_meta m;
	errcode_t err = bfo_meta_open(&m, c->ctx, c->job.target);

	if (!err)
		bfo_record_mark(&in->record, &m, -1);
	bfo_meta_close(&m);
	return err || !c->job.source ? err :
	       bfo_volume_distinct(c->ctx, c->job.source, c->job.target);
}

errcode_t bfo_interrupted_resume(struct bfo_interrupted *in, const struct bfo_resume_options *how,
				 struct bfo_copy *c)
{
	errcode_t err = bfo_interrupted_load(in);

	if (!err)
		err = bfo_record_is_on(in->ctx, &in->record, in->volume);
	if (err)
		return err;
	take_options(in, how, c);
	c->job.target = in->volume;
	in->volume = NULL;
	err = take_image(in, c);
	if (!err)
		err = find_source(in, how, c);
	return err ? err : hide_record(in, c);
}

/* ---- ending it ---- */

/* The target is open: nobody else works on the file. */
errcode_t bfo_interrupted_abort(struct bfo_interrupted *in, const char *undo_file)
{
	if (!in->image.made)
		return bfo_commit_abort(in->ctx, in->volume, &in->record, undo_file);
	return unlink(in->image.made) ? bfo_fail(in->ctx, errno, "removing %s", in->image.made) : 0;
}

errcode_t bfo_interrupted_finish(struct bfo_interrupted *in)
{
	const struct bfo_unfinished *u = &in->image;
	errcode_t err = bfo_commit_tidy(in->ctx, in->volume);

	return err || !u->made ? err
			       : bfo_temporary_publish(in->ctx, u->made, u->name, u->replaces);
}

void bfo_interrupted_close(struct bfo_interrupted *in)
{
	bfo_volume_close(in->volume);
	bfo_record_free(&in->record);
	bfo_unfinished_free(&in->image);
	bfo_saved_options_free(&in->saved);
	free(in->target);
	free(in->found_source);
	*in = (struct bfo_interrupted) { .target = NULL };
}
