/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * member_check.h - what a member of an archive of our own says of features, and cannot be true
 */
#ifndef BFO_INTAKE_MEMBER_CHECK_H
#define BFO_INTAKE_MEMBER_CHECK_H

#include "wire/frames.h"

/*
 * Why M cannot be, or NULL.  Whoever parses asks, and whoever is told what was parsed asks again.
 */
const char *bfo_member_check(const struct bfo_member *m);

/* Byte behind the data of M, a file, without what it has behind its end. */
uint64_t bfo_member_body_end(const struct bfo_member *m);

#endif
