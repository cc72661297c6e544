/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * overlay.h - an I/O manager that shows a filesystem as it will be when its journal is replayed
 *
 * Reads go to the volume; but what is replayed comes from the journal, and its place is not
 * touched: it may be one that cannot be read (volume/media.h).  There is no way to write through
 * it (P1).
 */
#ifndef BFO_VOLUME_OVERLAY_H
#define BFO_VOLUME_OVERLAY_H

#include "volume/replay.h"

struct bfo_overlay {
	struct bfo_context *ctx;
	struct bfo_volume *vol;		/* whose own descriptor is read, if it has one */
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
