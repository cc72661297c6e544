/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dirimage.h - the blocks of a directory, built from its sorted names
 *
 *   one block:       linear, names in hash order
 *   more, dir_index: block 0 root, then index nodes top down, then leaves in hash order
 *   more, without:   linear blocks in hash order
 *
 * Formats: kernel Documentation/filesystems/ext4/directory.rst.  The tree is built bottom-up:
 * first the leaves' boundaries, then as many index levels as they need (root alone, one level of
 * nodes, with large_dir two).
 */
#ifndef BFO_PLAN_DIRIMAGE_H
#define BFO_PLAN_DIRIMAGE_H

#include "gather/target.h"
#include "tree/tree.h"

#define BFO_DIR_MOST 0xffffffffULL	/* i_size of a directory without large_dir */

struct bfo_dir_leaf {
	uint32_t first;		/* position in names[] */
	uint32_t hash;		/* lowest hash, | 1 if it began in the leaf before */
};

struct bfo_dirimage {
	const struct bfo_tree *tree;
	const struct bfo_target *target;
	uint32_t ino, parent;		/* in the target */
	uint32_t seed;			/* of checksums */
	uint32_t hash_bytes;		/* behind each name: BFO_HASH_BYTES or 0 */
	uint32_t first, end;		/* slice of names[] */
	BFO_VEC(struct bfo_dir_leaf) leaves;
	int indexed;
	uint32_t nodes[2];		/* index nodes below the root: upper level, lower level */
	uint32_t blocks;		/* all */
};

/*
 * Lays out directory record ROW of TREE, filling htree leaves to FILL percent.  Names that are not
 * copied stand for BFO_NONE, as bfo_plan_order() and bfo_plan_leave_out() leave them.  Numbers
 * (inode, parent) need not be known yet.  Returns BFO_ET_DIR_TOO_BIG if TARGET's features cannot
 * hold it.  Release with bfo_dirimage_free(), also after an error.
 */
errcode_t bfo_dirimage_init(struct bfo_dirimage *img, const struct bfo_tree *tree,
			    const struct bfo_target *target, bfo_row row, uint32_t fill);
void bfo_dirimage_free(struct bfo_dirimage *img);

/* Sets the numbers that go into the blocks: the directory's own and its parent's. */
void bfo_dirimage_number(struct bfo_dirimage *img, uint32_t ino, uint32_t parent,
			 uint32_t generation);

/*
 * A region that is no block (plan/inline): where the names from FIRST on end that fit into SIZE
 * bytes, and how many bytes they take; and the region itself, its last entry reaching to its end.
 */
uint32_t bfo_dirimage_fit(const struct bfo_dirimage *img, uint32_t first, uint32_t size,
			  uint32_t *bytes);
void bfo_dirimage_region(const struct bfo_dirimage *img, uint8_t *out, uint32_t size,
			 uint32_t first, uint32_t end);

/* Writes block LBLK of the directory (target block size) to BUF. */
void bfo_dirimage_block(const struct bfo_dirimage *img, uint32_t lblk, void *buf);

#endif
