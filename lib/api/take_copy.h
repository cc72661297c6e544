/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * take_copy.h - what a caller wants of a copy, as the job has it
 */
#ifndef BFO_API_TAKE_COPY_H
#define BFO_API_TAKE_COPY_H

#include "api/handle.h"
#include "job/job_options.h"

struct bfo_api_copy {
	struct bfo_copy_options job;	/* points into the rest, and to what the caller has */
	struct e2bfo_copy_options opt;
	struct bfo_api_end from, to;
	struct bfo_exclude *exclude;
	char *mkfs_args;
};

/* Errors: EINVAL, noted; ENOMEM, those of clocks.  Free it in any case. */
errcode_t bfo_api_take_copy(e2bfo *c, struct bfo_api_copy *a, const struct e2bfo_end *from,
			    const struct e2bfo_end *to, const struct e2bfo_copy_options *opt);
void bfo_api_free_copy(struct bfo_api_copy *a);

#endif
