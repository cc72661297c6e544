/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * digest.h - what a plan is known by, so that the same can be recognised when it is made again
 *
 * Source, target and options determine a plan (P6).  Whoever goes on with an interrupted copy makes
 * the plan anew; if a source or target has changed meanwhile, one of these sums has too.  They
 * guard against accidents, not against malice.
 */
#ifndef BFO_PLAN_DIGEST_H
#define BFO_PLAN_DIGEST_H

#include "plan/plan.h"

enum bfo_digest_part {
	BFO_DIGEST_INODES,	/* records, in the order in which they are in the target */
	BFO_DIGEST_NAMES,
	BFO_DIGEST_SEGS,	/* where the source's blocks are, and those that are kept */
	BFO_DIGEST_ATTRIBUTES,
	BFO_DIGEST_STEM,	/* where the target's are going to be */
	BFO_DIGEST_TARGET,	/* what of it is free, and what is merged with */
	BFO_DIGEST_PARTS
};

struct bfo_digest {
	uint32_t sum[BFO_DIGEST_PARTS];		/* crc32c */
};

/* After bfo_plan_space(). */
void bfo_plan_digest(const struct bfo_plan *plan, struct bfo_digest *d);

#endif
