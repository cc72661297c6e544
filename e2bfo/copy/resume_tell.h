/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resume_tell.h - what e2bfo resume tells where it has copied nothing
 *
 * Each returns the exit status.  ERR, if not 0, happened while in->ctx->what says.
 */
#ifndef E2BFO_COPY_RESUME_TELL_H
#define E2BFO_COPY_RESUME_TELL_H

#include "resume_options.h"

/* The copy had come to its end. */
int resume_tell_whole(const struct resume_options *o, const struct bfo_interrupted *in,
		      errcode_t err);

/*
 * --dry-run: there is a record; ERR says why resume cannot go on.  SOURCE: what the copy reads, or
 * NULL if that is not known.
 */
int resume_tell_record(const struct resume_options *o, const struct bfo_interrupted *in,
		       const struct bfo_copy *c, errcode_t err);

#endif
