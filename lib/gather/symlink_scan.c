// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symlink_scan.c - symbolic links whose target does not fit into their inode
 *
 * They are few, and must be looked at before the plan is made: what e2fsck would object to in the
 * target is found here.
 */
#include <string.h>

#include "gather/inode_check.h"
#include "gather/symlink_scan.h"
#include "tree/access.h"

struct scan {
	struct bfo_reader *r;
	struct bfo_tree *tree;
};

static errcode_t damaged(struct bfo_tree *t, bfo_row row, enum bfo_finding_kind kind,
			 uint64_t blk)
{
	t->inodes.v[row].state |= BFO_INODE_BAD;
	return bfo_tree_found(t, kind, t->inodes.v[row].ino, blk);
}

/* Sink: the block cannot be read. */
static errcode_t lose_block(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	struct scan *s = priv;

	(void) at;
	(void) count;
	return damaged(s->tree, node->tag, BFO_UNREAD_SYMLINK, bfo_node_blk(node));
}

/* Sink: the first block of symlink record node->tag. */
static errcode_t take_block(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			    const void *data)
{
	struct scan *s = priv;
	const struct bfo_inode *rec = &s->tree->inodes.v[node->tag];

	(void) at;
	(void) count;
	if (bfo_link_text_ok(data, s->r->vol->block_size, rec->size,
			     !!(rec->flags & EXT4_ENCRYPT_FL)))
		return 0;
	return damaged(s->tree, node->tag, BFO_FOUND_SYMLINK, 0);
}

/* One block, written, at the beginning: anything else is no symlink. */
static int has_one_block(const struct bfo_tree *t, const struct bfo_inode *rec)
{
	const struct bfo_seg *seg = bfo_seg_of(t, rec, 0);

	return bfo_seg_count(t, rec) == 1 && !seg->lblk && seg->len == 1 && !bfo_seg_unwritten(seg);
}

errcode_t bfo_symlink_scan(struct bfo_reader *r, struct bfo_tree *tree)
{
	struct scan s = { .r = r, .tree = tree };
	struct bfo_sink sink = { .take = take_block, .lost = lose_block, .priv = &s };
	bfo_order_list list = { 0 };
	errcode_t err = 0;
	bfo_row i;

	for (i = 0; i < tree->inodes.n && !err; i++) {
		const struct bfo_inode *rec = &tree->inodes.v[i];

		if (!S_ISLNK(rec->mode) || rec->state & (BFO_INODE_BAD | BFO_INODE_FAST |
							  BFO_INODE_INLINE))
			continue;
		if (has_one_block(tree, rec))
			err = bfo_vec_push(&list, bfo_node_make(bfo_seg_of(tree, rec, 0)->blk, 1, i,
								0));
		else
			err = damaged(tree, i, BFO_FOUND_SYMLINK, 0);
	}
	bfo_order_list_sort(&list);
	if (!err)
		err = bfo_reader_run(r, list.v, list.n, &sink);
	bfo_vec_free(&list);
	return err;
}
