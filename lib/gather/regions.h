/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regions.h - which parts of a volume will be wanted as a whole, sooner or later
 *
 * Where more is to be read than a batch holds, and each batch is scattered over all of it, what lies
 * between the pieces of one belongs to those to come.  So a region of which much is going to be
 * wanted is read as a whole when the first piece of it is: the others find it in the page cache, and
 * need not read over gaps any more.
 *
 *   wanted     aaaabbbbccccaaaadddd..bbbb......cccc......dddd    files a b c d, batches {a} {b} {c d}
 *   regions    [ all wanted ][    much   ][ hardly anything ]
 *   batch {a}  [------------][-----------]
 */
#ifndef BFO_GATHER_REGIONS_H
#define BFO_GATHER_REGIONS_H

#include "volume/volume.h"

#define BFO_REGION_BYTES (5U << 20)

struct bfo_regions {
	uint32_t blocks;	/* of a region */
	uint32_t *wanted;	/* for each: blocks that will be read, or BFO_REGION_TAKEN */
	size_t n;
};

#define BFO_REGION_TAKEN UINT32_MAX

/* One for all blocks of VOL, of which none is wanted yet. */
errcode_t bfo_regions_init(struct bfo_regions *s, const struct bfo_volume *vol);
void bfo_regions_free(struct bfo_regions *s);

/* LEN blocks from BLK on, which lie in the volume, will be read, once. */
void bfo_regions_add(struct bfo_regions *s, uint64_t blk, uint64_t len);

/* Bytes of all that are worth being read as a whole. */
uint64_t bfo_regions_worth(const struct bfo_regions *s, uint32_t block_size);

/* True if the region of block BLK is, or was taken. */
int bfo_regions_hold(const struct bfo_regions *s, uint64_t blk);

/*
 * The first region that LEN blocks from BLK on touch, and that is worth being read as a whole: its
 * first block in *START, and its blocks, or 0 if there is none (any more: it is taken by this).
 */
uint32_t bfo_regions_take(struct bfo_regions *s, uint64_t blk, uint64_t len, uint64_t *start);

#endif
