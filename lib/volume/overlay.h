/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * overlay.h - an I/O manager that shows a filesystem as it will be when its journal is replayed
 *
 * Reads go to the channel below; what is replayed is put over them, from the journal.  There is
 * no way to write through it (P1).
 */
#ifndef BFO_VOLUME_OVERLAY_H
#define BFO_VOLUME_OVERLAY_H

#include "volume/replay.h"

struct bfo_overlay {
	struct bfo_context *ctx;
	io_channel below;		/* kept open by each channel that uses it */
	const struct bfo_journal *journal;
	const struct bfo_replay *replay;
};

extern io_manager bfo_overlay_manager;

/*
 * The option of a channel of this manager that names its overlay; for ext2fs_open2(), which lets
 * nothing else through.  The overlay must outlive the channel.
 */
#define BFO_OVERLAY_OPTION "overlay=%p"

#endif
