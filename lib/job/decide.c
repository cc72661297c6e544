// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * decide.c - everything that has to be decided, on one target
 *
 *   names ── filter ── landing ── merging ── order ── attributes ── losses ── quotas │ space
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "gather/inode_scan.h"
#include "gather/name_scan.h"
#include "gather/lost.h"
#include "gather/repack.h"
#include "job/replace.h"
#include "job/indexes.h"
#include "job/job.h"
#include "job/quotas.h"
#include "plan/serial.h"
#include "tree/access.h"

/* Reads the target's directories of numbers INOS, with their names and blocks. */
static errcode_t gather_old(struct bfo_job *job, struct bfo_volume *vol, uint32_t *inos, size_t n,
			    struct bfo_tree *old)
{
	struct bfo_reader reader;
	errcode_t err = bfo_reader_init(&reader, job->ctx, vol, job->config.read_gap);

	old->keep_map_blocks = 1;
	if (!err)
		err = bfo_inode_scan_some(&reader, old, inos, n);
	if (!err)
		err = bfo_name_scan(&reader, old);
	if (!err && !ext2fs_has_feature_filetype(vol->fs->super))
		err = bfo_name_types(&reader, old);
	bfo_reader_free(&reader);
	return err;
}

/* A name that exists: of --to itself, or of something that is copied. */
static errcode_t clash(struct bfo_job *job)
{
	const struct bfo_tree *t = &job->tree;
	bfo_row row = bfo_name_row(t, &t->names.v[job->plan.clashes.v[0].name]);

	if (t->inodes.v[row].state & BFO_INODE_MADE)
		return bfo_fail(job->ctx, BFO_ET_NOT_DIR, "looking for %s on %s", job->config.to,
				job->config.target);
	return bfo_fail(job->ctx, BFO_ET_CLASH, "planning: on %s, in the way of what is to be "
			"copied: %zu%s", job->config.target, job->plan.clashes.n,
			job->config.over ? "" : BFO_OVER_ADVICE);
}

/* Level by level: the target's directories that exist on both sides. */
static errcode_t merge(struct bfo_job *job, struct bfo_volume *vol)
{
	errcode_t err = vol ? 0 : bfo_plan_alone(&job->plan);
	uint32_t *inos;
	size_t i;

	while (job->plan.pairs.n && !err) {
		struct bfo_tree old = { 0 };

		inos = malloc(job->plan.pairs.n * sizeof(*inos));
		if (!inos)
			return bfo_fail(job->ctx, ENOMEM, "reading the target's directories");
		for (i = 0; i < job->plan.pairs.n; i++)
			inos[i] = job->plan.pairs.v[i].ino;
		bfo_sort_numbers(inos, i);
		err = gather_old(job, vol, inos, i, &old);
		if (!err)
			err = bfo_plan_merge(&job->plan, &old);
		bfo_tree_free(&old);
		free(inos);
	}
	if (!err && vol)
		err = bfo_job_replace(job, vol);
	return err || !job->plan.clashes.n ? err : clash(job);
}

/* What the target cannot hold is lost only if the configuration says so. */
static errcode_t check_losses(struct bfo_job *job)
{
	const bfo_findings *found = &job->tree.findings;
	char words[256] = "";
	uint64_t seen = 0;
	size_t i, used = 0;

	for (i = 0; i < found->n; i++) {
		uint64_t bit = 1ULL << found->v[i].kind;

		if (!bfo_finding_table[found->v[i].kind].is_loss ||
		    (seen | job->config.losses) & bit)
			continue;
		seen |= bit;
		used += snprintf(words + used, sizeof(words) - used, "%s%s", used ? "," : "",
				 bfo_finding_table[found->v[i].kind].word);
	}
	return seen ? bfo_fail(job->ctx, BFO_ET_LOSS, "planning; --allow-loss=%s would accept that",
			       words) : 0;
}

/*
 * With a mapfile, what cannot be read is known, but for members of composite files; else it has to
 * be looked for.
 */
static errcode_t leave_out_unreadable(struct bfo_job *job)
{
	const struct bfo_media *media = job->source ? &job->source->media : NULL;
	errcode_t err = 0;

	if (!media || media->opt.mode != BFO_MEDIA_SKIP)
		return 0;
	if (!media->opt.map || job->tree.members.n)
		err = bfo_lost_look(job->from, &job->tree);
	if (!err)
		err = bfo_lost_report(&job->tree, job->from, BFO_UNREAD_FILE);
	if (!err)
		bfo_plan_leave_out(&job->plan);
	return err;
}

static const struct bfo_job_indexes *indexes_of(const struct bfo_job *job)
{
	return job->config.indexes ? job->config.indexes : &bfo_job_copy_indexes;
}

/* (Directories of the tree that fold names in another way are ordinary ones there.) */
static errcode_t gather_target(struct bfo_job *job, struct bfo_volume *vol)
{
	errcode_t err = bfo_target_gather(job->ctx, vol, &job->free);

	if (job->tree.encoding && job->free.encoding != job->tree.encoding)
		job->free.encoding = 0;
	return err;
}

static errcode_t begin(struct bfo_job *job, struct bfo_volume *vol)
{
	const struct bfo_job_config *config = &job->config;
	struct bfo_plan *plan = &job->plan;
	errcode_t err;

	bfo_target_free(&job->free);
	if (!vol)
		bfo_target_serial(job->source, job->tree.block_size, &job->free);
	job->free.has_any_links = !vol && !config->is_directory;
	if (!vol && config->is_archive)
		bfo_target_archive(&job->tree, &job->free);
	err = vol ? gather_target(job, vol) : 0;
	if (err)
		return err;
	bfo_plan_init(plan, job->ctx, &job->tree, &job->free);
	job->phase = BFO_JOB_PLANNING;
	if (config->dir_fill)
		plan->dir_fill = config->dir_fill;
	plan->now = config->now;
	plan->keep_inodes = config->keep_inodes;
	plan->keep_root = config->keep_root;
	plan->over = config->over;
	plan->no_devices = config->no_devices;
	if (config->record) {
		memcpy(plan->ghost.owner, config->record->owner, sizeof(plan->ghost.owner));
		plan->ghost.bytes = config->record->charged;
	}
	return 0;
}

/* What is copied, to where, in which order. */
static errcode_t decide_names(struct bfo_job *job, struct bfo_volume *vol)
{
	const struct bfo_job_config *config = &job->config;
	struct bfo_plan *plan = &job->plan;
	errcode_t err = bfo_plan_names(plan);

	if (!err && config->filter)
		err = bfo_plan_filter(plan, config->filter);
	if (err)
		return err;
	job->phase = BFO_JOB_FILTERED;
	if (vol)
		err = indexes_of(job)->begin(job, vol);
	if (!err)
		err = bfo_plan_land(plan, config->from, config->n_from, config->to);
	if (!err && config->make_indexes)
		err = bfo_itrees_name(plan);
	if (!err)
		err = merge(job, vol);
	if (!err)
		err = bfo_plan_order(plan);
	if (!err)
		err = leave_out_unreadable(job);
	if (!err && vol)
		err = bfo_job_displace(job, vol);
	if (!err && config->order)
		err = config->order(config->priv, job);
	return err || !vol ? err : indexes_of(job)->choose(job);
}

/* What the target can hold of it. */
static errcode_t decide_contents(struct bfo_job *job, struct bfo_volume *vol)
{
	struct bfo_plan *plan = &job->plan;
	errcode_t err = bfo_plan_audit(plan);

	if (!err && !job->is_empty && bfo_repack_needed(&job->tree, &job->free))
		err = bfo_repack_scan(job->from, &job->tree, &job->free);
	if (!err)
		err = bfo_plan_share(plan);
	if (!err)
		err = bfo_plan_check_numbers(plan);
	if (!err && vol)
		err = bfo_job_quotas_plan(job, vol);
	return err ? err : check_losses(job);
}

errcode_t bfo_job_decide(struct bfo_job *job, struct bfo_volume *vol)
{
	errcode_t err;

	assert(job->phase == BFO_JOB_GATHERED);
	bfo_progress_enter(job->ctx, BFO_STAGE_PLAN);
	err = begin(job, vol);
	if (!err)
		err = decide_names(job, vol);
	if (!err)
		err = decide_contents(job, vol);
	if (!err)
		job->phase = BFO_JOB_DECIDED;
	bfo_progress_leave(job->ctx);
	return err;
}

/* Numbers and space on VOL. */
static errcode_t place(struct bfo_job *job, const struct bfo_volume *vol)
{
	errcode_t err = bfo_plan_numbers(&job->plan);

	if (!err)
		err = indexes_of(job)->place(job, vol);
	return err ? err : bfo_plan_space(&job->plan);
}

errcode_t bfo_job_place(struct bfo_job *job, const struct bfo_volume *vol)
{
	errcode_t err;

	assert(job->phase >= BFO_JOB_DECIDED);
	job->phase = BFO_JOB_DECIDED;
	err = vol ? place(job, vol) : bfo_plan_serial(&job->plan);
	if (!err)
		job->phase = BFO_JOB_PLACED;
	return err;
}

static errcode_t move_plan(struct bfo_job *job, struct bfo_volume *vol)
{
	struct bfo_tree old = { 0 };
	errcode_t err;
	uint32_t *inos;
	size_t i;

	bfo_target_free(&job->free);
	err = gather_target(job, vol);
	inos = malloc(job->plan.merged.n * sizeof(*inos) + 1);
	if (!err && !inos)
		err = bfo_fail(job->ctx, ENOMEM, "reading the target's directories");
	for (i = 0; !err && i < job->plan.merged.n; i++)
		inos[i] = job->plan.merged.v[i].ino;
	if (!err)
		err = gather_old(job, vol, inos, i, &old);
	if (!err)
		err = bfo_plan_retarget(&job->plan, &job->free, &old);
	if (!err)
		err = bfo_job_quotas_move(job, vol);
	bfo_tree_free(&old);
	free(inos);
	return err ? err : bfo_job_place(job, vol);
}

errcode_t bfo_job_move(struct bfo_job *job, struct bfo_volume *vol)
{
	errcode_t err;

	bfo_progress_enter(job->ctx, BFO_STAGE_PLAN);
	err = move_plan(job, vol);
	bfo_progress_leave(job->ctx);
	return err;
}
