/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batches.h - how much is read at once
 *
 * The larger the batch that is sorted and read at once, the fewer the strokes over the source.
 * But more memory is touched, and the writer waits longer for its first chunk to be complete.  So
 * a batch is as small as costs the source next to nothing: small where it lies in the order of
 * the target anyway, or where the page cache makes up for that (gather/cache.h); all that the
 * memory allows elsewhere.
 */
#ifndef BFO_MOVE_BATCHES_H
#define BFO_MOVE_BATCHES_H

#include "gather/cache.h"

/*
 * How to read NODES, which come in the order of `to`, and what will follow them.  *WAY is given
 * with the most that a batch can be.  It is left with a smaller size, but not one below SMALLEST,
 * as long as that costs hardly more.  ENOMEM.
 */
errcode_t bfo_batches_choose(const struct bfo_cache *cache, const bfo_order_list *nodes,
			     uint32_t smallest, struct bfo_cache_way *way);

#endif
