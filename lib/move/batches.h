/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batches.h - how much is read at once, and how
 *
 * The larger the batch that is sorted and read at once, the fewer the strokes over the source, but
 * the more memory is touched, and the longer the writer waits for its first chunk to be complete.
 * So a batch is as small as costs the source next to nothing: small where it lies in the order of
 * the target anyway, or where regions that are read as a whole (gather/regions.h) make up for that;
 * all that the memory allows where neither is so.
 */
#ifndef BFO_MOVE_BATCHES_H
#define BFO_MOVE_BATCHES_H

#include "gather/batch.h"

struct bfo_batching {
	uint32_t size;			/* of a batch, in units of `to` */
	struct bfo_regions *regions;	/* that are read as a whole, or NULL */
};

/*
 * How to read NODES, which come in the order of `to`, and what will follow them.  *HOW is given with
 * the most that a batch can be, and with the regions of all that is still to be read, or NULL.  It is
 * left with the regions only if they make it cheaper, or some are held (what is in the page cache is
 * not read again), and with a smaller size, but not one below SMALLEST, as long as that costs
 * hardly more.
 */
errcode_t bfo_batches_choose(const struct bfo_reader *r, const bfo_order_list *nodes,
			     uint32_t smallest, struct bfo_batching *how);

/*
 * Sorts BATCH by source block and reads it, by way of REGIONS unless that is NULL.  Else it is read
 * past the page cache if it is ALL that will be read, or reads over little: what lies between the
 * pieces of a batch that reads over much is left in the cache for those to come.
 */
errcode_t bfo_batches_read(struct bfo_reader *r, bfo_order_list *batch, int all,
			   struct bfo_regions *regions, const struct bfo_sink *sink);

#endif
