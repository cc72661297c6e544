/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy.h - what the parts of `e2bfo copy` share
 *
 *   copy.c     options, job, report; the steps of the job are in lib/job
 *   sizing.c   --mkfs: on scratch files, until one fits
 *   format.c   --mkfs: the target, before and after
 *   order.c    --order
 *   rescue.c   a source that cannot be read well
 *   boot.c     which files of the copy name the source's UUID
 */
#ifndef E2BFO_COPY_COPY_H
#define E2BFO_COPY_COPY_H

#include "boot.h"
#include "job/job.h"
#include "lists.h"
#include "mkfs.h"
#include "copy_options.h"
#include "order.h"

struct copy {
	const char *command;
	struct copy_options opt;
	bfo_chars text;			/* how to do it again: for the record */
	uint64_t resumed;		/* bytes that the copy had, which is resumed */
	struct lists lists;
	struct bfo_context ctx;
	struct bar bar;
	double begun;

	struct bfo_job job;
	struct order order;
	struct boot boot;

	char *path, *path_options;	/* of the target */
	struct mkfs mkfs;
	struct mkfs_place place;	/* what is formatted */
	struct bfo_users users;		/* --mkfs: of the target, before it is opened */
	uint64_t size;			/* of the target, bytes */
	uint64_t smallest;
	char *made;			/* a new image file, until it gets its name */
	int withdrawn;			/* it is removed, as it was of no use */
	int writing;			/* the target, or the file that is to get its name */
	enum bfo_fate fate;		/* what has become of the target so far */
	int formatted;			/* what the target held is gone */
	int committing, written;
	int untold;			/* what else should be known could not be found out or written */
};

/* Opens the source, if --write-mapfile can be written. */
errcode_t rescue_open(struct copy *c);

/*
 * --on-read-error=zero: once all is copied, reports what was not.  The copy is complete by then, so
 * failing to find that out is told, and noted in c->untold, but is no failure of the copy.
 */
void rescue_note_zeroes(struct copy *c);

/* Adds to the message of a failed read what was to be read, and how to go on. */
void rescue_explain(struct copy *c, errcode_t err);

/* --write-mapfile; 0 after a complaint if it could not be written. */
int rescue_write_map(struct copy *c);

/* Everything that has to be decided, on VOL: the target itself or a scratch file like it. */
errcode_t copy_decide(struct copy *c, struct bfo_volume *vol);

/* What a target made for this copy alone would need; leaves the plan on VOL. */
errcode_t copy_note_smallest(struct copy *c, struct bfo_volume *vol);

/* Adds that to ERR's message, as there was too little room; the plan is of no further use. */
errcode_t copy_tell_smallest(struct copy *c, errcode_t err);

/* How the plan becomes live: a refusal says what the user may do. */
errcode_t copy_choose_way(struct copy *c);

/*
 * --mkfs: what is going to be formatted, which nobody must need: a device, a part of one, an image file,
 * or with --size one to be made.
 */
errcode_t format_choose(struct copy *c);

/* Formats it, and moves the plan over: from here on the target changes. */
errcode_t format_target(struct copy *c);

/*
 * The image file that was made gets its name, now that it is complete; or goes, if there is neither a
 * copy in it that can be resumed nor all of it.
 */
errcode_t format_publish(struct copy *c);
void format_withdraw(struct copy *c);
void format_release(struct copy *c);

/* The target is in use: by ourselves, as the source? */
errcode_t format_tell_busy(struct copy *c);

/* The plan, on scratch files. */
errcode_t copy_plan_mkfs(struct copy *c);

/* Reads, plans and writes, once the volumes are open, or it is known what to format. */
errcode_t copy_run(struct copy *c);

/* The source, as c->opt says; everything else that can be read before the target is looked at. */
errcode_t copy_open_source(struct copy *c);

/* Tells people and scripts how it ended; returns the exit status. */
int copy_finish(struct copy *c, errcode_t err);
void copy_release(struct copy *c);

#endif
