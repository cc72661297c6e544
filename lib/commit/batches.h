/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batches.h - how much of a buffer is read at once
 *
 * The larger the part of the buffer that is sorted and read at once, the fewer the strokes over
 * the source, but the longer the writer waits for the first chunk to be complete.  So a buffer is
 * read in as many batches as cost the source next to nothing: many where it lies in the order of
 * the target anyway, one where it does not.
 */
#ifndef BFO_COMMIT_BATCHES_H
#define BFO_COMMIT_BATCHES_H

#include "gather/batch.h"

/*
 * Reads all NODES, which come in the order of their places in a buffer (`to`, in units), in batches
 * of at least SMALLEST and at most CAPACITY units, each sorted by source block.  Unless these are ALL
 * that will be read, batches that read over much leave that in the page cache for those to come; those
 * that are scattered read REGIONS as a whole (gather/regions.h), unless that is NULL.
 */
errcode_t bfo_batches_read(struct bfo_reader *r, bfo_order_list *nodes, uint32_t capacity,
			   uint32_t smallest, int all, struct bfo_regions *regions,
			   const struct bfo_sink *sink);

#endif
