/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rooms.h - free blocks, one range after the other, for data of which nobody knows how much will
 * come
 *
 * Large ranges come first, ascending; then the others, the longest first.  A file whose size is
 * known goes to one range, if one that is near has room for it; what that leaves behind is taken
 * later, when all ranges have had their turn.
 *
 * Pure: nothing is written here, and nothing is marked.
 */
#ifndef BFO_COMMIT_ROOMS_H
#define BFO_COMMIT_ROOMS_H

#include "base/range.h"

struct bfo_rooms {
	bfo_ranges list;		/* those of this turn, in their order */
	bfo_ranges left;		/* what they leave for the next turn */
	size_t at;			/* the one that is being taken */
	uint64_t unit, large;		/* blocks: of a cluster; of a range that is large */
};

/* FREE: ascending, of whole clusters of UNIT blocks.  LARGE: blocks.  ENOMEM. */
errcode_t bfo_rooms_init(struct bfo_rooms *r, const bfo_ranges *free, uint64_t unit,
			 uint64_t large);
void bfo_rooms_free(struct bfo_rooms *r);

/* N blocks that belong together come next: goes on to a range that has room for all.  ENOMEM. */
errcode_t bfo_rooms_seek(struct bfo_rooms *r, uint64_t n);

/*
 * Takes up to N blocks that lie together: whole clusters from *BLK on, *GOT blocks.
 * BFO_ET_NO_SPACE: there are no more; ENOMEM.
 */
errcode_t bfo_rooms_take(struct bfo_rooms *r, uint64_t n, uint64_t *blk, uint64_t *got);

#endif
