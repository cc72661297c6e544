/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regions.h - which parts of a volume will be wanted as a whole, sooner or later
 *
 * Where batches are scattered over all that is to be read, what lies between the pieces of one
 * belongs to those to come.  So a region that costs less than its pieces one by one is read as a
 * whole when the first of them is wanted: the others find it in the page cache, and need not read
 * over gaps any more.  When the last of them has been read, nobody needs it there any more.
 *
 *   wanted     aaaabbbbccccaaaadddd..bbbb......cccc......dddd  files a b c d, batches {a} {b} {c d}
 *   regions    [ all wanted ][    much   ][ hardly anything ]
 *   batch {a}  [------------][-----------]
 *   batch {b}       here, and here, and then they are done
 *
 * Errors: ENOMEM.
 */
#ifndef BFO_GATHER_REGIONS_H
#define BFO_GATHER_REGIONS_H

#include "volume/volume.h"

#define BFO_REGION_BYTES (5U << 20)

struct bfo_region {
	unsigned int wanted : 29;	/* blocks that will be read */
	unsigned int taken : 1;		/* the region was brought into the page cache */
	unsigned int again : 1;		/* if the page cache loses it, it is not taken again */
	unsigned int gone : 1;		/* it was lost, and is never worth being read as a whole */
	uint32_t cost;			/* of reading them piece by piece: blocks, and seeks */
};

struct bfo_regions {
	uint32_t blocks;	/* of a region */
	uint32_t seek;		/* what that costs, in blocks */
	uint64_t next;		/* block behind the piece that was added last */
	size_t held;		/* regions that are taken, and of which more will be read */
	size_t most;		/* the most that were held at a time */
	struct bfo_region *v;
	size_t n;
};

/*
 * What it costs to go on at block TO, behind FROM: no more than SEEK, nor than what lies between.
 */
static inline uint64_t bfo_skip_cost(uint64_t from, uint64_t to, uint64_t seek)
{
	return to >= from && to - from < seek ? to - from : seek;
}

/* Blocks of LEN from BLK on that lie in the region of the first one. */
uint64_t bfo_regions_within(const struct bfo_regions *s, uint64_t blk, uint64_t len);

/* One for all blocks of VOL, of which none is wanted yet, where a seek costs SEEK blocks. */
errcode_t bfo_regions_init(struct bfo_regions *s, const struct bfo_volume *vol, uint32_t seek);
/* The same again, in TO, to be taken on trial. */
errcode_t bfo_regions_copy(struct bfo_regions *to, const struct bfo_regions *s);
void bfo_regions_free(struct bfo_regions *s);

/* LEN blocks from BLK on, which lie in the volume, will be read, once, after those added before. */
void bfo_regions_add(struct bfo_regions *s, uint64_t blk, uint64_t len);

/* LEN blocks from BLK on, which were added, have been read: no region is for them any more. */
void bfo_regions_drop(struct bfo_regions *s, uint64_t blk, uint64_t len);

/* Bytes of all that are worth being read as a whole. */
uint64_t bfo_regions_worth(const struct bfo_regions *s);

/* True if the region of block BLK is worth being read as a whole, or was taken and not lost. */
int bfo_regions_hold(const struct bfo_regions *s, uint64_t blk);

/* True if regions for which bfo_regions_hold() is true have all LEN blocks from BLK on. */
int bfo_regions_hold_all(const struct bfo_regions *s, uint64_t blk, uint64_t len);

/*
 * Bytes to charge to LEN wanted blocks from BLK on if regions are used: for each region that is not
 * yet read, its size times the share of its wanted blocks that these are.
 */
uint64_t bfo_regions_share(const struct bfo_regions *s, uint64_t blk, uint64_t len);

/*
 * The first region that LEN blocks from BLK on touch, and that is worth being read as a whole: its
 * first block in *START, and its blocks, or 0 if there is none (any more: it is taken by this).
 */
uint32_t bfo_regions_take(struct bfo_regions *s, uint64_t blk, uint64_t len, uint64_t *start);

/*
 * The first region that LEN blocks from BLK on touch, that was taken, given up or not, and of
 * which nothing will be read any more: its first block in *START, and its blocks, or 0 if there
 * is none (any more: it is forgotten by this).
 */
uint32_t bfo_regions_forget(struct bfo_regions *s, uint64_t blk, uint64_t len, uint64_t *start);

/*
 * Not all of the region of block BLK, which was taken, could be read: it will not be taken again.
 */
void bfo_regions_read_in_part(struct bfo_regions *s, uint64_t blk);

/*
 * The page cache has lost the region of block BLK, which was taken.  The first time that says
 * little: somebody may have dropped the whole cache.  It is taken again if still worth it.  The
 * second time it is given up.
 */
void bfo_regions_lose(struct bfo_regions *s, uint64_t blk);

#endif
