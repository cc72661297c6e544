// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * job.c - reading the source, and writing the target, of a job
 */
#include <assert.h>
#include <string.h>

#include "base/bfo_err.h"
#include "gather/picked.h"
#include "job/indexes.h"
#include "job/job.h"
#include "volume/open.h"

/* job->from becomes VOL. */
static errcode_t read_volume(struct bfo_job *job, struct bfo_volume *vol)
{
	errcode_t err = bfo_reader_init(&job->reader, job->ctx, vol, job->config.read_gap);

	if (err)
		return err;
	bfo_source_of_volume(&job->of_volume, &job->reader);
	job->from = &job->of_volume;
	if (job->config.unpacks) {
		bfo_unpacked_begin(&job->unpacked, &job->of_volume);
		job->from = &job->unpacked.source;
	}
	return 0;
}

errcode_t bfo_job_take_source(struct bfo_job *job)
{
	return job->from ? 0 : read_volume(job, job->source);
}

/* PICK: of no more than the filter selects, if that can be. */
static errcode_t gather(struct bfo_job *job, int pick)
{
	const struct bfo_filter *filter = job->config.filter;
	errcode_t err;
	int picked = 0;

	assert(job->phase == BFO_JOB_OPEN);
	err = bfo_job_take_source(job);
	job->tree.keep_map_blocks = 1;
	if (!err && pick && job->from->reader && filter && filter->n_files)
		err = bfo_gather_picked(job->from->reader, &job->tree, filter->files,
					filter->n_files, &picked);
	if (!err && picked && job->config.unpacks)
		err = bfo_unpacked_see(&job->unpacked, &job->tree);
	if (!err && !picked)
		err = job->from->ops->gather(job->from, &job->tree, 1);
	if (!err)
		job->phase = BFO_JOB_GATHERED;
	return err;
}

errcode_t bfo_job_gather(struct bfo_job *job)
{
	return gather(job, 0);
}

errcode_t bfo_job_gather_picked(struct bfo_job *job)
{
	return gather(job, 1);
}

errcode_t bfo_job_arrive(struct bfo_job *job)
{
	const struct bfo_job_config *config = &job->config;
	struct bfo_arrive_options how = { .memory = config->memory, .direct = config->direct,
					  .verify = config->verify };
	struct bfo_arrive *a = NULL;
	errcode_t err;

	assert(job->phase == BFO_JOB_OPEN && job->from->access == BFO_READ_ARRIVING);
	job->config.is_quick = 1;
	bfo_target_free(&job->free);
	err = bfo_target_gather(job->ctx, job->target, &job->free);
	if (!err)
		err = bfo_arrive_open(&a, job->ctx, job->target, &job->free, &how);
	if (!err)
		err = job->from->ops->arrive(job->from, &job->tree, bfo_arrive_where(a));
	err = bfo_arrive_close(a, err, &job->arrived);
	if (!err)
		job->phase = BFO_JOB_GATHERED;
	return err;
}

errcode_t bfo_job_begin_empty(struct bfo_job *job)
{
	errcode_t err;

	assert(job->phase == BFO_JOB_OPEN && !job->source);
	err = read_volume(job, job->target);
	job->is_empty = 1;
	job->tree.block_size = job->target->block_size;
	memcpy(job->tree.uuid, job->target->fs->super->s_uuid, sizeof(job->tree.uuid));
	if (!err)
		err = bfo_rank_init(&job->tree.rank, 1);
	if (err)
		return err;
	bfo_rank_seal(&job->tree.rank);
	job->phase = BFO_JOB_GATHERED;
	return 0;
}

errcode_t bfo_job_choose_way(struct bfo_job *job, const char *advice)
{
	const struct bfo_job_config *config = &job->config;
	uint32_t bs = job->target->block_size;
	struct bfo_commit_fit fit;
	errcode_t err = bfo_commit_fits(&job->plan, job->target, &fit);

	if (err)
		return err;
	job->is_atomic = bfo_commit_is_fit(&fit) && !config->not_atomic;
	if (job->is_atomic || !fit.has_journal || config->not_atomic || config->undo_file ||
	    !bfo_volume_holds_files(job->target))
		return 0;
	return bfo_fail(job->ctx, BFO_ET_JOURNAL_SMALL, "planning: it would take %llu KiB of the "
			"journal of %s, which has %llu; %s",
			(unsigned long long) fit.need * bs / 1024, config->target,
			(unsigned long long) fit.room * bs / 1024, advice);
}

errcode_t bfo_job_commit(struct bfo_job *job)
{
	const struct bfo_job_config *config = &job->config;
	struct bfo_commit_options how = { .memory = config->memory, .direct = config->direct,
		.verify = config->verify, .atomic = job->is_atomic, .undo_file = config->undo_file,
		.text = config->text, .text_bytes = config->text_bytes, .record = config->record,
		.is_one_disk = job->source && bfo_volume_is_beside(job->source, job->target),
		.quick = config->is_quick, .itrees = &job->itrees.source,
		.sums = config->sums };
	errcode_t err;

	assert(job->phase == BFO_JOB_PLACED);
	err = bfo_commit(&job->plan, job->from, job->target, &how, &job->stats);
	job->stats.write_requests += job->arrived.requests;
	job->stats.write_blocks += job->arrived.blocks;
	return err;
}

void bfo_job_close(struct bfo_job *job)
{
	if (bfo_job_has_plan(job))
		bfo_plan_free(&job->plan);
	bfo_job_container_free(&job->itrees);
	bfo_target_free(&job->free);
	bfo_tree_free(&job->tree);
	if (job->from && job->from->ops->close)
		job->from->ops->close(job->from);
	bfo_reader_free(&job->reader);
	bfo_volume_close(job->target);
	bfo_volume_close(job->source);
}
