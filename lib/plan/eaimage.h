/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eaimage.h - attributes that were repacked, as they stand in the target's inodes and blocks
 *
 * Errors: ENOMEM.
 */
#ifndef BFO_PLAN_EAIMAGE_H
#define BFO_PLAN_EAIMAGE_H

#include "tree/xattr.h"
#include "plan/plan.h"

/* Scratch space; a zeroed one is ready for use, and may be used for one set after the other. */
struct bfo_eaimage {
	bfo_xattrs set;
	BFO_VEC(uint8_t) inside;
};

/* Unpacks set INDEX, or none if that is BFO_NONE, and splits it for the plan's target. */
errcode_t bfo_eaimage_open(struct bfo_eaimage *img, const struct bfo_plan *plan, uint32_t index);

/* Gives values in inodes of their own the numbers that these have in the target. */
void bfo_eaimage_number(struct bfo_eaimage *img, const struct bfo_plan *plan);

/* How many attributes of REC have their value in an inode of its own. */
errcode_t bfo_eaimage_values(const struct bfo_plan *plan, const struct bfo_inode *rec,
			     uint32_t *values);

/* Blocks that i_blocks counts for values in inodes of their own: each user is charged for them. */
uint64_t bfo_eaimage_charge(const struct bfo_eaimage *img, const struct bfo_plan *plan);

/* Adds the SIZE bytes at TAIL as what inline data has behind i_block; they have to stay there. */
errcode_t bfo_eaimage_add_data(struct bfo_eaimage *img, const void *tail, uint32_t size);
void bfo_eaimage_free(struct bfo_eaimage *img);

/* What goes into the raw inode, behind its i_extra_isize; what goes into the block: no checksum. */
void bfo_eaimage_inode(const struct bfo_eaimage *img, const struct bfo_plan *plan, void *raw);
void bfo_eaimage_block(const struct bfo_eaimage *img, const struct bfo_plan *plan, void *block);

#endif
