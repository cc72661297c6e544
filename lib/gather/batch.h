/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batch.h - the batch reader: many pieces of a volume in the order in which they lie on it
 *
 * ORDER_LIST of the BFO paper (MSST 2019): nodes sorted by block, near neighbours merged into
 * few large reads ("reading over gaps"), each piece handed back to whom it belongs.  Everything
 * that gathering and copying read goes through here: inode tables, extent blocks, directory
 * blocks, extended attribute blocks, file data.
 *
 * Errors of reading, here and in what is built on it: an errno or EXT2_ET_SHORT_READ of the device,
 * BFO_ET_NOT_RESCUED, BFO_ET_TRUNCATED and BFO_ET_JOURNAL_UNREAD (volume/media.h, journal.h),
 * BFO_ET_CANCELLED, and ENOMEM.  What a sink returns is returned.
 */
#ifndef BFO_GATHER_BATCH_H
#define BFO_GATHER_BATCH_H

#include "base/vec.h"
#include "gather/regions.h"
#include "volume/volume.h"

/* ORDER_NODE. The first two words are the sort key (base/sort.h). */
struct bfo_node {
	uint32_t blk_hi, blk_lo;	/* first block on the volume */
	uint32_t len;			/* blocks, > 0 */
	uint32_t tag;			/* the caller's */
	uint64_t to;			/* the caller's */
};

typedef BFO_VEC(struct bfo_node) bfo_order_list;

static inline uint64_t bfo_node_blk(const struct bfo_node *n)
{
	return (uint64_t) n->blk_hi << 32 | n->blk_lo;
}

static inline struct bfo_node bfo_node_make(uint64_t blk, uint32_t len, uint32_t tag, uint64_t to)
{
	return (struct bfo_node) { .blk_hi = blk >> 32, .blk_lo = blk, .len = len, .tag = tag,
				   .to = to };
}

/* Sorts nodes by block; equal blocks in any order. */
void bfo_order_list_sort(bfo_order_list *list);

/* Blocks of all nodes. */
uint64_t bfo_order_list_blocks(const bfo_order_list *list);

/*
 * What a reader is given.  `take` gets COUNT blocks of NODE from its block AT on, at DATA; every
 * node is delivered whole, in ascending pieces, before the next node begins unless both lie in
 * the same merged read.  A non-zero return ends the reading.
 */
struct bfo_sink {
	errcode_t (*take)(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			  const void *data);
	void *priv;
	/*
	 * If not NULL: where NODE's block AT wants to be read to, directly; NULL: it is taken from
	 * where it was read to, as without that.
	 */
	void *(*place)(void *priv, const struct bfo_node *node, uint32_t at);
	/*
	 * If not NULL: COUNT blocks of NODE from its block AT on cannot be read.  It comes in place
	 * of a take, and without it, or with BFO_MEDIA_STOP, that ends the reading.
	 */
	errcode_t (*lost)(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count);
};

struct bfo_reader {
	struct bfo_context *ctx;
	struct bfo_volume *vol;
	uint32_t gap;		/* blocks: holes up to this are read and thrown away */
	uint32_t seek;		/* blocks that a seek costs if no hole is */
	uint32_t most;		/* blocks of a request */
	void *merge;		/* BFO_MERGE_BYTES */
	struct iovec *iov;	/* BFO_READ_PIECES */
	int direct;		/* source.c's: reads go around the page cache */
	/* gather/cache.c's: those in the page cache; or NULL */
	const struct bfo_regions *regions;
	uint64_t reads;		/* requests issued */
	uint64_t blocks;	/* blocks read, gaps included */
};

#define BFO_MERGE_BYTES (5U << 20)	/* the paper: 2 MB nearly saturates a disk */

#define BFO_READ_PIECES 1024		/* IOV_MAX */

/*
 * GAP: bytes to be read over instead of a seek.  BFO_GAP_OF_DEVICE: 256 KiB, which a disk reads in
 * less time than a seek takes; 32 KiB if the device has no seek times.
 */
#define BFO_GAP_OF_DEVICE UINT32_MAX
errcode_t bfo_reader_init(struct bfo_reader *r, struct bfo_context *ctx, struct bfo_volume *vol,
			  uint32_t gap);
void bfo_reader_free(struct bfo_reader *r);

/* Blocks that are read for N sorted nodes, gaps included. */
uint64_t bfo_reader_span(const struct bfo_reader *r, const struct bfo_node *nodes, size_t n);

/* For sinks that have a place for all blocks: these are where they belong. */
errcode_t bfo_take_in_place(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			    const void *data);

/*
 * True if hardly anything else is read for N sorted nodes: then nobody will want it later, and the
 * page cache may be passed by (device/direct.h).
 */
int bfo_reader_is_dense(const struct bfo_reader *r, const struct bfo_node *nodes, size_t n);

/* What a seek costs, in blocks. */
uint64_t bfo_reader_seek(const struct bfo_reader *r);

/*
 * What reading N sorted nodes costs, in blocks: those read, gaps included, and before each read
 * what is skipped, or a seek.  *AT is the block behind the last one that was read before, and is
 * left so.
 */
uint64_t bfo_reader_cost(const struct bfo_reader *r, const struct bfo_node *nodes, size_t n,
			 uint64_t *at);

/*
 * Reads all N nodes, which must be sorted by block and lie inside the volume.  Blocks known to be
 * bad (volume/media.h) are never asked for, nor read over.  If a request fails, what it was for is
 * read node by node, and what fails then, block by block: only bad blocks are lost, and those in
 * gaps do not matter.
 */
errcode_t bfo_reader_run(struct bfo_reader *r, const struct bfo_node *nodes, size_t n,
			 const struct bfo_sink *sink);

#endif
