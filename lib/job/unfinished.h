/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unfinished.h - image files that --size was making when the copy was interrupted
 *
 * They stand beside the name that they are to get, under that name with a dot and six letters or
 * digits more.  What tells them from other files of such names is the record in them.
 *
 * Errors: EINVAL if several files may be meant, BFO_ET_BUSY, ENOMEM.
 */
#ifndef BFO_JOB_UNFINISHED_H
#define BFO_JOB_UNFINISHED_H

#include "base/context.h"

struct bfo_unfinished {
	char *made;		/* the file, or NULL: there is none */
	char *name;		/* what it is to be called */
	int replaces;		/* what has that name goes then (--force) */
	int is_whole;		/* all of it is there; it only has not got its name */
};

/*
 * Looks for the file that TARGET, as a user names a volume, stands for: that which is to be called
 * so, or TARGET itself, if that is one.  Refused if there are several, or another e2bfo works on
 * it.  Free in any case.
 */
errcode_t bfo_unfinished_find(struct bfo_context *ctx, const char *target,
			      struct bfo_unfinished *u);
void bfo_unfinished_free(struct bfo_unfinished *u);

#endif
