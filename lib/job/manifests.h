/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * manifests.h - lists of what is copied, with digests that are computed on the way
 *
 *   open ── begin: the plan is complete ── [sums: data go by] ── write ── close
 *
 * A file is made beside its name, as NAME.XXXXXX, and gets its name when all of it is there.
 *
 * Errors: BFO_ET_OPTION for what is no FORMAT:FILE, EEXIST, ENOMEM, those of files, of digests and
 * of reading.
 */
#ifndef BFO_JOB_MANIFESTS_H
#define BFO_JOB_MANIFESTS_H

#include "export/items.h"
#include "export/manifest.h"
#include "move/sums.h"

struct bfo_manifest_file {
	enum bfo_manifest_format format;
	const char *path;		/* "-": standard output */
	char *made;			/* its name until it is complete */
	int fd;
	uint64_t left_out;		/* names that the format cannot have */
};

struct bfo_manifests {
	struct bfo_context *ctx;
	int out;			/* where "-" goes */
	BFO_VEC(struct bfo_manifest_file) files;
	struct bfo_file_sums sums;
	int has_sums;
};

/*
 * Looks at SPECS, N of them, which have to stay; no two are one file (job/outputs.h).  OUT:
 * standard output, a descriptor.  Free M in any case.
 */
errcode_t bfo_manifests_open(struct bfo_manifests *m, struct bfo_context *ctx,
			     const char *const *specs, size_t n, int out);

/* Prepares sums of what PLAN, which is complete, is to copy; also by ALGORITHMS, or 0. */
errcode_t bfo_manifests_begin(struct bfo_manifests *m, const struct bfo_plan *plan,
			      unsigned int algorithms);

/* The sums that data are to go by, or NULL: none are wanted. */
struct bfo_file_sums *bfo_manifests_sums(struct bfo_manifests *m);

/* Those of ROW; NULL: none are wanted, or known. */
const struct bfo_sums *bfo_manifests_sums_of(const struct bfo_manifests *m, bfo_row row);

/* Writes all of them, of what ITEMS tell: names in the order of their bytes. */
errcode_t bfo_manifests_write(struct bfo_manifests *m, struct bfo_items *items,
			      const struct bfo_manifest_about *about);

void bfo_manifests_close(struct bfo_manifests *m);

#endif
