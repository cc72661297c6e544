/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs_args.h - the command line of mke2fs(8) for a target alike to the source
 */
#ifndef BFO_JOB_MKFS_ARGS_H
#define BFO_JOB_MKFS_ARGS_H

#include "job/mkfs.h"

#define BFO_MKFS_ARGS_MAX 128

/* A command line under construction; the strings are its own. */
struct bfo_mkfs_args {
	char *v[BFO_MKFS_ARGS_MAX];
	int n;
	int failed;
};

/*
 * Puts together the command line for WHERE.  Returns BFO_ET_OPTION where the user's arguments are
 * none; the caller frees in any case.
 */
errcode_t bfo_mkfs_args_build(const struct bfo_mkfs *m, const struct bfo_mkfs_place *where,
			      struct bfo_mkfs_args *a);
void bfo_mkfs_args_free(struct bfo_mkfs_args *a);

#endif
