/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owners.h - who is going to own what is copied, as a text that goes into records
 *
 *   owner=N  group=N  users=FROM:TO:COUNT  groups=FROM:TO:COUNT	words, blanks between
 */
#ifndef BFO_JOB_OWNERS_H
#define BFO_JOB_OWNERS_H

#include "tree/amend.h"

/*
 * Reads TEXT, which nobody has checked, into AMEND; NULL says nothing.  EINVAL: it is none, or
 * ranges of FROM overlap.  ENOMEM.  Free the ranges in any case.
 */
errcode_t bfo_owners_read(const char *text, struct bfo_amend *amend);
void bfo_owners_free(struct bfo_amend *amend);

#endif
