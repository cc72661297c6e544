// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recover.c - a target whose journal has to be replayed before it is worked on
 *
 *   blocks in place ── flush ── journal empty ── flush ── superblock without RECOVER ── flush
 *
 * What is replayed, and from where, volume/recovery knows; it is the same for sources, which are
 * never written.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <string.h>

#include "base/jbd2.h"
#include "commit/recover.h"
#include "commit/txlog.h"
#include "commit/writer.h"
#include "volume/open.h"
#include "volume/recovery.h"

static errcode_t put_blocks(struct bfo_writer *w, const struct bfo_recovery *r, char *block)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < r->replay.blocks.n && !err; i++) {
		const struct bfo_replayed *b = &r->replay.blocks.v[i];

		err = bfo_replay_read(w->ctx, &r->journal, b, block);
		if (!err)
			err = bfo_writer_change(w, b->blk, block);
	}
	return err ? err : bfo_writer_flush(w);
}

/*
 * The number of the next transaction: as jbd2 has it, one that was not expected.  Behind a
 * transaction of ours there is nothing that could be taken for that, nor where none had begun: then
 * all goes on as if nothing had been interrupted.
 */
static errcode_t number_next(struct bfo_writer *w, const struct bfo_recovery *r, uint32_t *number)
{
	struct bfo_txlog replayed = bfo_txlog_replayed(w->vol);
	struct bfo_txlog_end end = { .is_it = 1 };
	errcode_t err = 0;

	if (r->journal.start)
		err = bfo_txlog_last(w->ctx, &replayed, BFO_TXLOG_OURS, strlen(BFO_TXLOG_OURS),
				     &end);
	*number = r->journal.sequence + r->replay.transactions + !end.is_it;
	return err;
}

static errcode_t empty_journal(struct bfo_writer *w, const struct bfo_recovery *r, char *block)
{
	const struct bfo_journal *j = &r->journal;
	uint32_t number;
	errcode_t err = number_next(w, r, &number);

	if (!err)
		err = bfo_journal_read(w->ctx, j, j->super, block);
	if (err)
		return err;
	bfo_jbd2_put32(block, BFO_JBD2_SB_START, 0);
	bfo_jbd2_put32(block, BFO_JBD2_SB_SEQUENCE, number);
	if (bfo_jbd2_has_csum(j->incompat))
		bfo_jbd2_put32(block, BFO_JBD2_SB_CSUM,
			       bfo_jbd2_block_csum(~0U, block, BFO_JBD2_SB_BYTES,
						   BFO_JBD2_SB_CSUM));
	err = bfo_writer_change_part(w, bfo_map_find(&j->runs, j->super), BFO_JBD2_SB_BYTES, block);
	return err ? err : bfo_writer_flush(w);
}

/* The superblock may have been one of the blocks replayed. */
static errcode_t clear_recover(struct bfo_writer *w)
{
	errcode_t err = bfo_writer_reread_super(w);

	ext2fs_clear_feature_journal_needs_recovery(&w->super);
	if (!err)
		err = bfo_writer_super(w, &w->super);
	return err ? err : bfo_writer_flush(w);
}

errcode_t bfo_target_recover(struct bfo_context *ctx, const char *spec)
{
	struct bfo_volume *vol;
	struct bfo_writer w;
	char *block = NULL;
	errcode_t err = bfo_volume_open(ctx, spec, BFO_OPEN_TARGET | BFO_OPEN_RECOVER, NULL, &vol);

	if (err)
		return err;
	err = bfo_writer_open(&w, ctx, vol, NULL);
	if (!err) {
		block = malloc(vol->block_size);
		err = block ? 0 : bfo_fail(ctx, ENOMEM, "replaying the journal of %s", spec);
	}
	if (!err)
		err = put_blocks(&w, vol->recovery, block);
	if (!err)
		err = empty_journal(&w, vol->recovery, block);
	if (!err)
		err = clear_recover(&w);
	free(block);
	bfo_writer_close(&w);
	bfo_volume_close(vol);
	return err;
}
