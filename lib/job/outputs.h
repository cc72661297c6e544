/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outputs.h - the files that a copy is to write: no two of them are one
 */
#ifndef BFO_JOB_OUTPUTS_H
#define BFO_JOB_OUTPUTS_H

#include "job/job_options.h"

/*
 * Compares all that OPT wants to be written: the target, if there is one, lists, the mapfile, the
 * undo file, metadata; also by other names of theirs.  BFO_ET_OPTION: two are one file, or both
 * standard output; ENOMEM.
 */
errcode_t bfo_outputs_check(struct bfo_context *ctx, const struct bfo_copy_options *opt);

#endif
