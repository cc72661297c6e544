/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zeroes.h - blocks of zeroes become holes
 */
#ifndef BFO_GATHER_ZEROES_H
#define BFO_GATHER_ZEROES_H

#include "gather/source.h"

/*
 * Reads all data of files in TREE, in the order of places, and makes holes of all blocks of UNIT
 * bytes (at least the tree's own) that are zero throughout.  Preallocation becomes holes, too.  It
 * takes a bit for each block of data, and a node for each segment.  Errors: ENOMEM,
 * BFO_ET_CANCELLED, those of reading.
 */
errcode_t bfo_zeroes_drop(struct bfo_source *s, struct bfo_tree *tree, uint32_t unit);

#endif
