// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copy.c - a copy, step by step
 *
 *   source ── inode scan ── name scan ──┐
 *                                      plan ── commit
 *   target, or a scratch file ── free ──┘
 *
 * With mkfs the plan is made on a sparse scratch file that is formatted as the target is going
 * to be; the target is formatted only when the plan fits, and the plan is moved over to it.
 *
 * A target that is no volume has steps of its own (export.c).
 *
 * Where the source comes once, it arrives in the target (commit/arrive.h), and the plan comes
 * afterwards.  With mkfs that is formatted before.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "intake/stream_tree.h"
#include "job/copy.h"
#include "job/owners.h"
#include "job/reproducible.h"

/* ---- planning ---- */

errcode_t bfo_copy_choose_way(struct bfo_copy *c)
{
	return bfo_job_choose_way(&c->job, "copy in smaller parts, make the journal larger "
				  "(tune2fs -J), or say --not-atomic, or -z FILE "
				  "(e2bfo-resume(8))");
}

static errcode_t plan_target(struct bfo_copy *c)
{
	errcode_t err = bfo_job_decide(&c->job, c->job.target);

	if (!err)
		err = bfo_job_place(&c->job, c->job.target);
	if (err == BFO_ET_NO_SPACE && !c->job.config.record && !bfo_copy_arrives(c))
		return bfo_sizing_tell_smallest(c, err);
	if (err || c->job.config.record)
		return err;
	err = bfo_copy_choose_way(c);
	if (!err && c->opt.dry_run)
		err = bfo_sizing_note_smallest(c, c->job.target);
	return err;
}

/* A plan that is made again has to be the same. */
static errcode_t compare_plans(struct bfo_copy *c)
{
	if (!c->job.config.record)
		return 0;
	c->job.is_atomic = 1;
	return bfo_record_compare(c->job.config.record, &c->job.plan);
}

/* What the target is called and dated by follows from what is copied. */
static errcode_t identify(struct bfo_copy *c)
{
	struct bfo_identity id;
	errcode_t err = bfo_identity_of(c->job.from, &c->job.plan, c->opt.seed, &id);

	if (err)
		return err;
	if (!c->opt.has_epoch)
		c->opt.now = c->job.config.now = c->job.plan.now = id.newest;
	if (c->opt.mkfs)
		bfo_mkfs_identify(&c->mkfs, id.uuid, c->opt.now);
	return 0;
}

/* For the job: the plan's order is settled. */
static errcode_t choose_order(void *priv, struct bfo_job *job)
{
	struct bfo_copy *c = priv;
	errcode_t err = bfo_order_choose(c);

	return err || !c->opt.is_reproducible || job->config.record ? err : identify(c);
}

/* What is formatted from now on does not depend on machine and time. */
static errcode_t pin(struct bfo_copy *c)
{
	uint8_t seed[BFO_UUID_BYTES];

	if (!c->opt.is_reproducible || !c->opt.mkfs)
		return 0;
	bfo_identity_of_seed(c->opt.seed, seed);
	return bfo_mkfs_pin(&c->mkfs, seed);
}

void bfo_copy_configure(struct bfo_copy *c)
{
	struct bfo_job_config *config = &c->job.config;
	const struct bfo_copy_options *opt = &c->opt;

	config->target = opt->target;
	config->from = opt->from;
	config->n_from = opt->n_from;
	config->to = opt->to;
	config->filter = &c->lists.filter;
	config->now = opt->now;
	config->memory = opt->memory;
	config->direct = opt->direct;
	config->losses = opt->losses;
	config->dir_fill = opt->dir_fill;
	config->keep_inodes = opt->keep_inodes;
	config->is_fresh = opt->mkfs || opt->was_formatted;
	config->keep_root = !opt->mkfs && !opt->was_formatted && !c->job.source;
	config->over = opt->over;
	config->no_devices = opt->no_devices && !bfo_copy_exports(c);
	config->make_indexes = opt->itree;
	config->not_atomic = opt->not_atomic;
	config->verify = opt->verify;
	config->undo_file = opt->undo_file;
	config->text = c->text.v;
	config->text_bytes = c->text.n;
	config->order = choose_order;
	config->priv = c;
}

/*
 * Data first, into the target as it is, or as it was formatted for that: with as many inodes as the
 * ratio of inodes to bytes has it, since nobody has counted files.
 */
static errcode_t plan_arrival(struct bfo_copy *c)
{
	errcode_t err;

	c->mkfs.generous = 1;
	err = c->opt.mkfs ? bfo_format_target(c) : 0;
	c->writing |= !err;
	if (!err)
		err = bfo_job_arrive(&c->job);
	if (!err)
		err = plan_target(c);
	if (err == BFO_ET_NO_INODES && c->opt.mkfs)
		bfo_fail_add(c->ctx, err, "; --inodes says how many are made");
	else if (err == BFO_ET_NO_SPACE && c->opt.size)
		bfo_fail_add(c->ctx, err, "; a larger --size, or --spool --size min");
	if (!err)
		err = bfo_boot_look(c);
	if (err)
		bfo_format_withdraw(c);
	return err;
}

int bfo_copy_comes_once(const struct bfo_copy *c)
{
	return bfo_stream_is_pipe(c->end.source) || !strcmp(c->end.path, "-");
}

/* What TOKEN is of fits what is on the target: nothing, or the beginning of just that. */
static errcode_t check_stream(struct bfo_copy *c, const struct bfo_stream_token *token)
{
	const uint32_t first = bfo_stream_preamble(c->end.source)->first;
	struct bfo_stream_token before;

	if (!c->job.config.record)
		return !first || !bfo_copy_comes_once(c) ? 0 :
		       bfo_fail(c->ctx, BFO_ET_CHANGED, "reading %s: it goes on with frame %u of a "
				"stream that broke, of which %s has nothing: send it from the "
				"beginning", c->end.source->name, first, c->opt.target);
	if (!c->opt.token && bfo_copy_comes_once(c))
		return bfo_fail(c->ctx, BFO_ET_CHANGED, "going on with the copy into %s: it is not "
				"one of a stream: 'e2bfo resume' goes on with it, 'e2bfo abort' "
				"gives it up", c->opt.target);
	return c->opt.token && bfo_stream_get_token(c->opt.token, &before) &&
	       memcmp(before.tree, token->tree, sizeof(token->tree)) ?
	       bfo_fail(c->ctx, BFO_ET_CHANGED, "going on with the copy into %s: another stream "
			"has come: 'e2bfo abort' gives up the copy", c->opt.target) : 0;
}

/*
 * A stream out of a pipe goes on where it came to, if its sender can send it once more: the record
 * has its digest then.  Else there is no record.
 */
static errcode_t note_stream(struct bfo_copy *c)
{
	struct bfo_stream_token token = { .next = 0 };
	errcode_t err;

	if (!bfo_copy_is_stream(c))
		return 0;
	memcpy(token.tree, bfo_stream_digest(c->end.source), sizeof(token.tree));
	err = check_stream(c, &token);
	if (err)
		return err;
	c->job.config.is_quick = bfo_copy_comes_once(c) &&
				 !bfo_stream_facts(c->end.source)->can_resume;
	if (!bfo_copy_comes_once(c) || c->job.config.is_quick)
		return 0;
	bfo_stream_put_token(&token, c->token);
	c->opt.token = c->token;
	c->text.n = 0;
	err = bfo_options_save(&c->opt, &c->text);
	c->job.config.text = c->text.v;
	c->job.config.text_bytes = c->text.n;
	return err ? bfo_fail(c->ctx, err, "reading %s", c->opt.source) : 0;
}

int bfo_copy_token(const struct bfo_copy *c, char text[BFO_STREAM_TOKEN_TEXT])
{
	struct bfo_stream_token token;

	if (c->job.stats.fate != BFO_FATE_RECORDED || !c->opt.token ||
	    !bfo_stream_get_token(c->opt.token, &token) || !bfo_copy_is_stream(c))
		return 0;
	token.next = c->committing ? c->job.stats.mark :
		     c->job.config.record ? c->job.config.record->mark : 0;
	bfo_stream_put_token(&token, text);
	return 1;
}

errcode_t bfo_copy_plan(struct bfo_copy *c)
{
	errcode_t err;

	bfo_copy_configure(c);
	if (bfo_copy_exports(c))
		return bfo_export_plan(c);
	if (bfo_copy_arrives(c))
		return plan_arrival(c);
	c->amended.hole = bfo_copy_block_size(c);
	if (!c->amended.hole)
		c->amended.hole = EXT2_BLOCK_SIZE(&c->mkfs.like);
	err = bfo_job_gather(&c->job);
	if (!err)
		err = note_stream(c);
	if (!err && c->job.config.record && !c->job.source)
		err = bfo_record_is_of(c->ctx, c->job.config.record, c->job.from);
	if (!err)
		err = pin(c);
	if (!err)
		err = c->opt.mkfs ? bfo_sizing_plan(c) : plan_target(c);
	if (!err)
		err = compare_plans(c);
	if (!err)
		err = bfo_boot_look(c);
	if (err || !c->opt.dry_run)
		return err;
	if (!c->job.config.record)
		bfo_rescue_note_zeroes(c);		/* those that are known */
	return c->job.from->ops->settle(c->job.from);
}

errcode_t bfo_copy_order(struct bfo_copy *c, struct bfo_context *ctx,
			 const struct bfo_copy_options *opt)
{
	struct bfo_volume *scratch = NULL;
	errcode_t err;

	*c = (struct bfo_copy) { .ctx = ctx, .opt = *opt };
	c->opt.target = opt->source;
	c->opt.mkfs = c->opt.spool = 1;
	err = bfo_copy_open_source(c);
	if (!err)
		err = bfo_mkfs_init(&c->mkfs, ctx, bfo_copy_like(c), &c->opt);
	if (err)
		return err;
	bfo_copy_configure(c);
	err = bfo_job_gather(&c->job);
	if (!err)
		err = bfo_sizing_scratch(c, &scratch);
	if (!err)
		err = bfo_job_decide(&c->job, scratch);
	bfo_volume_close(scratch);
	return err ? err : c->job.from->ops->settle(c->job.from);
}

/* ---- writing ---- */

/* Seconds since 1970, of which 40 bits are kept. */
static int64_t time_of(uint32_t low, uint8_t high)
{
	return low | (int64_t) high << 32;
}

/* When the volume was made, and so on. */
static void set_times(const struct ext2_super_block *sb, struct bfo_manifest_about *about)
{
	about->made = time_of(sb->s_mkfs_time, sb->s_mkfs_time_hi);
	about->mounted = time_of(sb->s_mtime, sb->s_mtime_hi);
	about->written = time_of(sb->s_wtime, sb->s_wtime_hi);
	about->checked = time_of(sb->s_lastcheck, sb->s_lastcheck_hi);
}

errcode_t bfo_copy_write_manifests(struct bfo_copy *c)
{
	struct bfo_manifest_about about = { .source = c->opt.source,
					    .block_size = c->job.tree.block_size };

	if (!c->manifests.files.n)
		return 0;
	if (c->job.source)
		set_times(c->job.source->fs->super, &about);
	return bfo_manifests_write(&c->manifests, &c->items, &about);
}

/* What manifests need: inodes, and who takes the data. */
static errcode_t prepare_manifests(struct bfo_copy *c)
{
	errcode_t err;

	if (!c->manifests.files.n)
		return 0;
	err = bfo_items_open(&c->items, &c->job.plan, c->job.from);
	if (!err)
		err = bfo_items_complete(&c->items);
	if (!err)
		err = bfo_manifests_begin(&c->manifests, &c->job.plan, 0);
	c->job.config.sums = bfo_manifests_sums(&c->manifests);
	return err;
}

static errcode_t commit(struct bfo_copy *c)
{
	errcode_t err = prepare_manifests(c);

	if (err)
		return err;
	c->writing = c->committing = 1;
	if (c->job.config.record && !c->opt.verify)
		c->resumed = c->job.config.record->done * c->job.target->block_size;
	err = bfo_job_commit(&c->job);
	if (!c->made)
		c->fate = c->job.stats.fate;
	return err ? err : bfo_copy_write_manifests(c);
}

errcode_t bfo_copy_commit(struct bfo_copy *c)
{
	errcode_t err = c->opt.mkfs && !bfo_copy_arrives(c) ? bfo_format_target(c) : 0;

	if (!err)
		err = bfo_copy_exports(c) ? bfo_export_commit(c) : commit(c);
	if (!err)
		err = bfo_format_publish(c);
	if (!err)
		bfo_rescue_note_zeroes(c);
	c->written = !err;
	if (err)
		bfo_format_withdraw(c);
	return err;
}

/* ---- its end ---- */

struct bfo_copy_result bfo_copy_result(const struct bfo_copy *c, errcode_t err)
{
	struct bfo_copy_result r = { .fate = c->fate, .indexed = c->job.itrees.built,
				     .written = c->written };

	r.plan = bfo_job_has_plan(&c->job) ? &c->job.plan : NULL;
	r.placed = c->job.phase == BFO_JOB_PLACED;
	r.stats = c->committing ? &c->job.stats : NULL;
	r.formatted = c->formatted && !c->made;
	r.tell_fate = c->writing || err == BFO_ET_CANCELLED;
	r.named = c->job.config.record && c->written ? c->made : NULL;
	if (err && c->made && !c->withdrawn) {
		r.kept = c->made;
		r.kept_fate = c->job.stats.fate;
	}
	return r;
}

errcode_t bfo_copy_end_evidence(struct bfo_copy *c, struct bfo_context *ctx)
{
	return bfo_evidence_end(ctx, &c->evidence, c->job.source, &c->opt.journal);
}

void bfo_copy_close(struct bfo_copy *c)
{
	bfo_evidence_free(&c->evidence);
	bfo_order_free(&c->order);
	bfo_boot_free(&c->boot);
	bfo_export_close(c);
	bfo_manifests_close(&c->manifests);
	bfo_job_close(&c->job);
	bfo_end_free(&c->end);
	bfo_owners_free(&c->amend);
	bfo_format_release(c);
	bfo_medium_free(&c->opt.medium);
	free(c->path);
	free(c->path_options);
	bfo_vec_free(&c->text);
	bfo_lists_free(&c->lists);
}
