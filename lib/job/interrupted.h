/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupted.h - a copy that was interrupted: finding it, going on, giving it up
 *
 *   TARGET ── replay its journal ── record ──┬── its options ── plan again ── the same? go on
 *                                            ├── give back what the record stands for
 *                                            `── none: had the copy come to its end?
 *
 * Resuming is copying once more, by the options in the record, with a target on which, in memory,
 * the record is not there: bfo_interrupted_resume() takes the place of bfo_copy_open(), then come
 * bfo_copy_plan() and bfo_copy_commit().
 */
#ifndef BFO_JOB_INTERRUPTED_H
#define BFO_JOB_INTERRUPTED_H

#include "commit/look.h"
#include "job/copy.h"
#include "job/unfinished.h"

struct bfo_interrupted {
	struct bfo_context *ctx;
	char *target;			/* absolute; that of image.made, if that is what it means */
	struct bfo_unfinished image;	/* an image file that was being made, or none */
	struct bfo_volume *volume;	/* the target; NULL: not open, or a copy has it */
	struct bfo_record record;
	struct bfo_saved_options saved;	/* what the record says */
	enum bfo_left_state state;
	int64_t begun;			/* when the copy was begun, unless there was none */
	char *found_source;		/* where the source is, if it is not where it was */
	const char *old_source;		/* where it was, then */
};

/* How to go on.  Strings are the caller's. */
struct bfo_resume_options {
	/* where the source is now; NULL: where it was, or by its UUID */
	const char *source;
	int in;				/* where - is read from: job/end.h */
	const char *undo_file;		/* for e2undo(8), or NULL */
	uint64_t memory;		/* bytes of buffers */
	int has_bwlimit;		/* bwlimit holds, not that of the copy */
	uint64_t bwlimit;		/* bytes a second */
	int dry_run;
};

/*
 * Opens TARGET, whose journal is replayed first if it has to be, and finds the record.  Returns
 * BFO_ET_NO_RECORD if there is none: then in->state says whether a copy had come to its end.
 */
errcode_t bfo_interrupted_open(struct bfo_interrupted *in, struct bfo_context *ctx,
			       const char *target);

/*
 * What IN, whose record was found, was to do: in->saved.  BFO_ET_RECORD_VERSION, BFO_ET_NO_RECORD.
 */
errcode_t bfo_interrupted_load(struct bfo_interrupted *in);

/* The token with which a stream goes on that was loaded, into TEXT; 0: it is none. */
int bfo_interrupted_token(const struct bfo_interrupted *in, char text[BFO_STREAM_TOKEN_TEXT]);

/* The same without writing: TARGET is opened as a source, as its journal leaves it. */
errcode_t bfo_interrupted_look(struct bfo_interrupted *in, struct bfo_context *ctx,
			       const char *target);

/*
 * Begins C, a copy that goes on with this one, and has its volume from now on; with how->dry_run
 * one that finds out whether that can be done.  BFO_ET_RECORD_VERSION: another version has to go
 * on; BFO_ET_CHANGED: source or target are not what they were.  IN has to stay until C is closed.
 */
errcode_t bfo_interrupted_resume(struct bfo_interrupted *in, const struct bfo_resume_options *how,
				 struct bfo_copy *c);

/*
 * Gives up the copy: the target is as it was before, or the image file removed.  UNDO_FILE may be
 * NULL.
 */
errcode_t bfo_interrupted_abort(struct bfo_interrupted *in, const char *undo_file);

/* BFO_LEFT_WHOLE: does what the copy had left to do, and gives an image file its name. */
errcode_t bfo_interrupted_finish(struct bfo_interrupted *in);

void bfo_interrupted_close(struct bfo_interrupted *in);

#endif
