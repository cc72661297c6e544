// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * share.c - who shares which attribute block, and which values in inodes of their own
 *
 * Both count their references.  A block is full at 1024 of them, then another copy begins.  A
 * value counts the entries that name it, those of a shared block once; its inode stands in the
 * order behind the first that uses it.
 */
#include <ext2fs/ext2_fs.h>

#include "plan/eaimage.h"
#include "plan/plan.h"

#define EA_REFS_MAX 1024	/* EXT4_XATTR_REFCOUNT_MAX (fs/ext4/xattr.h) */

/* Counts a reference to the inode's attribute block; when one is full, another copy begins. */
static errcode_t share_ea(struct bfo_tree *t, struct bfo_inode *rec)
{
	uint32_t first = rec->ea, copy;

	if (first == BFO_NONE || t->eas.v[first].no_block)
		return 0;
	copy = t->eas.v[first].copy;
	if (t->eas.v[copy].refs == EA_REFS_MAX) {
		struct bfo_ea again = t->eas.v[first];
		errcode_t err;

		again.refs = 0;
		again.copy = t->eas.n;
		err = bfo_vec_push(&t->eas, again);
		if (err)
			return err;
		copy = t->eas.v[first].copy = t->eas.n - 1;
	}
	t->eas.v[copy].refs++;
	rec->ea = copy;
	return 0;
}

/*
 * Counts the values that record ROW's attributes name: those in the inode, and if the block
 * is NEW, those in the block.  Values that are met for the first time follow in ORDER.
 */
static errcode_t count_values(struct bfo_plan *plan, const struct bfo_inode *rec, int new_block,
			      struct bfo_eaimage *img, bfo_order *order)
{
	struct bfo_tree *t = plan->tree;
	errcode_t err = bfo_eaimage_open(img, plan, rec->ea);
	size_t i;

	for (i = 0; i < img->set.n && !err; i++) {
		struct bfo_value *v;

		if (!img->set.v[i].inum)
			continue;
		v = bfo_tree_value(t, img->set.v[i].inum - 1);
		v->refs += img->inside.v[i] || new_block;
		if (t->inodes.v[v->row].state & BFO_INODE_PLACED)
			continue;
		t->inodes.v[v->row].state |= BFO_INODE_PLACED;
		t->inodes.v[v->row].links = 1;
		err = bfo_vec_push(order, v->row);
	}
	return err;
}

errcode_t bfo_plan_share(struct bfo_plan *plan)
{
	struct bfo_tree *t = plan->tree;
	struct bfo_eaimage img = { 0 };
	bfo_order order = { 0 };
	size_t i, used = 0;
	errcode_t err = 0;

	for (i = 0; i < plan->order.n && !err; i++) {
		struct bfo_inode *rec = bfo_plan_item(plan, i);

		err = share_ea(t, rec);
		if (!err && t->values.n)
			err = bfo_vec_push(&order, plan->order.v[i]);
		if (!err && rec->ea != BFO_NONE && t->eas.v[rec->ea].has_values)
			err = count_values(plan, rec, t->eas.v[rec->ea].refs == 1, &img, &order);
	}
	bfo_eaimage_free(&img);
	for (i = 0; i < t->values.n; i++)
		if (t->values.v[i].refs)
			t->values.v[used++] = t->values.v[i];
	if (t->values.n) {
		bfo_vec_free(&plan->order);
		plan->order = order;
		t->values.n = used;
	}
	return err;
}
