// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * commit.c - carrying out a plan
 *
 * With a journal (a stroke of the pen is a transaction, atomic by transaction.c):
 *
 *   BEFORE ──record──> RECORDED ──stem, tables──> FILLED ──live──> DONE ──wipe──> DONE
 *      ^                  │  ^                       │
 *      │                  │  `── resume ──┐          │
 *      `── give back ─────┴── cancelled ──┴──────────┘     give back: also mount, e2fsck -p, abort
 *
 * Without:
 *
 *   CLEAN ──mark──> MARKED ──stem, tables──> FILLED ──tables, maps, names──> LIVE ──super──> CLEAN
 *                      `──────────┴── put the superblock back ──> CLEAN, as before
 *
 *  I1  Until FILLED, blocks are written only where the target's bitmaps say free, and table slots
 *      only where no bg_itable_unused (without group checksums and journal: no bitmap) says used.
 *  I2  The last transaction comes to be after a flush of everything it refers to: its own first
 *      one (transaction.c).  Without a journal there is one before anything live is written.
 *  I3  Slots are staged only in groups that do not claim to be zeroed (INODE_ZEROED), so that
 *      a stock kernel wipes them after the record was dropped; and last.
 *  I4  The record's inode is in the used part of its table, so its block is never staged: the slot
 *      may be one that the plan gives to somebody else, in the last transaction.
 *  I5  What e2fsck would take for inodes in use (no group checksums) goes before the superblock is
 *      put back.
 *  I6  ERROR_FS is never set: a kernel would drop orphans without freeing their blocks.
 *  I7  Without a journal the superblock says clean again only after a flush of all the rest.
 */
#include <string.h>

#include "base/bfo_err.h"
#include "commit/commit.h"
#include "commit/unlink.h"
#include "commit/mark.h"
#include "commit/quota_write.h"
#include "commit/reread.h"
#include "commit/stem.h"
#include "commit/tables.h"
#include "move/data.h"
#include "volume/mmp.h"

#define NOTE_INTERVAL 5		/* seconds; that of the kernel's own commits */

static const char tag_begun[BFO_TXLOG_TAG_BYTES] = BFO_TXLOG_OURS "begun";
static const char tag_done[BFO_TXLOG_TAG_BYTES] = BFO_TXLOG_OURS "done";
/* no copy has come to its end */
static const char tag_quick[BFO_TXLOG_TAG_BYTES] = BFO_TXLOG_OURS "quick";

struct commit {
	struct bfo_plan *plan;
	struct bfo_source *source;
	struct bfo_writer w;
	struct bfo_transaction t;	/* the last one */
	struct bfo_txlog journal;
	struct bfo_record record;
	const struct bfo_commit_options *opt;
	uint16_t state;			/* of the superblock, before */
	enum bfo_fate fate;
	int stands;			/* the record, all of it, in place */
};

/* ---- by the journal ---- */

/* T, whose blocks are complete but for the superblock, happens. */
static errcode_t commit_transaction(struct bfo_writer *w, struct bfo_txlog *j,
				    struct bfo_transaction *t, const char *tag, int *durable)
{
	errcode_t err = bfo_transaction_super(t, w->vol->fs->super);

	*durable = 0;
	memcpy(j->tag, tag, sizeof(j->tag));
	return err ? err : bfo_transaction_commit(t, j, durable);
}

/* BEFORE -> RECORDED.  Without room for a record there may still be groups that are not zeroed. */
static errcode_t put_record(struct commit *c)
{
	struct bfo_transaction t = { .w = &c->w, .atomic = 1 };
	struct ext2_super_block *sb = c->w.vol->fs->super;
	uint64_t wtime = (uint64_t) sb->s_wtime_hi << 32 | sb->s_wtime;
	errcode_t err;
	int durable = 0;

	sb->s_wtime = bfo_record_wtime(c->plan->now);
	err = bfo_record_plan(&c->record, c->plan, c->source, c->w.vol, c->opt->text,
			      c->opt->text_bytes);
	c->record.wtime = wtime;
	if (c->opt->quick)
		c->record.ino = 0;
	if (!err)
		err = bfo_record_put(&c->record, &c->w, &t);
	if (!err && t.blocks.n)
		err = commit_transaction(&c->w, &c->journal, &t, tag_begun, &durable);
	c->stands = !err || (durable && !bfo_transaction_redo(&t, &c->journal));
	bfo_transaction_free(&t);
	if (durable)
		c->fate = BFO_FATE_RECORDED;
	return err;
}

/* The record that is there becomes one in memory, too. */
static errcode_t take_record(struct commit *c)
{
	struct bfo_meta m;
	errcode_t err = bfo_meta_open(&m, c->plan->ctx, c->w.vol);

	c->record = *c->opt->record;
	memset(c->opt->record, 0, sizeof(*c->opt->record));
	c->fate = BFO_FATE_RECORDED;
	c->stands = 1;
	if (!err)
		bfo_record_mark(&c->record, &m, 1);
	bfo_meta_close(&m);
	return err;
}

/* RECORDED -> BEFORE: stages that there is no record, and what it changed. */
static errcode_t stage_return(struct bfo_record *r, struct bfo_writer *w,
			      struct bfo_transaction *t)
{
	struct bfo_meta m;
	errcode_t err = bfo_meta_open(&m, w->ctx, w->vol);

	if (!err)
		err = bfo_record_clear(r, t);
	if (!err)
		err = bfo_record_charge(r, t, -1);
	if (!err)
		bfo_record_mark(r, &m, -1);
	if (!err)
		err = bfo_meta_stage(&m, t);
	bfo_meta_close(&m);
	return err;
}

static errcode_t give_back(struct bfo_record *r, struct bfo_writer *w, struct bfo_txlog *j)
{
	struct bfo_transaction t = { .w = w, .atomic = 1 };
	errcode_t err = bfo_record_wipe_slots(r, w);
	int durable;

	if (!err)
		err = stage_return(r, w, &t);
	if (!err)
		err = commit_transaction(w, j, &t, tag_begun, &durable);
	bfo_transaction_free(&t);
	if (!err)
		err = bfo_record_wipe(r, w);
	return err ? err : bfo_writer_flush(w);
}

/* FILLED: what the plan takes and gives back, without a record, if there is one. */
static errcode_t stage_plan(struct commit *c)
{
	struct bfo_meta m;
	errcode_t err = bfo_meta_open(&m, c->plan->ctx, c->w.vol);

	if (!err)
		bfo_record_mark(&c->record, &m, -1);
	if (!err)
		err = bfo_meta_plan(&m, c->plan, &c->t);
	if (!err)
		err = bfo_meta_stage(&m, &c->t);
	bfo_meta_close(&m);
	return err ? err : bfo_mmp_confirm(c->plan->ctx, c->w.vol);
}

/* FILLED -> DONE */
static errcode_t make_live(struct commit *c)
{
	errcode_t err = stage_plan(c);
	int durable = 0;

	bfo_record_place(&c->record, c->journal.note);
	if (!err)
		err = commit_transaction(&c->w, &c->journal, &c->t,
					 c->opt->quick ? tag_quick : tag_done, &durable);
	if (durable)
		c->fate = err ? BFO_FATE_WAITING : BFO_FATE_DONE;
	return err;
}

/* ---- without a journal ---- */

/* The superblock with STATE; counts as they are in memory. */
static errcode_t write_super(struct commit *c, uint16_t state)
{
	errcode_t err;

	c->w.vol->fs->super->s_state = state;
	err = bfo_writer_super(&c->w, c->w.vol->fs->super);
	return err ? err : bfo_writer_flush(&c->w);
}

static errcode_t apply(struct commit *c)
{
	errcode_t err = stage_plan(c);

	if (!err)
		err = bfo_transaction_apply(&c->t);
	if (!err)
		err = write_super(c, c->state);
	if (!err)
		c->fate = BFO_FATE_DONE;
	return err;
}

/* ---- both ---- */

/*
 * What of a stream is not needed any more when DONE blocks of the stem are there.  Contents that go
 * into inodes are written last, wherever they came, so all of it is.
 */
static uint32_t mark_of(const struct commit *c, uint64_t done)
{
	if (!c->source->ops->mark || c->plan->target->has_inline || c->opt->verify)
		return 0;
	return c->source->ops->mark(c->source, bfo_mark_place(c->plan, done));
}

/*
 * Part of the stem is on its way; now and then it is seen through and noted, where there is a
 * record.
 */
static errcode_t note_progress(void *priv, uint64_t done)
{
	struct commit *c = priv;
	errcode_t err;

	if (!c->record.ino)
		return 0;
	err = bfo_writer_flush(&c->w);
	return err ? err : bfo_record_progress(&c->record, &c->w, done, mark_of(c, done));
}

/* The record is kept of a copy that somebody has stopped, and of one whose stream broke. */
static int keeps_record(const struct commit *c, errcode_t err)
{
	return c->record.ino && (err == BFO_ET_CANCELLED || err == BFO_ET_STREAM_CUT ||
				 err == BFO_ET_STREAM_DAMAGED);
}

/* Everything before the last transaction. */
static errcode_t fill(struct commit *c)
{
	struct bfo_data_progress p = { .note = note_progress, .priv = c, .interval = NOTE_INTERVAL,
				       .timer = bfo_timer_of(c->plan->ctx),
				       .from = c->opt->verify ? 0 : c->record.done };
	struct bfo_drain drain = bfo_writer_drain(&c->w, c->opt->is_one_disk);
	errcode_t err = bfo_sums_data(c->plan, c->source, c->opt->sums, &drain, c->opt->memory, &p);
	struct bfo_what what;

	if (keeps_record(c, err) && !c->w.failed) {
		what = bfo_what_keep(c->plan->ctx);
		note_progress(c, p.done);
		bfo_what_restore(c->plan->ctx, &what);
	}
	if (!err)
		err = bfo_trees_write(c->plan, &c->w);
	if (!err)
		err = bfo_record_clear(&c->record, &c->t);
	if (!err)
		err = bfo_tables_write(c->plan, c->source, &c->t, c->opt->memory);
	if (!err)
		err = bfo_unlink_write(c->plan, &c->t);
	if (!err)
		err = bfo_quotas_write(c->plan, &c->w);
	if (!err && c->plan->itrees)
		err = bfo_itrees_write(c->plan, &c->w, c->opt->itrees);
	if (!err && (!c->opt->atomic || c->opt->verify))
		err = bfo_writer_flush(&c->w);
	if (!err && c->opt->verify)
		err = bfo_reread(&c->w);
	return err ? err : c->source->ops->settle(c->source);
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
	sb->s_wtime = c->plan->itrees ? bfo_record_wtime(c->plan->now) : c->plan->now;
}

static errcode_t begin(struct commit *c)
{
	errcode_t err = bfo_writer_open(&c->w, c->plan->ctx, c->w.vol, c->opt->undo_file);

	c->t.w = &c->w;
	c->t.atomic = c->opt->atomic;
	c->state = c->w.vol->fs->super->s_state;
	if (err)
		return err;
	if (c->opt->atomic) {
		err = bfo_txlog_open(c->plan->ctx, c->w.vol, &c->journal);
		c->journal.now = c->plan->now;
		if (!err)
			err = c->opt->record ? take_record(c) : put_record(c);
	} else {
		err = write_super(c, c->state & ~EXT2_VALID_FS);
		c->fate = BFO_FATE_UNCLEAN;
	}
	c->w.keep_sums = c->opt->verify;
	return err;
}

static errcode_t finish(struct commit *c)
{
	errcode_t err;

	bfo_progress_report(c->plan->ctx, BFO_STAGE_FINISH, 0, 0, 0);
	note_features(c);
	err = c->opt->atomic ? make_live(c) : apply(c);
	if (!err && c->opt->verify)
		err = bfo_reread(&c->w);
	c->w.keep_sums = 0;
	if (!err)
		err = bfo_record_wipe(&c->record, &c->w);
	return err ? err : bfo_writer_flush(&c->w);
}

/* A failed copy that changed nothing live: the target becomes what it was, if it lets itself. */
static void put_back(struct commit *c, errcode_t err)
{
	c->w.keep_sums = 0;
	c->w.failed = 0;
	if (!c->opt->atomic) {
		if (c->fate != BFO_FATE_BEFORE && !bfo_transaction_withdraw(&c->t) &&
		    !write_super(c, c->state))
			c->fate = BFO_FATE_BEFORE;
	} else if (c->fate == BFO_FATE_BEFORE) {
		bfo_transaction_settle(&c->w);
	} else if (c->stands && c->fate == BFO_FATE_RECORDED && !keeps_record(c, err)) {
		if (!give_back(&c->record, &c->w, &c->journal))
			c->fate = BFO_FATE_BEFORE;
	}
}

/* The last transaction did not come to be, and nothing is recorded that would ask for a replay. */
static void settle(struct commit *c)
{
	c->w.failed = 0;
	bfo_transaction_settle(&c->w);
}

/* After a failure, of which ctx->what tells: what can be put back. */
static void fail(struct commit *c, errcode_t err, int filled)
{
	struct bfo_context *ctx = c->plan->ctx;
	struct bfo_what what = bfo_what_keep(ctx);

	if (!filled)
		put_back(c, err);
	else if (c->opt->atomic && !c->record.ino && c->fate <= BFO_FATE_RECORDED)
		settle(c);
	if (c->fate == BFO_FATE_RECORDED && !c->record.ino)
		c->fate = BFO_FATE_BEFORE;	/* nothing but flags was recorded */
	if (c->fate == BFO_FATE_BEFORE && ext2fs_has_feature_journal_needs_recovery(&c->w.super))
		c->fate = BFO_FATE_REPLAY;
	bfo_what_restore(ctx, &what);
}

errcode_t bfo_commit(struct bfo_plan *plan, struct bfo_source *source, struct bfo_volume *target,
		     const struct bfo_commit_options *opt, struct bfo_commit_stats *stats)
{
	struct commit c = { .plan = plan, .source = source, .opt = opt, .w = { .vol = target } };
	const struct bfo_reader *reader = source->reader;
	uint64_t reads = bfo_source_requests(source), read_blocks = bfo_source_blocks(source);
	errcode_t err, undo_err;
	int filled;

	if (reader)
		bfo_direct_choose(&reader->vol->device, opt->direct);
	bfo_direct_choose(&target->device, opt->direct);
	err = begin(&c);
	if (!err)
		err = fill(&c);
	filled = !err;
	if (!err)
		err = finish(&c);
	if (err)
		fail(&c, err, filled);
	*stats = (struct bfo_commit_stats){ .read_requests = bfo_source_requests(source) - reads,
					    .read_blocks = bfo_source_blocks(source) - read_blocks,
					    .write_requests = c.w.requests,
					    .write_blocks = c.w.blocks,
					    .mark = c.record.mark, .fate = c.fate };
	bfo_transaction_free(&c.t);
	bfo_record_free(&c.record);
	bfo_txlog_free(&c.journal);
	undo_err = bfo_writer_close(&c.w);
	return err ? err : undo_err;
}

errcode_t bfo_commit_abort(struct bfo_context *ctx, struct bfo_volume *target,
			   struct bfo_record *r, const char *undo_file)
{
	struct bfo_txlog j = { 0 };
	struct bfo_writer w;
	errcode_t err = bfo_writer_open(&w, ctx, target, undo_file), undo_err;

	if (!err)
		err = bfo_txlog_open(ctx, target, &j);
	j.now = r->now;
	if (!err)
		err = give_back(r, &w, &j);
	bfo_txlog_free(&j);
	undo_err = bfo_writer_close(&w);
	return err ? err : undo_err;
}

/* The last thing that was written to TARGET, if that is the end of a copy. */
static errcode_t find_end(struct bfo_context *ctx, struct bfo_volume *target,
			  struct bfo_txlog_end *end)
{
	struct bfo_txlog j;
	errcode_t err;

	memset(end, 0, sizeof(*end));
	if (target->recovery) {		/* only seen: its journal as it will be */
		j = bfo_txlog_replayed(target);
		return bfo_txlog_last(ctx, &j, tag_done, sizeof(tag_done), end);
	}
	err = bfo_txlog_open(ctx, target, &j);
	if (err == BFO_ET_NOT_JOURNALED)
		return 0;
	if (!err)
		err = bfo_txlog_last(ctx, &j, tag_done, sizeof(tag_done), end);
	bfo_txlog_free(&j);
	return err;
}

errcode_t bfo_commit_was_done(struct bfo_context *ctx, struct bfo_volume *target, int *whole,
			      int64_t *when)
{
	struct bfo_txlog_end end;
	errcode_t err = find_end(ctx, target, &end);

	*whole = end.is_it;
	*when = end.when;
	return err;
}

errcode_t bfo_commit_tidy(struct bfo_context *ctx, struct bfo_volume *target)
{
	struct bfo_txlog_end end;
	struct bfo_writer w;
	errcode_t err = find_end(ctx, target, &end), undo_err;

	if (err || !end.is_it)
		return err;
	err = bfo_writer_open(&w, ctx, target, NULL);
	if (!err)
		err = bfo_record_sweep(&w, end.note);
	if (!err)
		err = bfo_writer_flush(&w);
	undo_err = bfo_writer_close(&w);
	return err ? err : undo_err;
}
