/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify.h - comparing two trees
 *
 *   A ── open ── gather ──┐
 *                         ├── names ── inodes ── data ──> differences
 *   B ── open ── gather ──┘
 *
 * Both are opened as sources: neither can be written (P1).  Where one cannot be read, the rest is
 * compared.  What one of them never tells (gather/source.h) is not compared.
 */
#ifndef BFO_JOB_VERIFY_H
#define BFO_JOB_VERIFY_H

#include "compare/compare.h"
#include "gather/unpacked.h"
#include "job/end.h"
#include "volume/medium.h"

/* Strings are the caller's, and have to stay until the job is closed. */
struct bfo_verify_options {
	const char *volume[2];		/* A, B, as job/end.h has it */
	const char *path[2];		/* subtrees to compare */
	struct bfo_medium medium[2];	/* how they can be read */
	struct bfo_journal_use journal;	/* of both */
	int cross_mounts;		/* of directories: job/end.h */
	const char *metadata_in;	/* what these could not be given; or NULL */
	uint32_t strip;			/* of archives: components that paths lose */
	int in;				/* where - is read from: job/end.h */
	int64_t epoch;			/* of what an archive only implies, as when it was copied */
	uint64_t memory;		/* bytes of buffers */
	uint32_t ignore;		/* BFO_DIFF_BIT()s of what is not to be compared */
	/* Is given each difference, as struct bfo_compare says. */
	void (*found)(void *priv, const struct bfo_diff *diff);
	void *priv;
};

struct bfo_verify {
	struct bfo_context *ctx;
	struct bfo_verify_options opt;
	struct bfo_end end[2];
	struct bfo_volume *volume[2];	/* NULL: not open (yet), or none */
	struct bfo_reader reader[2];	/* of these, */
	struct bfo_source of_volume[2];	/* what they read, */
	struct bfo_unpacked unpacked[2];	/* and these before it */
	struct bfo_source *source[2];
	struct bfo_tree tree[2];
	struct bfo_compare compare;	/* amounts, and the paths of differences */
};

/* Sets up V.  CTX has to stay until it is closed. */
void bfo_verify_init(struct bfo_verify *v, struct bfo_context *ctx,
		     const struct bfo_verify_options *opt);

/*
 * Opens both and compares them; v->compare.differences says how many there are.  Returns an error
 * if that could not be done: one of opening, gathering, BFO_ET_NO_PATH, BFO_ET_CANCELLED ...
 */
errcode_t bfo_verify_run(struct bfo_verify *v);

/* Closes both and frees everything. */
void bfo_verify_close(struct bfo_verify *v);

#endif
