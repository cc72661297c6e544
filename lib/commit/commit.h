/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commit.h - carrying out a plan: the only part of the library that writes to a volume
 *
 * Into a target with a journal (P4, P5):
 *
 *   record   a transaction: the file by which the copy can be resumed, an orphan (record.h)
 *   stem     data, directories, attribute blocks; then extent blocks     ascending, each once
 *   tables   inode table blocks that nobody looks at yet                 ascending, each once
 *   quota    files anew, to places in the stem                           each once
 *   itrees   the container of indexes likewise                           once
 *                                                                        flush
 *   (verify  all of that is read back from the medium)
 *   live     a transaction: bitmaps, descriptors, shared table blocks, superblock
 *
 * Until the last transaction is in the journal nothing live has changed: whoever mounts the target
 * or runs e2fsck -p finds it as before; afterwards, with all that was copied.
 *
 * Without a journal the superblock says "not clean" in place of the record, and the last blocks are
 * written where they belong, in an order in which e2fsck -fy finds the old files whole after a
 * crash, and the new ones whole, in lost+found, or not at all.  A file that gives way to a new one
 * is freed after a flush of the name that leads to that: a crash leaves both, or the new one.
 */
#ifndef BFO_COMMIT_COMMIT_H
#define BFO_COMMIT_COMMIT_H

#include "commit/fate.h"
#include "commit/itrees_write.h"
#include "commit/record.h"
#include "gather/source.h"
#include "move/sums.h"
#include "plan/plan.h"

struct bfo_commit_options {
	uint64_t memory;	/* bytes of batch buffer */
	enum bfo_direct_use direct;	/* bulk of both volumes goes around the page cache */
	int verify;		/* read back what was written, before and after it goes live */
	int atomic;		/* by the journal; see bfo_commit_fits() */
	const char *undo_file;	/* what live blocks held before, for e2undo(8); or NULL */
	const void *text;	/* the caller's, for the record */
	size_t text_bytes;
	struct bfo_record *record;	/* goes on with this one, which is hidden; or NULL */
	int is_one_disk;	/* the source lies on the target's: see move/drain.h */
	int quick;		/* not worth a record: a failure leaves the target as it was */
	const struct bfo_itree_source *itrees;	/* if the plan has a container */
	struct bfo_file_sums *sums;	/* of all that is copied; or NULL; not with a record */
};

struct bfo_commit_stats {
	uint64_t read_requests, read_blocks;	/* from the source, for data */
	uint64_t write_requests, write_blocks;	/* to the target, all */
	uint32_t mark;		/* of a source that is a stream: as the record has it */
	enum bfo_fate fate;
};

/* What the last transaction takes of the journal, if there is one. */
struct bfo_commit_fit {
	int has_journal;
	uint64_t need, room;	/* blocks */
};

/*
 * Whether PLAN can become live at once, through TARGET's journal: FIT says, at worst.  Returns an
 * error if the journal is damaged.
 */
errcode_t bfo_commit_fits(const struct bfo_plan *plan, struct bfo_volume *target,
			  struct bfo_commit_fit *fit);

static inline int bfo_commit_is_fit(const struct bfo_commit_fit *fit)
{
	return fit->has_journal && fit->need <= fit->room;
}

/*
 * Carries out PLAN, whose tree came from SOURCE.  After a failure, too, STATS says what TARGET is.
 */
errcode_t bfo_commit(struct bfo_plan *plan, struct bfo_source *source, struct bfo_volume *target,
		     const struct bfo_commit_options *opt, struct bfo_commit_stats *stats);

/* Gives up the copy whose record is R: TARGET is as it was before.  UNDO_FILE as above. */
errcode_t bfo_commit_abort(struct bfo_context *ctx, struct bfo_volume *target,
			   struct bfo_record *r, const char *undo_file);

/*
 * What stands in the journal of TARGET, which has no record: *WHOLE is 1 if that is the end of a
 * copy, so that all of it is there; *WHEN that copy was begun.  TARGET may be open as a source,
 * whose journal has to be replayed.
 */
errcode_t bfo_commit_was_done(struct bfo_context *ctx, struct bfo_volume *target, int *whole,
			      int64_t *when);

/* Such a TARGET becomes what it is if nothing is interrupted: blocks of its record are zeroed. */
errcode_t bfo_commit_tidy(struct bfo_context *ctx, struct bfo_volume *target);

#endif
