/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * supply.h - free blocks and inode numbers of a volume that is being changed, between commits, too
 *
 *   free ── taken ── used ── commit
 *     ^^      `─ back ─.
 *     |`───────────────┘
 *     `─ commit ── freed
 *
 * What is given back can be taken again.  What is freed comes free with the commit and not before:
 * until then the volume's inodes lead to it.  Memory: 16 bytes per range.
 *
 * Errors: BFO_ET_NO_SPACE, BFO_ET_NO_INODES; ENOMEM.
 */
#ifndef BFO_EDIT_SUPPLY_H
#define BFO_EDIT_SUPPLY_H

#include "commit/rooms.h"
#include "gather/target.h"
#include "volume/volume.h"

struct bfo_supply {
	struct bfo_rooms rooms;
	bfo_ranges back;		/* blocks that were taken and given back */
	bfo_ranges used, freed;		/* by the commit; settled there */
	bfo_ranges numbers;		/* inode numbers, in the order in which they are used */
	size_t at;			/* the range at hand */
	BFO_VEC(uint32_t) spare;	/* numbers that were taken and given back */
	BFO_VEC(uint32_t) freed_numbers;
};

/* Takes the free ranges of TARGET over, which has none then. */
errcode_t bfo_supply_init(struct bfo_supply *s, const struct bfo_volume *vol,
			  struct bfo_target *target);
void bfo_supply_free(struct bfo_supply *s);

/* Up to N blocks that lie together (whole clusters): *GOT from *BLK on. */
errcode_t bfo_supply_take(struct bfo_supply *s, uint64_t n, uint64_t *blk, uint64_t *got);

/* What there is: blocks, and inode numbers. */
uint64_t bfo_supply_blocks(const struct bfo_supply *s);
uint64_t bfo_supply_numbers(const struct bfo_supply *s);

/* Room for N further ranges that are freed or given back, so that noting these cannot fail. */
errcode_t bfo_supply_reserve(struct bfo_supply *s, size_t n);

/* LEN blocks from BLK on, whole clusters, are needed no more; FRESH: they were taken. */
void bfo_supply_give(struct bfo_supply *s, uint64_t blk, uint64_t len, int fresh);

/* An inode number that is free. */
errcode_t bfo_supply_number(struct bfo_supply *s, uint32_t *ino);

/* INO is needed no more; FRESH: it was taken.  Room for one has to be there: reserve_number(). */
errcode_t bfo_supply_reserve_number(struct bfo_supply *s, size_t n);
void bfo_supply_give_number(struct bfo_supply *s, uint32_t ino, int fresh);

/* LEN blocks from BLK on, of those that were taken, become used. */
errcode_t bfo_supply_use(struct bfo_supply *s, uint64_t blk, uint64_t len);

/* The commit is in place. */
errcode_t bfo_supply_committed(struct bfo_supply *s);

#endif
