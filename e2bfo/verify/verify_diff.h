/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify_diff.h - a difference between two trees, in words
 */
#ifndef E2BFO_VERIFY_VERIFY_DIFF_H
#define E2BFO_VERIFY_VERIFY_DIFF_H

#include "compare/compare.h"
#include "verify_report.h"

/* Tells R of DIFF, which COMPARE has found. */
void verify_diff_tell(struct verify_report *r, const struct bfo_compare *compare,
		      const struct bfo_diff *diff);

#endif
