/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * medium.h - opening a source that perhaps cannot be read everywhere
 */
#ifndef BFO_VOLUME_MEDIUM_H
#define BFO_VOLUME_MEDIUM_H

#include "volume/open.h"

/* How that is to be done.  Zeroed, the first block that cannot be read is an error. */
struct bfo_medium {
	struct bfo_media_options how;
	const char *mapfile;		/* of ddrescue(1), or NULL */
	struct bfo_mapfile map;		/* its content, once it was read */
	/* the source may be mounted read-write: nothing is taken from it */
	int may_move;
	struct bfo_volume *beside;	/* that may have another part of its device; or NULL */
};

/*
 * Opens SPEC as a source, with its mapfile, also if it is shorter than its filesystem.  M has to
 * stay until *OUT is closed.  USE: what is done about its journal, or NULL.  Errors: those of the
 * mapfile and of bfo_volume_open_source().
 */
errcode_t bfo_medium_open(struct bfo_medium *m, struct bfo_context *ctx, const char *spec,
			  const struct bfo_journal_use *use, struct bfo_volume **out);
void bfo_medium_free(struct bfo_medium *m);

/*
 * Where the mapfile of VOL ends, a byte, if that is before its filesystem does; else UINT64_MAX.
 * VOL may be NULL.
 */
uint64_t bfo_medium_map_end(const struct bfo_volume *vol);

#endif
