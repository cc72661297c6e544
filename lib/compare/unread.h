/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unread.h - what of two trees nobody can compare, as one side of it cannot be read
 *
 *   a directory that lacks blocks   what only the other side has may have a name there
 *   a block map that lacks a part   its data and its holes are not known
 *   an attribute block              the other side's attributes may stand there
 *   data                            neither equal nor different
 *
 * What lies there becomes a finding of the side that cannot be read, and no difference.
 *
 * Errors: ENOMEM, BFO_ET_OVERFLOW.
 */
#ifndef BFO_COMPARE_UNREAD_H
#define BFO_COMPARE_UNREAD_H

#include "compare/compare.h"

/* Lists what gathering could not read of SIDE's metadata: c->unread. */
errcode_t bfo_unread_list(struct bfo_compare *c, int side);

/* True if SIDE's record ROW lacks something of KIND: a finding's, BFO_UNREAD_... */
int bfo_unread_has(const struct bfo_compare *c, int side, bfo_row row,
		   enum bfo_finding_kind kind);

/*
 * The number of the first unit of UNIT bytes, from number AT on, that does not touch what is lost
 * of the block maps of either side of PAIR.
 */
uint64_t bfo_unread_skip(const struct bfo_compare *c, uint32_t pair, uint64_t at, uint32_t unit);

/*
 * Compares LEN bytes of the files of PAIR from byte OFFSET on: A and B, as they were read.  *SAME:
 * how many are the same, LEN if all are that can be compared.  What cannot, before that, is told.
 * Counts bytes.
 */
errcode_t bfo_unread_compare(struct bfo_compare *c, uint32_t pair, uint64_t offset, const char *a,
			     const char *b, size_t len, size_t *same);

#endif
