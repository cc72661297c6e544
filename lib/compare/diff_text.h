/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_text.h - a difference between two trees, in words
 */
#ifndef BFO_COMPARE_DIFF_TEXT_H
#define BFO_COMPARE_DIFF_TEXT_H

#include "compare/compare.h"

#define BFO_DIFF_PATH_BYTES 8192
#define BFO_DIFF_VALUE_BYTES (BFO_DIFF_PATH_BYTES + 64)	/* a path, or a short text */

/* True for those that have a value on both sides; the others are an offset, or only a name. */
int bfo_diff_has_values(const struct bfo_diff *d);

/* The path of what D is about, into OUT, cut off in front.  Its length. */
size_t bfo_diff_path(const struct bfo_compare *c, const struct bfo_diff *d, char *out, size_t size);

/*
 * What SIDE has, if D has values: bytes as they stand, or words in BUF, which takes
 * BFO_DIFF_VALUE_BYTES.  Times are seconds since 1970, a point, nine digits.  No data: it has none.
 */
struct bfo_bytes bfo_diff_value(const struct bfo_compare *c, const struct bfo_diff *d, int side,
				char *buf);

#endif
