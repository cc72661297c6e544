/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * charges.h - quota of a volume that is changed: what owners have more, or less
 *
 * Entries that a quota file has are changed where they stand, with the commit and through the
 * journal, as long as that takes few blocks.  Where one comes or goes, or many change, the file is
 * written anew, as any other content.
 *
 * Memory: the quota files, as the volume has them, from the first commit on.
 *
 * Errors: ENOMEM, BFO_ET_UNHEALTHY; those of reading and writing.
 */
#ifndef BFO_EDIT_CHARGES_H
#define BFO_EDIT_CHARGES_H

#include "edit/edit.h"

#define BFO_CHARGES_BLOCKS 32U		/* of one quota file that are changed in place, at most */

/* All changed drafts are charged, as they are now and not as they were.  Part of a commit. */
errcode_t bfo_charges_settle(struct bfo_edit *e);

#endif
