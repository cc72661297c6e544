/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resume_tell.h - what e2bfo resume tells where it has copied nothing
 *
 * Each returns the exit status.  ERR, if not 0, happened while WHAT.
 */
#ifndef E2BFO_COPY_RESUME_TELL_H
#define E2BFO_COPY_RESUME_TELL_H

#include "copy.h"
#include "interrupted.h"

/* There is no record, nor the end of a copy. */
int resume_tell_none(const struct interrupted *r, errcode_t err, const char *what);

/* The copy that was begun at BEGUN had come to its end. */
int resume_tell_whole(const struct interrupted *r, errcode_t err, const char *what, int64_t begun);

/* --dry-run: there is a record; ERR says why resume cannot go on.  C is as far as that came. */
int resume_tell_record(const struct interrupted *r, const struct copy *c, errcode_t err);

#endif
