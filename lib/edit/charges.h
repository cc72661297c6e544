/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * charges.h - quota of a volume that is changed: what owners have more, or less
 *
 * A quota file whose usage changes is written anew, as any other content.  Errors: ENOMEM,
 * BFO_ET_UNHEALTHY; those of reading and writing.
 */
#ifndef BFO_EDIT_CHARGES_H
#define BFO_EDIT_CHARGES_H

#include "edit/edit.h"

/* All changed drafts are charged, as they are now and not as they were.  Part of a commit. */
errcode_t bfo_charges_settle(struct bfo_edit *e);

#endif
