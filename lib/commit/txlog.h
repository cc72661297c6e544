/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * txlog.h - the target's own journal (JBD2; format: base/jbd2.h), written one transaction at a time
 *
 * The journal is empty before and after.  A transaction stands at the beginning of its log, in the
 * format that the journal's superblock announces, and becomes one by bfo_txlog_start():
 *
 *   | superblock | ... | descriptor | images | descriptor | images ... | commit | zeroes | ...
 *                       ^ first
 *
 * The block behind the commit is zeroed, because an older transaction that happens to go on there
 * with the next number would be replayed too.
 *
 * The volume is the caller's; bfo_txlog_free() frees what else was opened.
 *
 * Errors: BFO_ET_NOT_JOURNALED, BFO_ET_UNHEALTHY of opening; BFO_ET_JOURNAL_SMALL; ENOMEM; those of
 * reading a journal (volume/journal.h) and of writing (commit/writer.h).
 */
#ifndef BFO_COMMIT_TXLOG_H
#define BFO_COMMIT_TXLOG_H

#include "base/jbd2.h"
#include "commit/writer.h"
#include "volume/journal.h"

/* What the commit block keeps for us, where no one else has anything: a tag, then a note. */
#define BFO_TXLOG_TAG_BYTE 0x100
#define BFO_TXLOG_TAG_BYTES 16
#define BFO_TXLOG_NOTE_BYTES 48
#define BFO_TXLOG_OURS "e2bfo:"		/* all tags begin so */

/* A block of the volume, as it is to be. */
struct bfo_image {
	uint64_t blk;
	void *data;
	int is_map;		/* a bitmap or group descriptors */
	/* without a journal: written once more, with late changes; and again, with the last ones */
	int is_late, is_last;
};

struct bfo_txlog {
	struct bfo_volume *vol;
	struct bfo_journal journal;	/* where it lies, and what it understands */
	int64_t now;		/* set by the caller: seconds, for the commit block, */
	uint8_t tag[BFO_TXLOG_TAG_BYTES];	/* and what it shall be known by, */
	uint8_t note[BFO_TXLOG_NOTE_BYTES];	/* and say */
	uint8_t super[BFO_JBD2_SB_BYTES];
};

/*
 * Reads the superblock of VOL's journal.  Returns BFO_ET_NOT_JOURNALED if there is none,
 * BFO_ET_UNHEALTHY if it is damaged, not empty, or has features that are not known.
 */
errcode_t bfo_txlog_open(struct bfo_context *ctx, struct bfo_volume *vol, struct bfo_txlog *j);
void bfo_txlog_free(struct bfo_txlog *j);

/*
 * The journal of VOL, which is open with its recovery, as it will be once it is replayed: for
 * bfo_txlog_last_is(), and not to be freed.
 */
struct bfo_txlog bfo_txlog_replayed(struct bfo_volume *vol);

/* Blocks of the log that a transaction of N images takes. */
uint64_t bfo_txlog_need(const struct bfo_txlog *j, uint64_t n);

/* Blocks that the log has. */
uint64_t bfo_txlog_room(const struct bfo_txlog *j);

/* Writes N images (ascending by block) into the log; the caller flushes before it starts. */
errcode_t bfo_txlog_log(struct bfo_txlog *j, struct bfo_writer *w,
			  const struct bfo_image *images, size_t n);

/* What was logged last becomes a transaction, on the device when this returns ... */
errcode_t bfo_txlog_start(struct bfo_txlog *j, struct bfo_writer *w);

/* ... and is past. */
errcode_t bfo_txlog_stop(struct bfo_txlog *j, struct bfo_writer *w);

/* ... or, if that failed, is none. */
errcode_t bfo_txlog_cancel(struct bfo_txlog *j, struct bfo_writer *w);

/* The transaction that was replayed, or stopped, last. */
struct bfo_txlog_end {
	int is_it;		/* it is one with the tag; then */
	int64_t when;		/* the time its commit block says, */
	uint8_t note[BFO_TXLOG_NOTE_BYTES];	/* and what else */
};

/*
 * Whether that has a tag that begins with the LEN bytes of TAG: what has become of a copy whose end
 * nobody saw.
 */
errcode_t bfo_txlog_last(struct bfo_context *ctx, const struct bfo_txlog *j, const void *tag,
			 size_t len, struct bfo_txlog_end *end);

#endif
