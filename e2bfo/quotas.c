// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * quotas.c - quota files of the target, from gathering to the plan (plan/charge.h)
 */
#include "base/bfo_err.h"
#include "gather/inode_walk.h"
#include "gather/quota_read.h"
#include "plan/charge.h"
#include "quotas.h"

struct owners {
	struct bfo_plan *plan;
	uint32_t inode_size;
};

static errcode_t take_inode(void *priv, uint32_t ino, const void *raw)
{
	struct owners *o = priv;

	return bfo_charges_note(o->plan, ino, raw, o->inode_size);
}

/* Not a stage of its own for who watches. */
static errcode_t note_owners(struct bfo_plan *plan, struct bfo_reader *reader)
{
	void (*progress)(void *, const struct bfo_progress *) = plan->ctx->progress;
	struct owners o = { .plan = plan, .inode_size = reader->vol->inode_size };
	errcode_t err;

	plan->ctx->progress = NULL;
	err = bfo_inode_walk(reader, NULL, 0, take_inode, &o);
	plan->ctx->progress = progress;
	return err;
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

static errcode_t take_limits(struct bfo_plan *plan, const struct bfo_volume *source)
{
	struct bfo_quota_file files[BFO_QUOTA_FILES];
	errcode_t err = bfo_quota_files_read(plan->ctx, source, files);

	if (!err)
		err = bfo_charges_limits(plan, files);
	bfo_quota_files_free(files);
	return err;
}

errcode_t quotas_plan(struct bfo_plan *plan, struct bfo_reader *reader,
		      const struct bfo_volume *target, int fresh)
{
	errcode_t err = load(plan, target);

	if (err || !plan->charges)
		return err;
	if (fresh)
		err = take_limits(plan, reader->vol);
	if (!err)
		err = note_owners(plan, reader);
	return err ? err : bfo_charges_size(plan);
}

errcode_t quotas_move(struct bfo_plan *plan, const struct bfo_volume *target)
{
	errcode_t err = load(plan, target);

	return err ? err : bfo_charges_size(plan);
}
