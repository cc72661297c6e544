/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inode_tables.h - inodes in any order, out of inode tables that are read in pieces, which are kept
 *
 * A piece has BFO_TABLE_PIECE bytes of the used part of a group's table.
 *
 * Errors: ENOMEM, and those of reading (gather/batch.h).
 */
#ifndef BFO_VIEW_INODE_TABLES_H
#define BFO_VIEW_INODE_TABLES_H

#include "gather/batch.h"
#include "view/kept.h"

#define BFO_TABLE_PIECE (128U << 10)	/* a kernel reads so much around an inode */

struct bfo_inode_tables {
	struct bfo_reader *reader;
	struct bfo_kept pieces;
};

void bfo_inode_tables_init(struct bfo_inode_tables *t, struct bfo_reader *r, size_t limit);

/*
 * Reads what is missing for the N inodes of INOS, which do not descend, in the order of the device;
 * *DONE: for so many of them, as some pieces are enough at a time.
 */
errcode_t bfo_inode_tables_want(struct bfo_inode_tables *t, const uint32_t *inos, size_t n,
				size_t *done);

/*
 * *RAW: inode INO of the volume, as it stands in its table, until the next call; NULL: it is in no
 * part of a table that is in use.  *LOST: or because it cannot be read.
 */
errcode_t bfo_inode_tables_find(struct bfo_inode_tables *t, uint32_t ino, const void **raw,
				int *lost);

void bfo_inode_tables_free(struct bfo_inode_tables *t);

#endif
