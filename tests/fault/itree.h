/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * itree.h - is the container of indexes what it may be after something went wrong?
 *
 * As verdict.h: the file scn->target is judged; NULL, or what is wrong (to be freed).
 */
#ifndef FAULT_ITREE_H
#define FAULT_ITREE_H

#include "verdict.h"

/*
 * e2itree -n has nothing to do, or something, and the container of an atomic target is not damaged.
 */
char *itree_sound(const struct bench *b);

/* All indexes are right, whether they are said to be up to date or not. */
char *itree_kept(const struct bench *b);

/*
 * e2itree -p makes it right, and nothing else is different.  Where the target is not atomic there
 * may be something that is no container at all: then it says so and leaves it.
 */
char *itree_mended(const struct bench *b);

/* The target as the cut left it, before e2fsck: e2itree -n, then -p, refuse it or are right. */
char *itree_crashed(const struct bench *b);

#endif
