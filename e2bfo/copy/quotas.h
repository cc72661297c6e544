/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quotas.h - quota files of the target, from gathering to the plan
 */
#ifndef E2BFO_COPY_QUOTAS_H
#define E2BFO_COPY_QUOTAS_H

#include "gather/batch.h"
#include "plan/plan.h"

/*
 * What PLAN, whose order is settled, has to know about quota if TARGET keeps it; reads through the
 * source's inode tables then.  FRESH: limits come from the source.
 */
errcode_t quotas_plan(struct bfo_plan *plan, struct bfo_reader *reader,
		      const struct bfo_volume *target, int fresh);

/* The same for another target that was formatted alike, after bfo_plan_retarget(). */
errcode_t quotas_move(struct bfo_plan *plan, const struct bfo_volume *target);

#endif
