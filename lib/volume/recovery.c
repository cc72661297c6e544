// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recovery.c - a source that was not unmounted cleanly, as the next mount would show it
 */
#include <errno.h>
#include <stdlib.h>

#include "volume/recovery.h"

errcode_t bfo_recovery_read(struct bfo_context *ctx, struct bfo_volume *vol,
			    const struct bfo_journal_use *use)
{
	struct bfo_recovery *r = calloc(1, sizeof(*r));
	uint64_t limit = vol->store.size / vol->block_size;
	errcode_t err;

	vol->recovery = r;
	if (!r)
		return ENOMEM;
	if (vol->media.opt.accept_short && bfo_media_missing(vol))
		/* what the journal has of those that are missing is there */
		limit = vol->blocks;
	err = bfo_journal_open(ctx, vol, use, &r->journal);
	if (!err)
		err = bfo_replay_scan(ctx, &r->journal, limit, &r->replay);
	r->overlay = (struct bfo_overlay) { .ctx = ctx, .vol = vol, .below = vol->fs->io,
					    .journal = &r->journal, .replay = &r->replay };
	return err;
}

void bfo_recovery_free(struct bfo_recovery *r)
{
	if (!r)
		return;
	bfo_journal_close(&r->journal);
	bfo_replay_free(&r->replay);
	free(r);
}
