/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pax_member.h - what the records of our own archives say of a member
 */
#ifndef BFO_INTAKE_PAX_MEMBER_H
#define BFO_INTAKE_PAX_MEMBER_H

#include "intake/pax_records.h"

/* Gives M, which has its type, names and attributes, what records alone say.  It points there. */
void bfo_pax_member_tell(const struct bfo_pax_records *r, struct bfo_member *m);

/*
 * What is wrong with M after that, or NULL: what cannot be true together.  The archive has STORED
 * bytes of its data.  The text is constant.
 */
const char *bfo_pax_member_check(const struct bfo_pax_records *r, const struct bfo_member *m,
				 uint64_t stored);

#endif
