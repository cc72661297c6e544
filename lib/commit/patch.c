// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * patch.c - a change of a few blocks that belong to somebody already, all or nothing
 */
#include <string.h>

#include "base/bfo_err.h"
#include "commit/patch.h"
#include "volume/mmp.h"

static const char tag[BFO_TXLOG_TAG_BYTES] = BFO_TXLOG_OURS "change";

errcode_t bfo_change_begin(struct bfo_change *c, struct bfo_context *ctx, struct bfo_volume *vol,
			   int64_t now, const char *undo_file)
{
	errcode_t err;

	memset(c, 0, sizeof(*c));
	err = bfo_writer_open(&c->w, ctx, vol, undo_file);
	c->t.w = &c->w;
	if (!err)
		err = bfo_meta_open(&c->m, ctx, vol);
	if (err)
		return err;
	err = bfo_txlog_open(ctx, vol, &c->journal);
	c->t.atomic = c->has_journal = !err;
	c->has_undo = !!undo_file;
	c->journal.now = now;
	memcpy(c->journal.tag, tag, sizeof(tag));
	return err == BFO_ET_NOT_JOURNALED ? 0 : err;
}

static errcode_t write_super(struct bfo_change *c, uint16_t state)
{
	errcode_t err;

	c->w.vol->fs->super->s_state = state;
	err = bfo_writer_super(&c->w, c->w.vol->fs->super);
	return err ? err : bfo_writer_flush(&c->w);
}

/* In place; what has begun cannot be taken back. */
static errcode_t apply(struct bfo_change *c)
{
	uint16_t state = c->w.vol->fs->super->s_state;
	errcode_t err;

	c->fate = BFO_FATE_UNCLEAN;
	err = write_super(c, state & ~EXT2_VALID_FS);
	if (!err)
		err = bfo_transaction_apply(&c->t);
	if (!err)
		err = write_super(c, state);
	if (!err)
		c->fate = BFO_FATE_DONE;
	return err;
}

/* The transaction did not come to be, nor shall anything ask for a replay. */
static void settle(struct bfo_change *c)
{
	struct bfo_what what = bfo_what_keep(c->w.ctx);

	c->w.failed = 0;
	bfo_transaction_settle(&c->w);
	if (ext2fs_has_feature_journal_needs_recovery(&c->w.super))
		c->fate = BFO_FATE_REPLAY;
	bfo_what_restore(c->w.ctx, &what);
}

static errcode_t commit(struct bfo_change *c)
{
	int durable = 0;
	errcode_t err = bfo_transaction_super(&c->t, c->w.vol->fs->super);

	if (!err)
		err = bfo_transaction_commit(&c->t, &c->journal, &durable);
	if (durable)
		c->fate = err ? BFO_FATE_WAITING : BFO_FATE_DONE;
	else
		settle(c);
	return err;
}

/* What the journal has no room for is made in place where it can be undone, else not. */
static errcode_t choose_way(struct bfo_change *c)
{
	uint64_t need = bfo_txlog_need(&c->journal, c->t.blocks.n + 1);
	uint64_t room = bfo_txlog_room(&c->journal);
	uint32_t bs = c->w.vol->block_size;

	c->need = need;
	c->room = room;
	c->t.atomic = c->has_journal && need <= room;
	if (!c->has_journal || c->t.atomic)
		return 0;
	return c->has_undo ? 0 : bfo_fail(c->w.ctx, BFO_ET_JOURNAL_SMALL, "planning: it would take "
			"%llu KiB of the journal of %s, which has %llu; make the journal larger "
			"(tune2fs -J), or say -z FILE", (unsigned long long) need * bs / 1024,
			c->w.vol->spec, (unsigned long long) room * bs / 1024);
}

errcode_t bfo_change_make(struct bfo_change *c)
{
	errcode_t err = bfo_meta_stage(&c->m, &c->t);

	c->fate = BFO_FATE_BEFORE;
	if (!err)
		err = choose_way(c);
	if (!err)
		err = bfo_mmp_confirm(c->w.ctx, c->w.vol);
	if (!err)
		err = c->t.atomic ? commit(c) : apply(c);
	bfo_transaction_free(&c->t);
	return err;
}

errcode_t bfo_change_rest(struct bfo_change *c)
{
	errcode_t err = bfo_writer_flush(&c->w);

	if (err && c->fate == BFO_FATE_DONE)
		c->fate = BFO_FATE_WAITING;
	return err;
}

errcode_t bfo_change_end(struct bfo_change *c, errcode_t err)
{
	errcode_t undo_err;

	if (!err)
		err = bfo_change_make(c);
	if (!err)
		err = bfo_change_rest(c);
	bfo_meta_close(&c->m);
	bfo_transaction_free(&c->t);
	bfo_txlog_free(&c->journal);
	undo_err = bfo_writer_close(&c->w);
	return err ? err : undo_err;
}
