/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy.h - a copy of a tree into a volume, an archive or a directory, from its options to its end
 *
 *   bfo_copy_open ── bfo_copy_plan ── bfo_copy_commit ── bfo_copy_result ── bfo_copy_close
 *     refusals         reads source     changes target     what came of it
 *
 *   copy.c         the steps; those of the plan are in job/job.h
 *   lists.c        files that list paths and patterns
 *   order.c ...    what lies next to each other
 *   sizing.c       mkfs: planning on scratch files, until one fits
 *   formatting.c   mkfs: the target, before and after
 *   rescue.c       a source that cannot be read well
 *   boot.c         which files of the copy name the source's UUID
 *   export.c       a target that is no volume
 *   hash.c         none at all: manifests
 *
 * A copy that is planned and not committed is a dry run.  After an error no further step is called
 * but bfo_copy_result() and bfo_copy_close(); ctx->what completes "while ...".  Nothing is printed,
 * and nothing of the process is changed: no directory, no umask, no environment.
 *
 * Errors: those of what a step does, and from here
 *
 *   open    BFO_ET_SAME_VOLUME, BFO_ET_BUSY, BFO_ET_TOO_SMALL, EEXIST, EINVAL; those of opening
 *           volumes (volume/open.h) and of lists (job/lists.h)
 *   plan    BFO_ET_LOSS, BFO_ET_CLASH, BFO_ET_NO_SPACE, BFO_ET_NO_INODES, BFO_ET_JOURNAL_SMALL,
 *           BFO_ET_MKFS; those of gathering and of planning (plan/plan.h)
 *   commit  BFO_ET_CHANGED, BFO_ET_REREAD; those of reading (gather/batch.h), of writing
 *           (commit/writer.h) and of mke2fs
 *   all     BFO_ET_CANCELLED, ENOMEM
 *
 * A copy owns all that it opens and allocates; bfo_copy_close() closes and frees it.
 */
#ifndef BFO_JOB_COPY_H
#define BFO_JOB_COPY_H

#include "base/pace.h"
#include "export/items.h"
#include "export/send.h"
#include "export/tar.h"
#include "gather/amended.h"
#include "job/boot.h"
#include "job/end.h"
#include "job/evidence.h"
#include "job/whole_digest.h"
#include "job/job.h"
#include "job/job_options.h"
#include "job/lists.h"
#include "job/manifests.h"
#include "job/mkfs.h"
#include "job/order.h"
#include "volume/users.h"

/* Fields are read by reports, and written only by the files above. */
struct bfo_copy {
	struct bfo_context *ctx;
	struct bfo_copy_options opt;
	struct bfo_job job;
	struct bfo_end end;		/* what the source is, */
	struct bfo_amend amend;		/* and what becomes of its tree; */
	struct bfo_amended amended;	/* then job.from is this */
	struct bfo_lists lists;
	struct bfo_order order;
	struct bfo_boot boot;
	struct bfo_pace pace;		/* of opt.bwlimit */
	struct bfo_evidence evidence;	/* with opt.evidence */
	struct bfo_whole_digest whole;	/* with opt.hash_source */
	bfo_chars text;			/* the options, for the record */
	uint64_t resumed;		/* bytes that were there when the copy was resumed */

	/* the target, if it is no volume */
	struct bfo_end goal;
	struct bfo_items items;
	struct bfo_outlet *outlet;
	struct bfo_tar_notes tar;	/* of an archive, once it is complete; its `first`: */
	char *first_lost;
	struct bfo_send_notes sent;	/* of a stream, as far as it came */
	char token[BFO_STREAM_TOKEN_TEXT];	/* of the stream that is the source */
	struct bfo_manifests manifests;

	/* the target */
	char *path, *path_options;
	struct bfo_mkfs mkfs;
	struct bfo_mkfs_place place;	/* what is formatted */
	struct bfo_users users;		/* mkfs: of the target, before it is opened */
	uint64_t size;			/* bytes */
	/* bytes of the smallest target that fits; 0: not looked for */
	uint64_t smallest;
	char *made;			/* a new image file, until it gets its name */

	/* what has come of it so far */
	enum bfo_fate fate;		/* of the target */
	int withdrawn;			/* `made` is removed, as it was of no use */
	int writing;			/* the target, or `made`, is no longer as it was */
	int formatted;			/* what the target held is gone */
	int committing, written;
	/* why it is not known which data became zeroes; 0: it is known */
	errcode_t untold;
	struct bfo_what untold_what;
};

/* How it ended.  Pointers are valid until bfo_copy_close(). */
struct bfo_copy_result {
	const struct bfo_plan *plan;	/* NULL: it did not come to one */
	int placed;			/* the plan is complete */
	const struct bfo_commit_stats *stats;	/* NULL: nothing was to be written */
	uint64_t indexed;		/* directories whose index was built */
	enum bfo_fate fate;		/* what the target is after a failure */
	int formatted;			/* the target was formatted before */
	int tell_fate;			/* the fate is worth saying */
	const char *kept;		/* image file that has what was copied, or NULL */
	enum bfo_fate kept_fate;	/* what that is */
	/* name that an image file had until it was complete, or NULL */
	const char *named;
	int written;			/* all is done */
};

/*
 * Begins a copy: opens source and target, and reads lists.  All that can be refused before the
 * source is read through is refused here.  CTX has to stay, what OPT points to, too.
 */
errcode_t bfo_copy_open(struct bfo_copy *c, struct bfo_context *ctx,
			const struct bfo_copy_options *opt);

/*
 * The same of a copy that is resumed (job/interrupted.h), in parts: lists and source; c->ctx and
 * c->opt are set.
 */
errcode_t bfo_copy_open_source(struct bfo_copy *c);

/*
 * In place of opening and planning: opens the source and decides what lies next to each other on a
 * new filesystem like it.  c->order and c->job.plan have the answer; OPT needs no target.  Errors
 * of mke2fs, too, which makes a scratch file.
 */
errcode_t bfo_copy_order(struct bfo_copy *c, struct bfo_context *ctx,
			 const struct bfo_copy_options *opt);

/*
 * In place of all steps: reads all files of a source, in the order in which they lie, and writes
 * the manifests of OPT; it needs no target.
 */
errcode_t bfo_copy_hash(struct bfo_copy *c, struct bfo_context *ctx,
			const struct bfo_copy_options *opt);

/*
 * The same, but for writing them: c->manifests.sums has digests by ALGORITHMS, too (base/hasher.h),
 * and c->items what else there is to know.
 */
errcode_t bfo_copy_read_all(struct bfo_copy *c, struct bfo_context *ctx,
			    const struct bfo_copy_options *opt, unsigned int algorithms);

/*
 * Reads the source and decides everything.  Afterwards bfo_copy_result() tells what would be done.
 */
errcode_t bfo_copy_plan(struct bfo_copy *c);

/*
 * Formats the target, if that was asked for, and copies.  BFO_ET_CANCELLED and other errors:
 * c->fate says what the target is.
 */
errcode_t bfo_copy_commit(struct bfo_copy *c);

/* What came of C, which ended with ERR. */
struct bfo_copy_result bfo_copy_result(const struct bfo_copy *c, errcode_t err);

/* Adds to the message of a failed read what was to be read, and how to go on. */
void bfo_copy_explain(struct bfo_copy *c, errcode_t err);

/* TEXT: the token with which the stream goes on that C, which failed, came from; 0: it has none. */
int bfo_copy_token(const struct bfo_copy *c, char text[BFO_STREAM_TOKEN_TEXT]);

/*
 * With opt.evidence, also after a failure: what the source is like now.  Errors: those of
 * bfo_evidence_end(); CTX has to be another one than that of the copy, whose message it keeps.
 */
errcode_t bfo_copy_end_evidence(struct bfo_copy *c, struct bfo_context *ctx);

/* Writes opt.write_mapfile, if there is one.  Errors: those of files. */
errcode_t bfo_copy_write_map(struct bfo_copy *c);

/* Closes the volumes and frees everything.  Also for one that was zeroed and never opened. */
void bfo_copy_close(struct bfo_copy *c);

/* True if the target is a directory, an archive or a stream. */
static inline int bfo_copy_exports(const struct bfo_copy *c)
{
	return c->goal.kind != BFO_END_VOLUME;
}

/* ---- parts, for the files above ---- */

/* The superblock of the volume that the tree comes from, perhaps by a stream; or NULL. */
const struct ext2_super_block *bfo_copy_like(const struct bfo_copy *c);

/*
 * The source, a stream that is open, is not there a second time.  What comes by standard input is
 * not, even if it is a file now.
 */
int bfo_copy_comes_once(const struct bfo_copy *c);

/* The source is a stream.  Its data go to free blocks of the target as they come. */
int bfo_copy_is_stream(const struct bfo_copy *c);
int bfo_copy_arrives(const struct bfo_copy *c);

/* Bytes of the target's blocks: of one that is open, or as the user asks mke2fs; 0: not known. */
uint32_t bfo_copy_block_size(const struct bfo_copy *c);

/* How c->job is to be done, by the options. */
void bfo_copy_configure(struct bfo_copy *c);

/* The manifests, once all data have gone by: of a copy whose plan is complete. */
errcode_t bfo_copy_write_manifests(struct bfo_copy *c);

/* Refuses options that mean nothing for a target of its kind: of a volume, too. */
errcode_t bfo_export_check(struct bfo_copy *c);

/* The steps of a copy to what is no volume. */
errcode_t bfo_export_open(struct bfo_copy *c);
errcode_t bfo_export_plan(struct bfo_copy *c);
errcode_t bfo_export_commit(struct bfo_copy *c);
void bfo_export_close(struct bfo_copy *c);

/* Opens the source, if write_mapfile can be written. */
errcode_t bfo_rescue_open(struct bfo_copy *c);

/*
 * Once all is copied, reports which data became zeroes.  The copy is complete by then: failing to
 * find that out is noted in c->untold, and no failure of the copy.
 */
void bfo_rescue_note_zeroes(struct bfo_copy *c);

/*
 * Chooses what is going to be formatted, which nobody must need: a device, a part of one, an image
 * file, or one to be made.
 */
errcode_t bfo_format_choose(struct bfo_copy *c);

/* Formats it, and moves the plan over: from here on the target changes. */
errcode_t bfo_format_target(struct bfo_copy *c);

/*
 * The image file that was made gets its name, now that it is complete; or goes, if there is neither
 * a copy in it that can be resumed nor all of it.
 */
errcode_t bfo_format_publish(struct bfo_copy *c);
void bfo_format_withdraw(struct bfo_copy *c);
void bfo_format_release(struct bfo_copy *c);

/* Words BFO_ET_BUSY of the target: in use by ourselves, as the source? */
errcode_t bfo_format_tell_busy(struct bfo_copy *c);

/*
 * Opens a scratch file that is formatted as the target would be: of c->size, or of one that will
 * do.
 */
errcode_t bfo_sizing_scratch(struct bfo_copy *c, struct bfo_volume **scratch);

/* Makes the plan on scratch files. */
errcode_t bfo_sizing_plan(struct bfo_copy *c);

/* Finds what a target made for this copy alone would need; leaves the plan on VOL. */
errcode_t bfo_sizing_note_smallest(struct bfo_copy *c, struct bfo_volume *vol);

/* Adds that to ERR's message, as there was too little room; the plan is of no further use. */
errcode_t bfo_sizing_tell_smallest(struct bfo_copy *c, errcode_t err);

/* Decides how the plan becomes live: a refusal says what the user may do. */
errcode_t bfo_copy_choose_way(struct bfo_copy *c);

#endif
