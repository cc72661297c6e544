/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs_args.h - the command line of mke2fs(8) for a target alike to the source
 */
#ifndef E2BFO_COPY_MKFS_ARGS_H
#define E2BFO_COPY_MKFS_ARGS_H

#include "mkfs.h"

#define MKFS_ARGS_MAX 128

/* A command line under construction; the strings are its own. */
struct mkfs_args {
	char *v[MKFS_ARGS_MAX];
	int n;
	int failed;
};

/*
 * Puts together the command line for WHERE.  Returns EINVAL or E2BIG where the user's arguments are
 * none; the caller frees in any case.
 */
errcode_t mkfs_args_build(const struct mkfs *m, const struct mkfs_place *where, struct mkfs_args *a);
void mkfs_args_free(struct mkfs_args *a);

/* True if the option C of mke2fs(8) is among the user's ARGS. */
int mkfs_args_have(const char *args, int c);

/* The value of the last option C in ARGS, cut to SIZE, at OUT; 0 if there is none.  ARGS may be NULL. */
int mkfs_args_last(const char *args, int c, char *out, size_t size);

/* True if they say that there need not be a journal. */
int mkfs_args_waive_journal(const char *args);

#endif
