/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sparse_map.h - which bytes of a file an archive has
 *
 *   parts, from blocks   ####uuuu    ####  uuuu     u: unwritten, all zeroes
 *   the file             ------------------|size
 *   ranges               ####        ####           cut at the size; those that touch are one
 *
 * A member that is sparse begins with its map: the number of ranges, then where each begins and how
 * long it is, decimal, a line each, filled up with NUL to whole blocks; their data follow, one
 * behind the other.  A last range without bytes says where the file ends if a hole does.  That is
 * GNU tar's format 1.0.  Pure functions.
 */
#ifndef BFO_EXPORT_SPARSE_MAP_H
#define BFO_EXPORT_SPARSE_MAP_H

#include "base/vec.h"
#include "export/outlet.h"

struct bfo_sparse_range {
	uint64_t from, len;		/* bytes of the file; LEN > 0 */
};

/* A zeroed one is that of an empty file. */
struct bfo_sparse_map {
	BFO_VEC(struct bfo_sparse_range) ranges;
	uint64_t bytes;			/* of all ranges */
	int has_holes;
};

/*
 * Makes MAP that of bytes FROM to END of ITEM, a regular file; what it was is gone.  Returns 0 or
 * ENOMEM.
 */
errcode_t bfo_sparse_map_make(struct bfo_sparse_map *map, const struct bfo_item *item,
			      uint64_t from, uint64_t end);

/* Appends to OUT, which is empty, the map of a file of SIZE bytes, in whole blocks. */
errcode_t bfo_sparse_map_text(const struct bfo_sparse_map *map, uint64_t size, bfo_chars *out);

/*
 * Appends "FROM,LEN;FROM,LEN...": the parts of ITEM that are unwritten, wherever they lie.  Nothing
 * if there are none.
 */
errcode_t bfo_sparse_map_unwritten(const struct bfo_item *item, bfo_chars *out);

/* The same of all ranges of MAP. */
errcode_t bfo_sparse_map_list(const struct bfo_sparse_map *map, bfo_chars *out);

void bfo_sparse_map_free(struct bfo_sparse_map *map);

#endif
