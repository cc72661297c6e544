/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * meta.h - bitmaps and group descriptors of the target
 *
 * Changes are made in memory, where libext2fs has them; the blocks of the groups concerned then go
 * into a transaction, each once, whatever number of files is in them.  Without bfo_meta_stage()
 * they stay in memory.
 *
 * Errors: ENOMEM, and those of writing (commit/writer.h).
 */
#ifndef BFO_COMMIT_META_H
#define BFO_COMMIT_META_H

#include "commit/transaction.h"
#include "plan/plan.h"

struct bfo_meta {
	struct bfo_context *ctx;
	struct bfo_volume *vol;
	ext2_filsys fs;
	uint8_t *touched;	/* per group */
};

errcode_t bfo_meta_open(struct bfo_meta *m, struct bfo_context *ctx, struct bfo_volume *vol);
void bfo_meta_close(struct bfo_meta *m);

/* The clusters of LEN blocks from BLK on become used (USE 1) or free (USE -1). */
void bfo_meta_blocks(struct bfo_meta *m, uint64_t blk, uint64_t len, int use);

/* Inode INO, no directory, becomes used or free; a used one is in the used part of its table. */
void bfo_meta_inode(struct bfo_meta *m, uint32_t ino, int use);

/* The same of a directory. */
void bfo_meta_directory(struct bfo_meta *m, uint32_t ino, int use);

/* Whether the unused rest of group G's inode table is known to be zero. */
void bfo_meta_zeroed(struct bfo_meta *m, dgrp_t g, int zeroed);

/* All that PLAN takes and gives back; attribute blocks that others keep change in T. */
errcode_t bfo_meta_plan(struct bfo_meta *m, struct bfo_plan *plan, struct bfo_transaction *t);

/* Puts the bitmap and descriptor blocks of all groups that were changed since then into T. */
errcode_t bfo_meta_stage(struct bfo_meta *m, struct bfo_transaction *t);

#endif
