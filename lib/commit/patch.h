/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patch.h - a change of a few blocks that belong to somebody already, all or nothing
 *
 * Through the target's journal; where there is none, or it is too small and there is an undo file,
 * in place, the superblock saying meanwhile that the filesystem is not clean.
 */
#ifndef BFO_COMMIT_PATCH_H
#define BFO_COMMIT_PATCH_H

#include "commit/fate.h"
#include "commit/meta.h"

struct bfo_change {
	struct bfo_writer w;
	struct bfo_transaction t;	/* what is to change, but for the superblock */
	struct bfo_meta m;
	struct bfo_txlog journal;
	int has_journal, has_undo;
	uint64_t need, room;	/* blocks of the log: that the change takes, that there are */
	enum bfo_fate fate;		/* what has become of the volume */
};

/* Begins; NOW is the time of the change, and UNDO_FILE (or NULL) as for bfo_writer_open(). */
errcode_t bfo_change_begin(struct bfo_change *c, struct bfo_context *ctx, struct bfo_volume *vol,
			   int64_t now, const char *undo_file);

/*
 * Makes it happen, with the groups that c->m has touched and the superblock as it is in memory.
 * Then C, whose transaction is empty, is ready for the next change; after an error only for
 * bfo_change_end().
 */
errcode_t bfo_change_make(struct bfo_change *c);

/*
 * No change follows for now: that none is left to be replayed is on the device when this returns.
 * The next change would see to it, too.
 */
errcode_t bfo_change_rest(struct bfo_change *c);

/*
 * The same, or not, if ERR (which is returned then) is an error.  Releases C in any case, but for
 * c->fate.
 */
errcode_t bfo_change_end(struct bfo_change *c, errcode_t err);

#endif
