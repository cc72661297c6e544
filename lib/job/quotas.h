/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quotas.h - quota files of the target, from gathering to the plan
 *
 * Errors: BFO_ET_UNHEALTHY if the quota files of the target are damaged, ENOMEM; those of reading.
 */
#ifndef BFO_JOB_QUOTAS_H
#define BFO_JOB_QUOTAS_H

#include "gather/quota_read.h"
#include "job/job.h"

/*
 * What the plan, whose order is settled, has to know about quota if TARGET keeps it; reads through
 * the source's inode tables then.  If the target is fresh, limits come from the source.
 */
errcode_t bfo_job_quotas_plan(struct bfo_job *job, const struct bfo_volume *target);

/*
 * The limits of JOB's source, a volume, without what is used: FILES, of which there are none if it
 * keeps no quota.  What cannot be read becomes a finding, where it may.  Free them in any case.
 */
errcode_t bfo_job_quotas_limits(struct bfo_job *job, struct bfo_quota_file files[BFO_QUOTA_FILES]);

/* The same for another target that was formatted alike, after bfo_plan_retarget(). */
errcode_t bfo_job_quotas_move(struct bfo_job *job, const struct bfo_volume *target);

#endif
