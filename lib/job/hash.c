// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hash.c - digests of all files of a source, without a copy
 *
 *   gather ── names ── order of the source's blocks ── data ── sums ── manifests, by names
 */
#include "base/bfo_err.h"
#include "export/emit.h"
#include "job/copy.h"
#include "job/outputs.h"
#include "plan/serial.h"

/* For the job: the order is settled.  Another one is better, as nobody wants names yet. */
static errcode_t choose_order(void *priv, struct bfo_job *job)
{
	struct bfo_copy *c = priv;
	errcode_t err = bfo_items_open(&c->items, &job->plan, job->from);

	return err ? err : bfo_plan_by_place(&job->plan);
}

static errcode_t plan(struct bfo_copy *c)
{
	errcode_t err = bfo_job_gather_picked(&c->job);

	c->job.config.order = choose_order;
	c->job.config.losses = UINT64_MAX;
	if (!err)
		err = bfo_job_decide(&c->job, NULL);
	if (!err)
		err = bfo_job_place(&c->job, NULL);
	return err ? err : bfo_items_complete(&c->items);
}

errcode_t bfo_copy_read_all(struct bfo_copy *c, struct bfo_context *ctx,
			    const struct bfo_copy_options *opt, unsigned int algorithms)
{
	errcode_t err;

	*c = (struct bfo_copy) { .ctx = ctx, .opt = *opt };
	c->opt.target = NULL;
	c->opt.spool = 1;
	err = bfo_outputs_check(ctx, &c->opt);
	if (!err)
		err = bfo_copy_open_source(c);
	if (err)
		return err;
	bfo_copy_configure(c);
	err = plan(c);
	if (!err)
		err = bfo_manifests_begin(&c->manifests, &c->job.plan, algorithms);
	if (!err && bfo_manifests_sums(&c->manifests))
		err = bfo_emit_sums(&c->job.plan, c->job.from, &c->manifests.sums, c->opt.memory);
	if (!err)
		bfo_rescue_note_zeroes(c);
	return err;
}

errcode_t bfo_copy_hash(struct bfo_copy *c, struct bfo_context *ctx,
			const struct bfo_copy_options *opt)
{
	errcode_t err = bfo_copy_read_all(c, ctx, opt, 0);

	return err ? err : bfo_copy_write_manifests(c);
}
