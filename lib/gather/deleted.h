/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deleted.h - what inode tables still tell of inodes that were deleted
 *
 * ext4 leaves an inode's type, owner and times where they are when it deletes it.  It clears the
 * size, and of files with extents the map, so contents cannot be found by them.
 *
 * Errors: ENOMEM, and those of reading (gather/batch.h).
 */
#ifndef BFO_GATHER_DELETED_H
#define BFO_GATHER_DELETED_H

#include "gather/inode_walk.h"
#include "tree/tree.h"

struct bfo_deleted {
	uint32_t ino;
	int is_orphan;		/* it was open, without a name, when the volume was last in use */
	int csum_ok;		/* the checksum agrees, or there is none */
	uint32_t dtime;		/* seconds since 1970; 0: not known */
	const void *raw;	/* as it stands in the table; nothing in it was checked */
};

/* A non-zero return ends the scan. */
typedef errcode_t (*bfo_take_deleted)(void *priv, const struct bfo_deleted *d);

/*
 * Hands to TAKE all inodes that were deleted, or were to be when the volume was last in use: those
 * are in orphans->unlinked (gather/orphan_scan.h).  An inode was deleted if it has no links, and a
 * type or a time of deletion; or if it has links and such a time, but is free in the bitmap.
 * The filesystem's own are left out.  Tables are read in the order of the device, up to where they
 * were ever used; bitmaps only for inodes of the second kind.  LOSE as for bfo_inode_walk().
 */
errcode_t bfo_deleted_scan(struct bfo_reader *r, const struct bfo_tree *orphans,
			   bfo_take_deleted take, bfo_lose_inodes lose, void *priv);

#endif
