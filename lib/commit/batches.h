/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batches.h - how much is read at once
 *
 * The larger the batch that is sorted and read at once, the fewer the strokes over the source, but
 * the more memory is touched, and the longer the writer waits for its first chunk to be complete.
 * So a batch is as small as costs the source next to nothing: small where it lies in the order of
 * the target anyway, all that the memory allows where it does not.
 */
#ifndef BFO_COMMIT_BATCHES_H
#define BFO_COMMIT_BATCHES_H

#include "gather/batch.h"

/*
 * Makes *SIZE, the most that a batch can be, in units of `to`, smaller, but not below SMALLEST, as
 * long as reading NODES, which come in the order of `to`, in batches of that size costs hardly more.
 */
errcode_t bfo_batches_choose(const struct bfo_reader *r, const bfo_order_list *nodes,
			     uint32_t smallest, uint32_t *size);

/*
 * Sorts BATCH by source block and reads it.  Unless this is ALL that will be read, one that reads
 * over much leaves that in the page cache for those to come; one that is scattered reads REGIONS as
 * a whole (gather/regions.h), unless that is NULL.
 */
errcode_t bfo_batches_read(struct bfo_reader *r, bfo_order_list *batch, int all,
			   struct bfo_regions *regions, const struct bfo_sink *sink);

#endif
