/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream.h - a source whose data come once, made by chance
 *
 * What it holds is written to a folder, too, for those who judge.  Parts of files are as long, and
 * begin and end at such bytes, as chance wants.
 */
#ifndef UNIT_STREAM_H
#define UNIT_STREAM_H

#include "intake/intake.h"
#include "unit.h"

struct stream {
	struct bfo_intake in;		/* in.source is the source */
	struct bfo_context *ctx;
	struct chance chance;
	char *dir;			/* the folder */
	uint32_t files;			/* besides a few that are always there */
	uint64_t big;			/* bytes of one that comes first; 0: none */
	int sends_smalls;		/* also what could be kept in memory */
	const char *extra;		/* a file more in the root, of that name; or NULL */
	/* set when so many files have come; 0: never */
	uint32_t cancel_after;
	volatile sig_atomic_t cancelled;
	uint32_t come;
	uint64_t dropped;		/* bytes that came, and belong to nothing */
	int smalls;			/* files that stay in memory */
};

/* A source of FILES files; FOLDER: of the run's, is made.  CTX gets a cancel flag. */
void stream_init(struct stream *s, struct bfo_context *ctx, const char *folder, uint64_t seed);

/* Also of one that has arrived; its source's close() does the same. */
void stream_free(struct stream *s);

#endif
