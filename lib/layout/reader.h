/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.h - what a stock kernel asks of the device when somebody reads whole files
 *
 * The reader reads with read(2) of a fixed size, without read-ahead, with nothing cached at first:
 * each read(2) becomes a request per contiguous run of blocks in it.  Holes, unwritten blocks,
 * blocks past the end of the file and data that stand in the inode cost nothing.
 *
 * Before a file, its inode: the block of the inode table and, as ext4 does it, up to 32 blocks
 * around it that are not cached yet.  Then the blocks of its block map; a directory, block by
 * block.  The order of these is a kernel's only by and large, so that they are counted on their
 * own.
 *
 * Errors: ENOMEM.
 */
#ifndef BFO_LAYOUT_READER_H
#define BFO_LAYOUT_READER_H

#include "tree/tree.h"
#include "layout/cost.h"

#define BFO_READ_BYTES (128U << 10)	/* of a read(2), unless said otherwise */

/* The inode table of a group. */
struct bfo_table {
	uint64_t blk;		/* its first block */
	uint32_t used;		/* inodes before bg_itable_unused */
};

/* Blocks of a directory, in its order. */
struct bfo_dir_run {
	bfo_row row;
	uint32_t len;		/* blocks */
	uint64_t blk;
};

/* Where inodes and directories stand. */
struct bfo_tables {
	BFO_VEC(struct bfo_dir_run) dirs;	/* ascending by record */
	BFO_VEC(struct bfo_table) groups;
	uint32_t group_inodes;	/* of a group; > 0 */
	uint32_t block_inodes;	/* in a block; > 0 */
};

struct bfo_file_reader {
	const struct bfo_tree *t;
	const struct bfo_tables *tables;
	uint32_t bytes;		/* of a read(2), > 0 */
	uint8_t *cached;	/* blocks of inode tables, a bit each */
	struct bfo_cost data;	/* contents of files alone */
	struct bfo_cost all;	/* these and what stands before them */
};

/*
 * Fills tables->dirs from the segments of T's directories, which bfo_names_list() replaces by
 * slices of names: so before that.
 */
errcode_t bfo_tables_add_dirs(struct bfo_tables *tables, const struct bfo_tree *t);
void bfo_tables_free(struct bfo_tables *tables);

/*
 * Begins with nothing cached.  T's map_blocks must ascend by inode number, if they were kept.
 * TABLES NULL: no more than data is counted.  Release with bfo_file_reader_free().
 */
errcode_t bfo_file_reader_init(struct bfo_file_reader *r, const struct bfo_tree *t,
			       const struct bfo_tables *tables, uint32_t bytes);
void bfo_file_reader_free(struct bfo_file_reader *r);

/* Reads record ROW: a regular file or a directory; of anything else the inode alone. */
void bfo_file_reader_read(struct bfo_file_reader *r, bfo_row row);

#endif
