/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recovery.h - a source that was not unmounted cleanly, as the next mount would show it
 *
 * Errors: ENOMEM; those of reading a journal (volume/journal.h).
 */
#ifndef BFO_VOLUME_RECOVERY_H
#define BFO_VOLUME_RECOVERY_H

#include "volume/open.h"
#include "volume/overlay.h"

struct bfo_recovery {
	struct bfo_journal journal;
	struct bfo_replay replay;
	struct bfo_overlay overlay;
};

/*
 * Reads the journal of VOL, which is open as it stands; sets vol->recovery.  If that has any
 * blocks replayed, VOL has to be opened anew, through its overlay.
 */
errcode_t bfo_recovery_read(struct bfo_context *ctx, struct bfo_volume *vol,
			    const struct bfo_journal_use *use);

/* After the volume's channels are closed.  NULL is fine. */
void bfo_recovery_free(struct bfo_recovery *r);

#endif
