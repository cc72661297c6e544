/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quotas.h - quota files of the target, from gathering to the plan
 *
 * Errors: BFO_ET_UNHEALTHY if the quota files of the target are damaged, ENOMEM; those of reading.
 */
#ifndef BFO_JOB_QUOTAS_H
#define BFO_JOB_QUOTAS_H

#include "job/job.h"

/*
 * What the plan, whose order is settled, has to know about quota if TARGET keeps it; reads through
 * the source's inode tables then.  If the target is fresh, limits come from the source.
 */
errcode_t bfo_job_quotas_plan(struct bfo_job *job, const struct bfo_volume *target);

/* The same for another target that was formatted alike, after bfo_plan_retarget(). */
errcode_t bfo_job_quotas_move(struct bfo_job *job, const struct bfo_volume *target);

#endif
