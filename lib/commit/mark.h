/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mark.h - how far a source that is read forward has been needed
 */
#ifndef BFO_COMMIT_MARK_H
#define BFO_COMMIT_MARK_H

#include "plan/plan.h"

/*
 * The place in the source before which nothing is needed any more, once the first DONE blocks of
 * the stem are on the medium, of a PLAN whose order is that of the source; UINT64_MAX: nothing at
 * all.
 */
uint64_t bfo_mark_place(const struct bfo_plan *plan, uint64_t done);

#endif
