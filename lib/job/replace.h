/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replace.h - files of a target that what is copied takes the names of
 *
 * Errors: BFO_ET_UNHEALTHY of the target; ENOMEM; those of reading both sides.
 */
#ifndef BFO_JOB_REPLACE_H
#define BFO_JOB_REPLACE_H

#include "job/job.h"

/*
 * Decides the meetings of job->plan, on VOL: once all levels are merged, before the order.  What is
 * in the way joins plan.clashes.
 */
errcode_t bfo_job_replace(struct bfo_job *job, struct bfo_volume *vol);

/* Once it is known what is copied: plan.displaced. */
errcode_t bfo_job_displace(struct bfo_job *job, struct bfo_volume *vol);

#endif
