/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict.h - is a target what it may be after something went wrong?
 *
 * All functions judge the file scn->target and return NULL, or what is wrong (to be freed).
 */
#ifndef FAULT_VERDICT_H
#define FAULT_VERDICT_H

#include "image.h"
#include "run.h"
#include "state.h"

enum found { FOUND_BEFORE, FOUND_AFTER, FOUND_BETWEEN, FOUND_KINDS };

struct bench {
	struct scenario scn;
	struct image base;		/* what the target was, */
	struct state before, after;	/* and what is in it, before and after a copy */
	struct state *steps;		/* of a batch: after each commit on the way */
	size_t n_steps;
	int atomic;			/* the promise that is held against it */
	int today;			/* the program need not have all commands yet */
};

/*
 * Before or after, or after a commit of a batch, exactly and with as much free space (atomic), or
 * nothing old harmed; *FOUND says which.
 */
char *verdict_state(const struct bench *b, enum found *found);

/*
 * e2fsck -fy mends it; an atomic target must leave it nothing to ask.  *RECORD: there was a record
 * of a copy on the way, which e2fsck has dropped.
 */
char *verdict_mended(const struct bench *b, enum found *found, int *record);

/* e2fsck -fn has no complaint; if atomic, inode tables are zero where groups say so, too. */
char *verdict_clean(const struct bench *b);

/*
 * A target without a journal that says it is clean, which nobody checks, is clean.  NULL also if it
 * does not say so.
 */
char *verdict_mark(const struct bench *b);

/*
 * The kernel mounts it, after which it is clean and as above.  (Without a journal: e2fsck first.)
 */
char *verdict_mounted(const struct bench *b, enum found *found);

/* The same for what runs at boot, e2fsck -p, which must not need more than a journal. */
char *verdict_preened(const struct bench *b, enum found *found);

#endif
