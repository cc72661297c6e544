/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * indexes.h - the container of indexes in a copy: not copied, but kept up to date or made
 *
 * A container in the source is left behind: it lists other inode numbers.  One on the target stays
 * as it is unless a directory that it lists gains names: then that directory's tree is built anew,
 * and all others are taken over.  config.make_indexes makes trees of all big directories that are
 * written.
 */
#ifndef BFO_JOB_INDEXES_H
#define BFO_JOB_INDEXES_H

#include "job/job.h"

void bfo_job_container_free(struct bfo_job_container *it);

#endif
