/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupted.h - what `e2bfo resume` and `e2bfo abort` share
 */
#ifndef E2BFO_COPY_INTERRUPTED_H
#define E2BFO_COPY_INTERRUPTED_H

#include "commit/record.h"
#include "volume/volume.h"
#include "e2bfo/argument.h"
#include "recorded.h"
#include "unfinished.h"

struct interrupted {
	const char *command;
	const char *target;		/* as the user names it */
	const char *source;		/* --source, or NULL */
	const char *undo_file;		/* -z, or NULL */
	int dry_run;
	struct argument_common common;
	char *target_path;		/* absolute; that of image.made, if that is what it means */
	char *source_path;
	const char *old_source;		/* where it was, if it is not there */
	struct unfinished image;	/* that file, or none */
	struct bfo_record record;
	struct recorded said;		/* what it says */
};

/* Reads a command line with OPTIONS; -1, or the exit status to end with.  Free in any case. */
int interrupted_read(struct interrupted *r, int argc, char **argv, const struct option *options,
		     const char *help);
void interrupted_free(struct interrupted *r);

/*
 * Opens the target, whose journal is replayed first if it has to be, and looks for the record.
 * With BFO_ET_NO_RECORD the target stays open.
 */
errcode_t interrupted_open(struct interrupted *r, struct bfo_context *ctx,
			   struct bfo_volume **target);

/* The image file, if the target is one that was being made. */
errcode_t interrupted_find(struct interrupted *r, struct bfo_context *ctx);

/* Nothing was copied: how it ended, to people (DONE, if no error) or scripts.  Returns STATUS. */
int interrupted_tell(const struct interrupted *r, int status, errcode_t err, const char *what,
		     int is_whole, const char *done);

/* When a copy was begun, for people. */
void interrupted_when(int64_t begun, char *out, size_t size);

#endif
