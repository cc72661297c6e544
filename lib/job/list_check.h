/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_check.h - a tree against a list of what it was: a manifest
 *
 *   list ── entries, by path ──┐
 *                              ├── by paths ──> differences
 *   source ── data ── sums ────┘
 *
 * What a format does not say is not compared: sha256sum and hashdeep know regular files alone.
 */
#ifndef BFO_JOB_LIST_CHECK_H
#define BFO_JOB_LIST_CHECK_H

#include "compare/diff.h"
#include "job/copy.h"

/* A difference; valid while it is being told. */
struct bfo_list_check_diff {
	enum bfo_diff_kind kind;
	const char *path;		/* below the root; "" is the root */
	size_t path_len;
	struct bfo_bytes value[2];	/* in the tree, in the list; of MISSING and EXTRA none */
};

struct bfo_list_check_options {
	struct bfo_copy_options copy;	/* which tree, and how it is read */
	enum bfo_manifest_format format;
	const char *list;		/* the file; "-": standard input */
	uint32_t ignore;		/* BFO_DIFF_BIT()s of what is not to be compared */
	void (*found)(void *priv, const struct bfo_list_check_diff *diff);
	void *priv;
};

struct bfo_list_check {
	struct bfo_copy copy;
	struct bfo_list_check_options opt;
	uint64_t differences;
	uint64_t files, dirs, bytes;	/* compared */
};

/*
 * MISSING: the list lacks it; EXTRA: the list has it, the tree has not.  Returns an error if that
 * could not be compared: those of the list (intake/manifest_read.h) and of bfo_copy_hash().
 */
errcode_t bfo_list_check_run(struct bfo_list_check *check, struct bfo_context *ctx,
			const struct bfo_list_check_options *opt);

/* Also of one that was zeroed. */
void bfo_list_check_close(struct bfo_list_check *check);

#endif
