// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copies.c - e2bfo_copy(), e2bfo_resume(), e2bfo_abort()
 *
 * What is found while the copy is planned is told before anything is written: so the caller can
 * still have none of it.
 */
#include <errno.h>
#include <string.h>

#include "api/handle.h"
#include "api/take_copy.h"
#include "base/bfo_err.h"
#include "base/memory.h"
#include "job/copy.h"
#include "job/interrupted.h"
#include "volume/gate.h"

_Static_assert(sizeof(((struct e2bfo_copy_report *) 0)->token) == BFO_STREAM_TOKEN_TEXT, "token");

struct running {
	e2bfo *c;
	struct bfo_copy job;
	size_t told;			/* findings of its tree */
	uint64_t findings;		/* others */
};

/* ---- what is told ---- */

static errcode_t tell_simply(struct running *r, const char *kind, const char *text,
			     const char *done, const char *path, size_t len, uint64_t count)
{
	struct e2bfo_finding f = { .size = sizeof(f), .is_loss = 1, .kind = kind, .text = text,
				   .done = done, .path = path, .path_len = len, .count = count };

	r->findings++;
	return bfo_api_tell(r->c, &f);
}

static errcode_t tell_clash(struct running *r, const char *text, const char *path, size_t len)
{
	return tell_simply(r, "clash", text, "nothing was copied", path, len, 1);
}

/* Names that are in the way, each. */
static errcode_t tell_clashes(struct running *r)
{
	const struct bfo_plan *plan = &r->job.job.plan;
	const struct bfo_extract_clash *clashes = NULL;
	char path[BFO_API_PATH_BYTES];
	errcode_t err = 0;
	size_t i, n = 0;

	if (bfo_copy_exports(&r->job)) {
		if (r->job.goal.kind == BFO_END_DIRECTORY && r->job.outlet)
			clashes = bfo_extract_clashes(r->job.outlet, &n);
		for (i = 0; i < n && clashes && !err; i++)
			err = tell_clash(r, clashes[i].text, clashes[i].path,
					 strlen(clashes[i].path));
		return err;
	}
	for (i = 0; i < plan->clashes.n && !err; i++) {
		const struct bfo_clash *clash = &plan->clashes.v[i];
		const struct bfo_name *name = &plan->tree->names.v[clash->name];

		err = tell_clash(r, bfo_clash_texts[clash->kind].text, path,
				 bfo_plan_target_path(plan, name, path, sizeof(path)));
	}
	return err;
}

/* What a directory or an archive could not be given. */
static errcode_t tell_notes(struct running *r)
{
	const struct bfo_tar_notes *tar = &r->job.tar;
	const struct bfo_extract_note *notes = NULL;
	errcode_t err = 0;
	size_t i, n = 0;

	if (r->job.goal.kind == BFO_END_DIRECTORY && r->job.outlet)
		notes = bfo_extract_notes(r->job.outlet, &n);
	for (i = 0; i < n && !err; i++)
		if (!notes[i].is_common && !notes[i].is_asked)
			err = tell_simply(r, notes[i].word, notes[i].text, NULL, notes[i].first,
					  strlen(notes[i].first), notes[i].count);
	if (!err && tar->attributes)
		err = tell_simply(r, "attributes", "attributes that no archive can hold",
				  "not copied", tar->first ? tar->first : "",
				  tar->first ? strlen(tar->first) : 0, tar->attributes);
	if (!err && tar->sockets)
		err = tell_simply(r, "sockets", "sockets, which a portable archive cannot hold",
				  "not copied", "", 0, tar->sockets);
	return err;
}

static errcode_t tell_tree(struct running *r)
{
	return bfo_job_has_plan(&r->job.job) ? bfo_api_tell_tree(r->c, &r->job.job.tree, &r->told)
					     : 0;
}

/* What is left to tell changes nothing any more, whatever the caller says to it. */
static void tell_rest(struct running *r, errcode_t err)
{
	struct bfo_what what = bfo_what_keep(&r->c->ctx);

	if (err == BFO_ET_CANCELLED)
		return;
	if (!tell_tree(r) && !tell_notes(r) && err == BFO_ET_CLASH)
		tell_clashes(r);
	bfo_what_restore(&r->c->ctx, &what);
}

/* ---- a copy that is open ---- */

static void take_amounts(const struct running *r, struct e2bfo_copy_report *report)
{
	const struct bfo_plan *plan = &r->job.job.plan;

	report->findings = r->findings + r->told;
	report->skipped = plan->skipped;
	report->replaced = r->job.outlet && r->job.goal.kind == BFO_END_DIRECTORY ?
			   bfo_extract_counts(r->job.outlet, r->job.opt.dry_run).replaced :
			   plan->replaced;
	report->smallest = r->job.smallest;
	if (r->job.job.phase != BFO_JOB_PLACED)
		return;
	report->files = plan->files - (plan->itrees && !plan->itrees->ino);
	report->dirs = plan->dirs;
	report->bytes = (plan->data_blocks + plan->kept_blocks) * plan->target->block_size;
}

static struct e2bfo_copy_report report_of(const struct running *r, errcode_t err)
{
	struct bfo_copy_result result = bfo_copy_result(&r->job, err);
	enum bfo_fate fate = result.kept ? result.kept_fate : result.fate;
	struct e2bfo_copy_report report = { .is_complete = !!result.written };

	report.is_resumable = err && fate == BFO_FATE_RECORDED;
	if (err) {
		report.state = bfo_fate_word(result.fate);
		report.state_text = bfo_fate_text(result.fate, result.formatted);
	}
	if (!err || !bfo_copy_token(&r->job, report.token))
		*report.token = 0;
	if (result.plan)
		take_amounts(r, &report);
	return report;
}

static errcode_t run(struct running *r)
{
	errcode_t err = bfo_copy_plan(&r->job);

	if (!err)
		err = tell_tree(r);
	if (!err && !r->job.opt.dry_run)
		err = bfo_copy_commit(&r->job);
	bfo_copy_explain(&r->job, err);
	if (!err && r->job.untold) {
		err = r->job.untold;
		bfo_what_restore(&r->c->ctx, &r->job.untold_what);
		bfo_fail_add(&r->c->ctx, err, "; the copy is complete");
	}
	return err;
}

static e2bfo_err finish(struct running *r, errcode_t err, struct e2bfo_copy_report *report)
{
	struct e2bfo_copy_report filled;

	tell_rest(r, err);
	filled = report_of(r, err);
	bfo_api_give(report, &filled, sizeof(filled));
	bfo_copy_close(&r->job);
	return bfo_api_end(r->c, err);
}

/* ---- calls ---- */

e2bfo_err e2bfo_copy(e2bfo *c, const struct e2bfo_end *from, const struct e2bfo_end *to,
		     const struct e2bfo_copy_options *opt, struct e2bfo_copy_report *report)
{
	struct running r = { .c = c };
	struct bfo_api_copy a;
	errcode_t err;

	bfo_api_begin(c);
	err = bfo_api_take_copy(c, &a, from, to, opt);
	if (!err)
		err = bfo_copy_open(&r.job, &c->ctx, &a.job);
	if (!err)
		err = run(&r);
	err = finish(&r, err, report);
	bfo_api_free_copy(&a);
	return err;
}

/* The target is open as a source: would it do as a target? */
static errcode_t look(struct running *r, struct bfo_interrupted *in,
		      const struct bfo_resume_options *how, const char *target)
{
	errcode_t err = bfo_interrupted_look(in, &r->c->ctx, target);

	if (err || in->state == BFO_LEFT_WHOLE)
		return err;
	if (in->state != BFO_LEFT_RECORD)
		return bfo_fail(&r->c->ctx, BFO_ET_NO_RECORD, "looking at %s", target);
	err = bfo_interrupted_resume(in, how, &r->job);
	if (!err)
		err = run(r);
	return err ? err : bfo_gate_healthy(&r->c->ctx, r->job.job.target, BFO_OPEN_RECORDED);
}

static errcode_t resume(struct running *r, struct bfo_interrupted *in,
			const struct bfo_resume_options *how, const char *target)
{
	errcode_t err = bfo_interrupted_open(in, &r->c->ctx, target);

	if (in->state == BFO_LEFT_WHOLE) {
		r->job.written = 1;
		bfo_what_clear(&r->c->ctx);
		return bfo_interrupted_finish(in);
	}
	if (!err)
		err = bfo_interrupted_resume(in, how, &r->job);
	return err ? err : run(r);
}

e2bfo_err e2bfo_resume(e2bfo *c, const char *target, const struct e2bfo_resume_options *opt,
		       struct e2bfo_copy_report *report)
{
	struct running r = { .c = c };
	struct bfo_interrupted in = { .target = NULL };
	struct e2bfo_resume_options known;
	struct bfo_resume_options how = { .source = NULL };
	errcode_t err;

	bfo_api_begin(c);
	err = bfo_api_take(c, &known, sizeof(known), opt, "the options of resuming");
	if (!err)
		err = bfo_api_check_flags(c, known.flags, E2BFO_COPY_DRY_RUN,
					  "the options of resuming");
	how.source = known.source;
	how.in = known.in;
	how.undo_file = known.undo_file;
	how.memory = known.memory ? known.memory : bfo_default_memory();
	how.dry_run = !!(known.flags & E2BFO_COPY_DRY_RUN);
	if (!err)
		err = how.dry_run ? look(&r, &in, &how, target) : resume(&r, &in, &how, target);
	err = finish(&r, err, report);
	bfo_interrupted_close(&in);
	return err;
}

static errcode_t give_up(e2bfo *c, const char *target, const char *undo_file)
{
	struct bfo_interrupted in;
	errcode_t err = bfo_interrupted_open(&in, &c->ctx, target);

	if (!err)
		err = bfo_interrupted_abort(&in, undo_file);
	bfo_interrupted_close(&in);
	return err;
}

e2bfo_err e2bfo_abort(e2bfo *c, const char *target, const char *undo_file)
{
	struct bfo_extract_left left;
	struct bfo_end end;
	errcode_t err;

	bfo_api_begin(c);
	err = bfo_end_tell_target(&c->ctx, target, &end);
	if (!err && end.kind == BFO_END_DIRECTORY)
		err = bfo_extract_abort(&c->ctx, end.path, &left);
	else if (!err)
		err = give_up(c, target, undo_file);
	bfo_end_free(&end);
	return bfo_api_end(c, err);
}
