/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache.h - what becomes of the page cache while bulk is read: the one place that decides
 *
 * The policy:
 *
 *  1. Bulk of a block device is read around the page cache (device/direct.h).  Nobody wants it
 *     again, and a copy of every byte is saved.
 *  2. Where nobody foretold what will be read, a batch that reads over much is read by way of the
 *     page cache.  The next batch may want what this one read over, and finds it there.
 *  3. Where small batches would jump all over the source, the page cache sorts.  The volume is cut
 *     into regions of 5 MiB (gather/regions.h).  A region that costs less as a whole than piece by
 *     piece is read as a whole at its first piece.
 *  4. Rule 3 holds only if spare memory has room for all regions that are in use at a time.  This
 *     is tried beforehand, without reading.
 *  5. Behind its last piece a region of a device leaves the page cache.  A region of an image file
 *     leaves it only if there is no room for all: the next program may want the image.
 *  6. The kernel may drop a region early.  A sample of reads shows whether the device had to
 *     answer.  Then the region is read as a whole once more.  If it is lost again, the rest of it
 *     is read without rule 3.
 *  7. One buffer that holds all that is left is better than rule 3, where the regions are more than
 *     1.5 times as large as that buffer.  Regions of an image file are in the page cache anyway, so
 *     what is wanted of it has to be as much larger, too: small files, packed (move/fill.h).
 *
 * A copy opens a cache, asks it what batches of some size cost, has it read batch by batch, and
 * closes it.  No one else sets a field.
 */
#ifndef BFO_GATHER_CACHE_H
#define BFO_GATHER_CACHE_H

#include <sys/resource.h>

#include "gather/regions.h"
#include "gather/source.h"

struct bfo_cache {
	struct bfo_source *source;
	/* of the source; NULL if that is no volume: no rule holds */
	struct bfo_reader *r;
	struct bfo_regions regions;	/* of the source; none if rule 3 does not hold */
	int is_foretold;		/* rule 2 does not hold */
	int forgets;			/* by rule 5 */
	/* rule 6: what the thread has waited for.  NULL: the kernel says so; a test may */
	void (*usage)(struct rusage *now);
};

/* Calls USE for each piece that will be read, in the order in which batches will want them. */
typedef void bfo_cache_use(struct bfo_regions *to, uint64_t blk, uint64_t len);
typedef void bfo_cache_wants(const void *priv, struct bfo_regions *to, bfo_cache_use *use);

/* For SOURCE.  WANTS foretells all that will be read; NULL: rules 1 and 2 alone.  ENOMEM. */
errcode_t bfo_cache_open(struct bfo_cache *c, struct bfo_source *source, bfo_cache_wants *wants,
			 const void *priv);

/* How to read NODES, which come in the order of `to`. */
struct bfo_cache_way {
	uint32_t size;		/* of a batch, in units of `to`; the caller's */
	/* bytes of a buffer for NODES, if nothing will be read after them, or 0; the caller's */
	uint64_t all;
	int by_regions;		/* returned: by rule 3 */
	uint64_t cost;		/* returned: in blocks (gather/batch.h) */
};

/*
 * What it costs to read NODES in such batches: by regions, if that is clearly cheaper, or if some
 * are in the page cache already.  Of what is no volume, as if its places were those of a disk; 0 if
 * it is at hand.  ENOMEM.
 */
errcode_t bfo_cache_cost(const struct bfo_cache *c, const bfo_order_list *nodes,
			 struct bfo_cache_way *way);

/* Sorts BATCH by block and reads it.  BY_REGIONS: as bfo_cache_cost() said. */
errcode_t bfo_cache_read(struct bfo_cache *c, bfo_order_list *batch, int by_regions,
			 const struct bfo_sink *sink);

void bfo_cache_close(struct bfo_cache *c);

#endif
