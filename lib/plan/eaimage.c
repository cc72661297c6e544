// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * eaimage.c - attributes that were repacked, as they stand in the target's inodes and blocks
 */
#include <ext2fs/ext2_fs.h>

#include "plan/eaimage.h"

errcode_t bfo_eaimage_open(struct bfo_eaimage *img, const struct bfo_plan *plan, uint32_t index)
{
	const struct bfo_target *target = plan->target;
	const struct bfo_ea *set;
	uint32_t room = target->inode_size - EXT2_GOOD_OLD_INODE_SIZE - target->extra_isize;
	errcode_t err;

	img->set.n = img->inside.n = 0;
	if (index == BFO_NONE)
		return 0;
	set = &plan->tree->eas.v[index];
	err = bfo_xattrs_unpack(&img->set, plan->tree->sets.v + set->at, set->bytes);
	if (!err)
		err = bfo_vec_reserve(&img->inside, img->set.n);
	if (!err)
		bfo_xattrs_split(&img->set, room - set->reserve, target->block_size, img->inside.v);
	img->inside.n = img->set.n;
	return err;
}

errcode_t bfo_eaimage_add_data(struct bfo_eaimage *img, const void *tail, uint32_t size)
{
	struct bfo_xattr data = { .name_index = BFO_XATTR_SYSTEM, .name_len = 4, .name = "data",
				  .value = tail, .size = size };
	errcode_t err = bfo_vec_push(&img->inside, 1);
	size_t i;

	if (!err)
		err = bfo_vec_push(&img->set, data);
	if (err)
		return err;
	for (i = img->set.n - 1; i && bfo_xattr_compare(&img->set.v[i - 1], &data) > 0; i--) {
		img->set.v[i] = img->set.v[i - 1];	/* sets are sorted */
		img->inside.v[i] = img->inside.v[i - 1];
	}
	img->set.v[i] = data;
	img->inside.v[i] = 1;
	return 0;
}

void bfo_eaimage_number(struct bfo_eaimage *img, const struct bfo_plan *plan)
{
	size_t i;

	for (i = 0; i < img->set.n; i++)
		if (img->set.v[i].inum)
			img->set.v[i].inum = plan->tree->inodes.v[img->set.v[i].inum - 1].new_ino;
}

errcode_t bfo_eaimage_values(const struct bfo_plan *plan, const struct bfo_inode *rec,
			     uint32_t *values)
{
	const struct bfo_ea *set = rec->ea == BFO_NONE ? NULL : &plan->tree->eas.v[rec->ea];
	bfo_xattrs all = { 0 };
	errcode_t err = 0;
	size_t i;

	*values = 0;
	if (!set || !set->has_values)
		return 0;
	err = bfo_xattrs_unpack(&all, plan->tree->sets.v + set->at, set->bytes);
	for (i = 0; i < all.n; i++)
		*values += !!all.v[i].inum;
	bfo_vec_free(&all);
	return err;
}

uint64_t bfo_eaimage_charge(const struct bfo_eaimage *img, const struct bfo_plan *plan)
{
	uint64_t cluster = plan->target->cluster_blocks, sum = 0;
	uint64_t bytes = cluster * plan->target->block_size;
	size_t i;

	for (i = 0; i < img->set.n; i++)
		if (img->set.v[i].inum)
			sum += (img->set.v[i].size + bytes - 1) / bytes * cluster;
	return sum;
}

void bfo_eaimage_free(struct bfo_eaimage *img)
{
	bfo_vec_free(&img->set);
	bfo_vec_free(&img->inside);
}

void bfo_eaimage_inode(const struct bfo_eaimage *img, const struct bfo_plan *plan, void *raw)
{
	bfo_xattrs_put_inode(&img->set, img->inside.v, raw, plan->target->inode_size);
}

void bfo_eaimage_block(const struct bfo_eaimage *img, const struct bfo_plan *plan, void *block)
{
	bfo_xattrs_put_block(&img->set, img->inside.v, block, plan->target->block_size);
}
