// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * quotas.c - quota files of the target, from gathering to the plan (plan/charge.h)
 */
#include <stdlib.h>

#include "base/bfo_err.h"
#include "gather/inode_walk.h"
#include "gather/lost.h"
#include "gather/quota_read.h"
#include "plan/charge.h"
#include "plan/quota.h"
#include "job/quotas.h"

struct owners {
	struct bfo_plan *plan;
	uint32_t inode_size;
};

static errcode_t take_inode(void *priv, uint32_t ino, const void *raw)
{
	struct owners *o = priv;

	return bfo_charges_note(o->plan, ino, raw, o->inode_size);
}

static errcode_t lose_inodes(void *priv, uint32_t ino, uint32_t n)
{
	struct owners *o = priv;

	return bfo_tree_lost_again(o->plan->ctx, o->plan->tree, ino, n);
}

static errcode_t note_owners(struct bfo_plan *plan, struct bfo_source *source)
{
	struct owners o = { .plan = plan, .inode_size = source->inode_size };

	return source->ops->inodes(source, NULL, 0, take_inode, lose_inodes, &o);
}

static errcode_t load(struct bfo_plan *plan, const struct bfo_volume *target)
{
	struct bfo_quota_file files[BFO_QUOTA_FILES];
	errcode_t err = bfo_quota_files_read(plan->ctx, target, files);

	if (!err)
		err = bfo_charges_load(plan, files);
	bfo_quota_files_free(files);
	return err == BFO_ET_DAMAGED ? BFO_ET_UNHEALTHY : err;
}

/* What is known to be bad must not be touched, and libext2fs reads what it likes. */
static errcode_t look_at_limits(struct bfo_reader *reader, int *all)
{
	const struct ext2_super_block *sb = reader->vol->fs->super;
	uint32_t inos[BFO_QUOTA_FILES];
	size_t n = 0;

	*all = 1;
	if (!reader->vol->media.bad.n || !ext2fs_has_feature_quota(reader->vol->fs->super))
		return 0;
	if (sb->s_usr_quota_inum)
		inos[n++] = sb->s_usr_quota_inum;
	if (sb->s_grp_quota_inum > (n ? inos[n - 1] : 0))
		inos[n++] = sb->s_grp_quota_inum;
	if (sb->s_prj_quota_inum > (n ? inos[n - 1] : 0))
		inos[n++] = sb->s_prj_quota_inum;
	return bfo_lost_nothing(reader, inos, n, all);
}

static errcode_t read_limits(struct bfo_plan *plan, struct bfo_reader *reader,
			     struct bfo_quota_file *files)
{
	int all;
	errcode_t err = look_at_limits(reader, &all);

	if (err)
		return err;
	return all ? bfo_quota_files_read(plan->ctx, reader->vol, files)
		   : bfo_fail(plan->ctx, reader->vol->media.opt.map ? BFO_ET_NOT_RESCUED
								    : BFO_ET_TRUNCATED,
			      "reading quota files");
}

/* ERR, unless READER may go on without limits: then that is a finding. */
static errcode_t go_on_without(struct bfo_plan *plan, const struct bfo_reader *reader,
			       errcode_t err)
{
	if (reader->vol->media.opt.mode != BFO_MEDIA_STOP &&
	    (err == BFO_ET_DAMAGED || bfo_media_is_error(err)))
		return bfo_tree_found(plan->tree, BFO_UNREAD_QUOTA,
				      reader->vol->fs->super->s_usr_quota_inum, 0);
	return err;
}

static errcode_t take_limits(struct bfo_plan *plan, struct bfo_reader *reader)
{
	struct bfo_quota_file files[BFO_QUOTA_FILES] = { 0 };
	errcode_t err = read_limits(plan, reader, files);

	if (!err)
		err = bfo_charges_limits(plan, files);
	bfo_quota_files_free(files);
	return go_on_without(plan, reader, err);
}

/* FILE becomes one of limits alone. */
static errcode_t keep_limits(struct bfo_context *ctx, struct bfo_quota_file *file,
			     enum bfo_quota_type type)
{
	struct bfo_quota q = { .flags = 0 };
	errcode_t err = bfo_quota_parse(&q, type, file->data, file->size);
	size_t i;

	if (err)
		return bfo_fail(ctx, err, "reading quota file inode %u of the source; please run "
				"e2fsck -f on it first", file->ino);
	for (i = 0; i < q.entries.n; i++)
		q.entries.v[i].inodes = q.entries.v[i].space = 0;
	free(file->data);
	file->data = NULL;
	err = bfo_quota_build(&q, type, &file->data, &file->size);
	bfo_quota_free(&q);
	return err ? bfo_fail(ctx, err, "reading quota files of the source") : 0;
}

errcode_t bfo_job_quotas_limits(struct bfo_job *job, struct bfo_quota_file files[BFO_QUOTA_FILES])
{
	errcode_t err = read_limits(&job->plan, job->from->reader, files);
	int type;

	for (type = 0; type < BFO_QUOTA_FILES && !err; type++)
		if (files[type].ino)
			err = keep_limits(job->ctx, &files[type], type);
	if (err)
		for (type = 0; type < BFO_QUOTA_FILES; type++)
			files[type].ino = 0;
	return go_on_without(&job->plan, job->from->reader, err);
}

/* A stream's: nobody has checked them. */
static errcode_t take_told(struct bfo_plan *plan, const struct bfo_source *from)
{
	errcode_t err = bfo_charges_limits(plan, from->quota);

	return err != BFO_ET_DAMAGED ? err :
	       bfo_fail(plan->ctx, BFO_ET_STREAM_DAMAGED, "reading limits of quota in %s",
			from->name);
}

errcode_t bfo_job_quotas_plan(struct bfo_job *job, const struct bfo_volume *target)
{
	struct bfo_plan *plan = &job->plan;
	errcode_t err = load(plan, target);

	if (err || !plan->charges)
		return err;
	if (job->config.is_fresh && job->from->reader)
		err = take_limits(plan, job->from->reader);
	else if (job->config.is_fresh && job->from->quota)
		err = take_told(plan, job->from);
	if (!err && !job->is_empty)
		err = note_owners(plan, job->from);
	return err ? err : bfo_charges_size(plan);
}

errcode_t bfo_job_quotas_move(struct bfo_job *job, const struct bfo_volume *target)
{
	errcode_t err = load(&job->plan, target);

	return err ? err : bfo_charges_size(&job->plan);
}
