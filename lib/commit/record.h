/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h - what a copy leaves on the target while it is under way
 *
 * A regular file with link count 0 on the list of orphans: a stock kernel that mounts the target,
 * or e2fsck -p, drops it and finds the filesystem as it was before the copy (P4).  Whoever finds it
 * first can go on: it says what was being copied, by which plan, and how far that had come.  (The
 * BFO paper stores the ORDER_LIST; here source, target and options determine that, so a digest is
 * enough to recognise it when it is made again.)
 *
 * The file, numbers little-endian; its last two blocks are for progress, by turns:
 *
 *   0x00   8  "e2bforec"                 0x44   4  first and
 *   0x08   4  version: 3                 0x48   4  last inode staged, or 0
 *   0x0c   4  bytes of head, ranges and  0x4c   4  number of ranges
 *             text together              0x50  24  digest of the plan (plan/digest.h)
 *   0x10   4  crc32c of these, this as 0 0x68   4  stamp of the source (gather/source.h)
 *   0x14  16  UUID of the target         0x6c   4  bytes of text
 *   0x24  16  UUID of the source         0x70   4  inodes that were unused in the table of the
 *   0x34   8  time of the copy                     group with the record's inode, and
 *   0x3c   8  blocks of the stem         0x74   4  that group's flags; all ones: not known
 *                                        0x78   8  s_wtime of the target before the copy
 *                                        0x80      ranges: first group, number of groups whose
 *                                                  table was known to be zero behind its used
 *                                                  part (INODE_ZEROED): 4 bytes each
 *                                                  text: the caller's
 *
 *   progress: 0x00 4 "e2bp"; 0x04 4 count; 0x08 8 blocks of the stem that are on the medium;
 *             0x10 4 crc32c of these 16 bytes; 0x14 4 the frame of a stream (gather/source.h,
 *             mark); 0x18 4 crc32c of bytes 0 to 23: without that the frame is 0
 *
 * A record owns its copy of the text, and the ranges.  After bfo_record_plan() and
 * bfo_record_find() it is freed by bfo_record_free().
 *
 * Errors: BFO_ET_NO_RECORD, BFO_ET_CHANGED as said below; ENOMEM; those of reading (gather/batch.h)
 * and writing (commit/writer.h).
 */
#ifndef BFO_COMMIT_RECORD_H
#define BFO_COMMIT_RECORD_H

#include "commit/meta.h"
#include "gather/source.h"
#include "plan/digest.h"
#include "plan/quota.h"

#define BFO_RECORD_VERSION 3	/* 2: the same, but the text is a command line */
#define BFO_RECORD_RUNS 4	/* extents that fit into an inode */
#define BFO_RECORD_BLOCKS 12	/* direct blocks of an inode */

struct bfo_record {
	uint32_t version;	/* found: 2 or 3 */
	uint32_t ino;		/* 0: there is none */
	uint32_t generation;
	struct bfo_range runs[BFO_RECORD_RUNS * 3];	/* its blocks; found: up to one each */
	uint32_t nruns, nblocks;
	uint32_t owner[BFO_QUOTA_TYPES];	/* who is charged for it */
	uint64_t charged;		/* bytes */

	uint8_t target_uuid[16], source_uuid[16];
	int64_t now;
	uint64_t stem_len;
	uint32_t first_ino, last_ino;	/* inodes staged, or 0 */
	struct bfo_digest digest;
	uint32_t source_stamp;		/* gather/source.h */
	BFO_VEC(struct bfo_range) zeroed;	/* groups */
	bfo_chars text;

	uint32_t count;			/* progress: how often it was written */
	uint64_t done;			/* blocks of the stem that are on the medium */
	uint32_t mark;			/* of a source that is a stream: the frame to go on with */
	uint32_t unused;		/* of its group's table, before */
	uint16_t flags;			/* of its group, before */
	int has_before;			/* these two are known */
	uint64_t wtime;			/* s_wtime of the target, before */
};

/*
 * What is to be recorded of PLAN; TEXT is the caller's.  Chooses inode and blocks, which the plan
 * leaves free, or shares with it (the inode: its slot is written last).  If the target has no room,
 * or TEXT is too long, r->ino is 0: then only the ranges count.
 */
errcode_t bfo_record_plan(struct bfo_record *r, const struct bfo_plan *plan,
			  const struct bfo_source *source, struct bfo_volume *target,
			  const void *text, size_t bytes);

/* Writes the file's blocks, and stages all that makes it an orphan, and no group zeroed, in T. */
errcode_t bfo_record_put(struct bfo_record *r, struct bfo_writer *w, struct bfo_transaction *t);

/* DONE blocks of the stem are on the medium; a stream, if it is one, has to go on with MARK. */
errcode_t bfo_record_progress(struct bfo_record *r, struct bfo_writer *w, uint64_t done,
			      uint32_t mark);

/*
 * Reads the record of target VOL.  Returns BFO_ET_NO_RECORD if there is none, or one that is
 * damaged (ctx->what).
 */
errcode_t bfo_record_find(struct bfo_context *ctx, struct bfo_volume *vol, struct bfo_record *r);

/* Write time of a superblock that has a record: a second early, so that any later one differs. */
static inline uint32_t bfo_record_wtime(int64_t now)
{
	return (uint32_t) now - 1;
}

/*
 * Refuses a target whose superblock somebody has written since (debugfs, tune2fs): BFO_ET_CHANGED.
 */
errcode_t bfo_record_is_on(struct bfo_context *ctx, const struct bfo_record *r,
			   const struct bfo_volume *target);

/*
 * Whether R is about SOURCE, as far as its UUID and stamp tell, and about PLAN.  Returns
 * BFO_ET_CHANGED, and ctx->what says what is different.
 */
errcode_t bfo_record_is_of(struct bfo_context *ctx, const struct bfo_record *r,
			   const struct bfo_source *source);
errcode_t bfo_record_compare(const struct bfo_record *r, const struct bfo_plan *plan);

/*
 * In memory the target is as if there were no record (USE -1), or has it again (1); M: what
 * changes.
 */
void bfo_record_mark(struct bfo_record *r, struct bfo_meta *m, int use);

/* The slot of its inode becomes empty in T, before others may have it. */
errcode_t bfo_record_clear(struct bfo_record *r, struct bfo_transaction *t);

/* Who was charged for it is not, in the quota files as they stand; in T. */
errcode_t bfo_record_charge(struct bfo_record *r, struct bfo_transaction *t, int use);

/* Zeroes all slots that the copy may have staged, and that are still unused. */
errcode_t bfo_record_wipe_slots(struct bfo_record *r, struct bfo_writer *w);

/* Zeroes the file's blocks, which are free by now. */
errcode_t bfo_record_wipe(struct bfo_record *r, struct bfo_writer *w);

/*
 * Where these are, for the commit block of the last transaction (its note, commit/txlog.h): per run
 * the first block, 8 bytes, and how many, 4 bytes, little-endian.  By that bfo_record_sweep()
 * zeroes them, if the copy was interrupted between its end and bfo_record_wipe(): if they are still
 * free, and have what a record says.
 */
void bfo_record_place(const struct bfo_record *r, void *note);
errcode_t bfo_record_sweep(struct bfo_writer *w, const void *note);

void bfo_record_free(struct bfo_record *r);

#endif
