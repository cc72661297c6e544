/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bitmap_check.h - is what the bitmaps of a volume call free claimed by nobody?
 *
 * A kernel trusts the bitmaps of what was unmounted cleanly, and passes on what is wrong in them.
 * Who writes to such a volume relies on more than that: blocks and inodes that it takes belong to
 * nobody, and blocks that it gives back to nobody else.
 */
#ifndef BFO_GATHER_BITMAP_CHECK_H
#define BFO_GATHER_BITMAP_CHECK_H

#include "gather/batch.h"

/*
 * Compares the bitmaps of R's volume, a target, with all its inodes: one pass over the inode
 * tables, and over blocks of block maps.  BFO_ET_UNHEALTHY, with ctx->what naming block and inode,
 * if a block or an inode in use is free there, if a block belongs to two, or if an inode is
 * damaged, so that nobody knows which blocks it has.  What is free, though the bitmaps call it
 * used, does no harm.
 *
 * Nothing is read of a volume that e2fsck has checked since it was last mounted.
 *
 * Memory: a bit per block in use (in pages, base/marks.h), 16 bytes per run of group metadata, and
 * of 2^18 inodes at a time 64 bytes each and 16 per extent.  Reports progress (BFO_STAGE_BITMAPS),
 * and can be cancelled.
 */
errcode_t bfo_bitmap_check(struct bfo_reader *r);

#endif
