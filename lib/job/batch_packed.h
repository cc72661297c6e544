/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batch_packed.h - members of composite files, as operations of a batch see them
 *
 *   a name that its directory has not ── composite files of the directory ── a member has it
 *   ── all members of that one become drafts with names, as other files have them ── operations
 *   ── the commit: those that may be members still are written anew, in the same inode; others stay
 *
 * So operations know nothing of members.  What they change, remove, rename or set goes by itself:
 * what has another owner then, or a name elsewhere, or is too large, stays a file.  The composite
 * file has no name in between, and gets it back.  Contents stay in memory until they change
 * (n->held): a composite file, at most (--pack-size).
 *
 * Composite files are looked for by their flag and their first bytes, but only under names that end
 * in ".e2pack": who looked at all inodes of a large directory for one that is new there would be
 * slow.  A name that the directory itself has comes first.
 *
 * Each member of a composite file that is open takes an inode number that is free, until the
 * commit.
 */
#ifndef BFO_JOB_BATCH_PACKED_H
#define BFO_JOB_BATCH_PACKED_H

#include "job/batch_state.h"

#define BFO_BATCH_MAX_SIZE (64U << 10)	/* bytes of a member that has grown */
#define BFO_BATCH_PACK_SIZE (4U << 20)	/* bytes of a composite file that has grown */

/*
 * Directory DIR has no NAME: if a composite file in it has, that is opened, and DIR has it then.
 * Errors: BFO_ET_DAMAGED, BFO_ET_EXISTS if another member's name is taken; those of drafts.
 */
errcode_t bfo_batch_look_packed(struct bfo_batch *b, struct bfo_draft *dir, const char *name,
				uint32_t len);

/* A file has become immutable: a directory that had no composite file may have one. */
void bfo_batch_doubt_plain(struct bfo_batch *b);

/* What is open is written anew: a part of the commit. */
errcode_t bfo_batch_fold(struct bfo_batch *b);

/* All is forgotten with the drafts. */
void bfo_batch_forget_packed(struct bfo_batch *b);

#endif
