/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boot.h - files in the copy that name the UUID of the source: it does not boot by them
 */
#ifndef BFO_JOB_BOOT_H
#define BFO_JOB_BOOT_H

#include "tree/tree.h"

struct bfo_copy;

/* Zeroed: nothing was looked for. */
struct bfo_boot {
	bfo_rows old;		/* records of the files that name the source's UUID */
};

/*
 * Looks into /etc/fstab and what boot loaders read, if it is copied to the same place, and the
 * target has, or will have, a UUID of its own.  Needs a finished plan.  Errors: ENOMEM, and those
 * of reading.
 */
errcode_t bfo_boot_look(struct bfo_copy *c);
void bfo_boot_free(struct bfo_boot *b);

#endif
