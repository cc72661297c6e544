/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reproducible.h - what a new filesystem is called and dated by, when the same tree is to give the
 * same bytes
 */
#ifndef BFO_JOB_REPRODUCIBLE_H
#define BFO_JOB_REPRODUCIBLE_H

#include "gather/source.h"
#include "plan/plan.h"

#define BFO_UUID_BYTES 16

struct bfo_identity {
	uint8_t uuid[BFO_UUID_BYTES];
	int64_t newest;			/* seconds: when content was changed last */
};

/* What follows from SEED (NULL: an empty one) alone: UUID seeds the hash of names. */
void bfo_identity_of_seed(const char *seed, uint8_t *uuid);

/*
 * What follows from SEED and from what PLAN, whose order is settled, copies of S: names, and of
 * what they lead to types, permissions, owners, sizes and times, in whatever order they come.  The
 * UUID is of version 8 (RFC 9562).  ENOMEM, and errors of S.
 */
errcode_t bfo_identity_of(struct bfo_source *s, const struct bfo_plan *plan, const char *seed,
			  struct bfo_identity *id);

#endif
