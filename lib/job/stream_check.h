/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_check.h - all of a stream is read, without a target: is it whole, and which files lack
 * data if it is not?
 *
 * Its tree has to be whole, or that is the error.  Of a file all damage behind it is found; out of
 * a pipe the first is the error, but for `salvage`, which puts it into a temporary file.
 */
#ifndef BFO_JOB_STREAM_CHECK_H
#define BFO_JOB_STREAM_CHECK_H

#include "intake/stream_tree.h"
#include "job/browse.h"

struct bfo_stream_check {
	struct bfo_browse browse;	/* its tree: files that lack data are findings there */
	uint64_t frames, lost;		/* of data; those that are not there */
	uint64_t files, damaged;	/* regular files; those that lack data */
	uint64_t behind;		/* bytes of a regular file that follow the stream */
};

/* Reads PATH; "-": descriptor IN.  C is to be freed. */
errcode_t bfo_stream_check(struct bfo_stream_check *c, struct bfo_context *ctx, const char *path,
			   int in, int salvage);
void bfo_stream_check_free(struct bfo_stream_check *c);

/* The finding of a part of a file, whose row is *ROW, that is not there; or not one of those. */
int bfo_stream_check_is_hole(const struct bfo_stream_check *c, const struct bfo_finding *f,
			     bfo_row *row);

/* Nothing is missing, and nothing that follows the tree is wrong. */
int bfo_stream_check_is_whole(const struct bfo_stream_check *c);

#endif
