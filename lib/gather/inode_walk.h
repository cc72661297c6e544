/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inode_walk.h - inode tables, read in the order of the device
 */
#ifndef BFO_GATHER_INODE_WALK_H
#define BFO_GATHER_INODE_WALK_H

#include "gather/batch.h"

/* Gets inode INO, RAW as it stands in the table; a non-zero return ends the walk. */
typedef errcode_t (*bfo_take_inode)(void *priv, uint32_t ino, const void *raw);

/* Gets N inodes from INO on that cannot be read, used or not. */
typedef errcode_t (*bfo_lose_inodes)(void *priv, uint32_t ino, uint32_t n);

/* How far a walk in parts has come.  A zeroed one is at the beginning. */
struct bfo_walk_part {
	dgrp_t group;			/* the first one that is left */
	uint64_t slots, total;		/* inodes of the tables, behind us and in all */
};

/*
 * Hands every inode that is in use (its link count is not 0) to TAKE, and reports progress
 * (BFO_STAGE_INODES); or, if INOS is not NULL, of the N inodes in that, ascending, those in use,
 * without progress.  Only the parts of the tables before bg_itable_unused are read; tables that lie
 * next to each other (flex_bg) come out of the same reads.  Can be cancelled.  LOSE may be NULL:
 * then all have to be readable.
 */
errcode_t bfo_inode_walk(struct bfo_reader *r, const uint32_t *inos, size_t n, bfo_take_inode take,
			 bfo_lose_inodes lose, void *priv);

/* The same of all inodes of these tables, in use or not. */
errcode_t bfo_inode_walk_all(struct bfo_reader *r, bfo_take_inode take, bfo_lose_inodes lose,
			     void *priv);

/*
 * The same as bfo_inode_walk() of some groups: those from PART on whose tables have SLOTS inodes,
 * or a few more.  PART moves behind them; its group is the number of groups at the end.  All have
 * to be readable.
 */
errcode_t bfo_inode_walk_part(struct bfo_reader *r, struct bfo_walk_part *part, uint64_t slots,
			      bfo_take_inode take, void *priv);

/*
 * *COST: of reading the N inodes of INOS, ascending, in blocks (bfo_reader_cost()); or, if that is
 * NULL, all that bfo_inode_walk() would read.  ENOMEM.
 */
errcode_t bfo_inode_walk_cost(struct bfo_reader *r, const uint32_t *inos, size_t n,
			      uint64_t *cost);

#endif
