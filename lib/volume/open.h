/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * open.h - opening a volume, and closing it
 *
 * This is where a volume is refused: mounted, in use, damaged, not understood.
 */
#ifndef BFO_VOLUME_OPEN_H
#define BFO_VOLUME_OPEN_H

#include "volume/volume.h"

enum {
	BFO_OPEN_SOURCE = 0,
	BFO_OPEN_TARGET = 1,	/* for writing: also has to be healthy, gets its bitmaps read */
	BFO_OPEN_SCRATCH = 4,	/* a private file: no questions about who else uses it */
	BFO_OPEN_LOOK = 8,	/* a target that nothing will be written to: it is not claimed */
	BFO_OPEN_RECORDED = 16,	/* a target that may have what a copy left (commit/record.h) */
	BFO_OPEN_RECOVER = 32,	/* a target just to replay its journal: commit/recover.h */
	BFO_OPEN_LOCKED = 64,	/* the caller has its lock */
	BFO_OPEN_MOVING = 128,	/* a source to be looked at, even if it is mounted read-write */
};

/* What is done about the journal of a source that was not unmounted cleanly. */
struct bfo_journal_use {
	int ignore;			/* read what stands there without it */
	const char *const *devices;	/* where to look for external journals, instead of asking */
	size_t n_devices;		/* libblkid for their UUID */
};

/*
 * Opens SPEC: a path, TAG=VALUE, a part of either (device/spec.h).
 * IO is the libext2fs I/O manager at the bottom; NULL means unix_io_manager.
 * On failure nothing stays open and ctx->what says what was being done, and what to do.
 */
errcode_t bfo_volume_open(struct bfo_context *ctx, const char *spec, int how, io_manager io,
			  struct bfo_volume **out);

/* The same beside a volume of this process, or NULL, that may have another part of the device. */
errcode_t bfo_volume_open_beside(struct bfo_context *ctx, const char *spec, int how,
				 struct bfo_volume *beside, struct bfo_volume **out);

/*
 * Opens SPEC as a source (HOW: 0 or BFO_OPEN_MOVING).  If its journal needs recovery, what is read
 * is what a mount would find: all that the journal has committed is put over it in memory
 * (volume/replay.h).  MEDIA is about one that may be damaged; it and USE may be NULL.
 * BESIDE as above.
 *
 * If it is opened by a backup of the superblock, bg_itable_unused means nothing (libext2fs makes it
 * 0): there may be inodes that never were.  Nor does a backup say that the journal needs recovery:
 * one that does is refused.
 */
errcode_t bfo_volume_open_source(struct bfo_context *ctx, const char *spec, int how,
				 const struct bfo_journal_use *use,
				 const struct bfo_media_options *media, struct bfo_volume *beside,
				 io_manager io, struct bfo_volume **out);

/* Closes without writing anything that was not written before. NULL is fine. */
void bfo_volume_close(struct bfo_volume *vol);

#endif
