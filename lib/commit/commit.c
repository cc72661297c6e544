// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * commit.c - carrying out a plan
 *
 *   CLEAN ── mark ──> MARKED ── stem, tables ──> FILLED ── transaction ──> LIVE ── super ──> CLEAN
 *                       `───────────┴── put the superblock back ──> CLEAN, as before
 *
 *  I1  Until FILLED, blocks are written only where the target's bitmaps say free, and table slots
 *      only where no bitmap and no bg_itable_unused says used (P4).
 *  I2  The transaction begins after a flush of everything it refers to.
 *  I3  The superblock says clean again only after a flush of the transaction.
 *  I4  What e2fsck would take for inodes in use goes before the superblock is put back.
 *  I5  ERROR_FS is never set: a kernel would drop orphans without freeing their blocks.
 *
 * A crash between FILLED and LIVE leaves a filesystem for e2fsck -fy; it is marked as such.
 */
#include <string.h>

#include "commit/commit.h"
#include "commit/data.h"
#include "commit/meta.h"
#include "commit/quota_write.h"
#include "commit/reread.h"
#include "commit/tables.h"
#include "volume/mmp.h"

struct commit {
	struct bfo_plan *plan;
	struct bfo_reader *r;
	struct bfo_writer w;
	struct bfo_transaction t;
	const struct bfo_commit_options *opt;
};

/* The superblock with STATE; counts as they are in memory. */
static errcode_t write_super(struct commit *c, uint16_t state)
{
	ext2_filsys fs = c->w.vol->fs;
	errcode_t err;

	fs->super->s_state = state;
	err = ext2fs_superblock_csum_set(fs, fs->super);
	if (!err)
		err = bfo_writer_super(&c->w, fs->super);
	return err ? err : bfo_writer_flush(&c->w);
}

/* Everything before the transaction. */
static errcode_t fill(struct commit *c)
{
	errcode_t err = bfo_data_write(c->plan, c->r, &c->w, c->opt->memory);

	if (!err)
		err = bfo_trees_write(c->plan, &c->w);
	if (!err)
		err = bfo_tables_write(c->plan, c->r, &c->t, c->opt->memory);
	if (!err)
		err = bfo_quotas_write(c->plan, &c->w);
	if (!err)
		err = bfo_writer_flush(&c->w);
	return err || !c->opt->verify ? err : bfo_reread(&c->w);
}

/* Features that a filesystem has to have once it holds such things. */
static void note_features(struct commit *c)
{
	struct ext2_super_block *sb = c->w.vol->fs->super;

	if (c->plan->large_file)
		ext2fs_set_feature_large_file(sb);
	ext2fs_set_feature_xattr(sb);
	if (sb->s_rev_level == EXT2_GOOD_OLD_REV)
		ext2fs_update_dynamic_rev(c->w.vol->fs);	/* features need it */
}

/* The point of no return lies in here: bfo_transaction_apply(). */
static errcode_t make_live(struct commit *c, uint16_t state)
{
	errcode_t err;

	bfo_progress_report(c->plan->ctx, BFO_STAGE_FINISH, 0, 0, 0);
	err = bfo_meta_update(c->plan, &c->t);
	if (!err)
		err = bfo_mmp_confirm(c->plan->ctx, c->w.vol);
	if (err)
		return err;
	err = bfo_transaction_apply(&c->t);
	if (err)
		return err;
	note_features(c);
	c->w.vol->fs->super->s_wtime = c->plan->now;
	if (c->opt->verify)
		err = bfo_reread(&c->w);
	return err ? err : write_super(c, state);
}

/* What is live may be half changed, or what is not be seen. */
static void advise_check(struct commit *c)
{
	char what[sizeof(c->plan->ctx->what)];

	memcpy(what, c->plan->ctx->what, sizeof(what));
	bfo_fail(c->plan->ctx, 0, "%.300s; the target is marked as not clean: run e2fsck -fy on "
		 "it", what);
}

/* A failed copy that changed nothing live: the target is what it was.  Returns 1 if it is not. */
static int put_back(struct commit *c, uint16_t state)
{
	char what[sizeof(c->plan->ctx->what)];

	memcpy(what, c->plan->ctx->what, sizeof(what));
	c->w.failed = 0;
	if (bfo_transaction_withdraw(&c->t)) {
		memcpy(c->plan->ctx->what, what, sizeof(what));
		advise_check(c);
		return 1;
	}
	if (write_super(c, state)) {
		bfo_fail(c->plan->ctx, 0, "%.300s; the target is as before but could not be "
			 "marked clean: run e2fsck on it", what);
		return 1;
	}
	memcpy(c->plan->ctx->what, what, sizeof(what));
	return 0;
}

errcode_t bfo_commit(struct bfo_plan *plan, struct bfo_reader *reader, struct bfo_volume *target,
		     const struct bfo_commit_options *opt, struct bfo_commit_stats *stats)
{
	struct commit c = { .plan = plan, .r = reader, .opt = opt,
			    .w = { .ctx = plan->ctx, .vol = target,
				   .keep_sums = opt->verify } };
	uint64_t reads = reader->reads, read_blocks = reader->blocks;
	uint16_t state = target->fs->super->s_state;
	int unclean = 0;
	errcode_t err;

	c.t.w = &c.w;
	err = write_super(&c, state & ~EXT2_VALID_FS);
	if (!err)
		err = fill(&c);
	if (err) {
		unclean = put_back(&c, state);
	} else {
		err = make_live(&c, state);
		if (err)
			advise_check(&c);
		unclean = !!err;
	}
	bfo_transaction_free(&c.t);
	bfo_vec_free(&c.w.sums);
	*stats = (struct bfo_commit_stats) { .read_requests = reader->reads - reads,
		.read_blocks = reader->blocks - read_blocks, .write_requests = c.w.requests,
		.write_blocks = c.w.blocks, .unclean = unclean };
	return err;
}
