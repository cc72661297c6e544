// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inode_walk.c - inode tables, read in the order of the device
 */
#include "base/bfo_err.h"
#include "gather/inode_walk.h"

struct walk {
	struct bfo_reader *r;
	bfo_take_inode take;
	bfo_lose_inodes lose;
	void *priv;
	int with_unused;		/* TAKE gets inodes whose link count is 0, too */
	const uint32_t *only;		/* inodes wanted, or NULL for all */
	size_t n_only, next;		/* of which this is the next one, most likely */
	struct bfo_walk_part part;	/* all of it, if it is not one of several */
};

/* Of INO and those behind it, how many to pass over to the next that is wanted. */
static uint32_t skip_to_wanted(struct walk *w, uint32_t ino)
{
	size_t lo = 0, hi = w->n_only, mid;

	if (w->next < w->n_only && w->next && w->only[w->next - 1] < ino && w->only[w->next] >= ino)
		return w->only[w->next++] - ino;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (w->only[mid] < ino)
			lo = mid + 1;
		else
			hi = mid;
	}
	w->next = lo + 1;
	return lo < w->n_only ? w->only[lo] - ino : UINT32_MAX - ino;
}

static uint32_t inodes_per_block(const struct bfo_volume *vol)
{
	return vol->block_size / vol->inode_size;
}

static errcode_t take_one(struct walk *w, uint32_t ino, const void *data)
{
	const struct ext2_inode *raw = data;

	return raw->i_links_count || w->with_unused ? w->take(w->priv, ino, raw) : 0;
}

/* Those of N inodes from INO on, at DATA, that are wanted. */
static errcode_t take_wanted(struct walk *w, uint32_t ino, uint32_t n, const char *data)
{
	errcode_t err = 0;
	uint32_t i;

	for (i = skip_to_wanted(w, ino); i < n && !err; i += 1 + skip_to_wanted(w, ino + i + 1))
		err = take_one(w, ino + i, data + (size_t) i * w->r->vol->inode_size);
	return err;
}

static errcode_t take_all(struct walk *w, uint32_t ino, uint32_t n, const char *data)
{
	errcode_t err = 0;
	uint32_t i;

	for (i = 0; i < n && !err; i++, data += w->r->vol->inode_size)
		err = take_one(w, ino + i, data);
	w->part.slots += n;
	if (!err)
		bfo_progress_report(w->r->ctx, BFO_STAGE_INODES, w->part.slots, w->part.total, 0);
	return err;
}

/*
 * Sink: COUNT blocks of the table of group node->tag, of which the node begins at block node->to.
 */
static errcode_t take_table(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			    const void *data)
{
	struct walk *w = priv;
	const struct bfo_volume *vol = w->r->vol;
	uint32_t used = bfo_volume_group_used(vol, node->tag);
	uint32_t first = (node->to + at) * inodes_per_block(vol), n = count * inodes_per_block(vol);
	uint32_t ino = node->tag * EXT2_INODES_PER_GROUP(vol->fs->super) + first + 1;
	errcode_t err;

	if (n > (used > first ? used - first : 0))
		n = used > first ? used - first : 0;
	err = w->only ? take_wanted(w, ino, n, data) : take_all(w, ino, n, data);
	if (err)
		return err;
	return bfo_cancelled(w->r->ctx) ? bfo_fail(w->r->ctx, BFO_ET_CANCELLED,
						   "reading inode tables") : 0;
}

/* Sink: the same blocks cannot be read. */
static errcode_t lose_table(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	struct walk *w = priv;
	const struct bfo_volume *vol = w->r->vol;
	uint32_t all = EXT2_INODES_PER_GROUP(vol->fs->super);
	uint32_t first = (node->to + at) * inodes_per_block(vol);
	uint32_t n = count * inodes_per_block(vol);

	if (n > all - first)
		n = all - first;
	w->part.slots += n;
	return w->lose(w->priv, node->tag * all + first + 1, n);
}

static uint64_t count_slots(const struct bfo_volume *vol)
{
	uint64_t slots = 0;
	dgrp_t g;

	for (g = 0; g < vol->fs->group_desc_count; g++)
		slots += bfo_volume_group_used(vol, g);
	return slots;
}

/* Nodes for the used parts of the tables of some groups, until they have SLOTS inodes. */
static errcode_t list_tables(struct walk *w, uint64_t slots, bfo_order_list *list)
{
	const struct bfo_volume *vol = w->r->vol;
	uint32_t per_block = inodes_per_block(vol), used;
	errcode_t err = 0;
	uint64_t n = 0;
	dgrp_t *g;

	for (g = &w->part.group; *g < vol->fs->group_desc_count && n < slots && !err; ++*g) {
		used = bfo_volume_group_used(vol, *g);
		n += used;
		if (used)
			err = bfo_vec_push(list, bfo_node_make(ext2fs_inode_table_loc(vol->fs, *g),
					   (used + per_block - 1) / per_block, *g, 0));
	}
	return err;
}

/* Nodes for the table blocks that hold the wanted inodes. */
static errcode_t list_wanted(struct walk *w, bfo_order_list *list)
{
	ext2_filsys fs = w->r->vol->fs;
	uint32_t ipg = EXT2_INODES_PER_GROUP(fs->super), group, block;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < w->n_only && !err; i++) {
		group = (w->only[i] - 1) / ipg;
		block = (w->only[i] - 1) % ipg / inodes_per_block(w->r->vol);
		if (list->n && list->v[list->n - 1].tag == group &&
		    list->v[list->n - 1].to == block)
			continue;
		err = bfo_vec_push(list, bfo_node_make(ext2fs_inode_table_loc(fs, group) + block,
						       1, group, block));
	}
	return err;
}

/* What is wanted, or SLOTS inodes of the tables, in the order of the device. */
static errcode_t list_blocks(struct walk *w, uint64_t slots, bfo_order_list *list)
{
	errcode_t err = w->only ? list_wanted(w, list) : list_tables(w, slots, list);

	bfo_order_list_sort(list);
	return err;
}

static errcode_t walk(struct walk *w, uint64_t slots)
{
	struct bfo_sink sink = { .take = take_table, .lost = w->lose ? lose_table : NULL,
				 .priv = w };
	bfo_order_list list = { 0 };
	errcode_t err;

	if (!w->only && !w->part.total)
		w->part.total = count_slots(w->r->vol);
	err = list_blocks(w, slots, &list);
	if (!err)
		err = bfo_reader_run(w->r, list.v, list.n, &sink);
	bfo_vec_free(&list);
	return err;
}

errcode_t bfo_inode_walk(struct bfo_reader *r, const uint32_t *inos, size_t n, bfo_take_inode take,
			 bfo_lose_inodes lose, void *priv)
{
	struct walk w = { .r = r, .take = take, .lose = lose, .priv = priv, .only = inos,
			  .n_only = n };

	return walk(&w, UINT64_MAX);
}

errcode_t bfo_inode_walk_all(struct bfo_reader *r, bfo_take_inode take, bfo_lose_inodes lose,
			     void *priv)
{
	struct walk w = { .r = r, .take = take, .lose = lose, .priv = priv, .with_unused = 1 };

	return walk(&w, UINT64_MAX);
}

errcode_t bfo_inode_walk_part(struct bfo_reader *r, struct bfo_walk_part *part, uint64_t slots,
			      bfo_take_inode take, void *priv)
{
	struct walk w = { .r = r, .take = take, .priv = priv, .part = *part };
	errcode_t err = walk(&w, slots);

	*part = w.part;
	return err;
}

errcode_t bfo_inode_walk_cost(struct bfo_reader *r, const uint32_t *inos, size_t n,
			      uint64_t *cost)
{
	struct walk w = { .r = r, .only = inos, .n_only = n };
	bfo_order_list list = { 0 };
	errcode_t err = list_blocks(&w, UINT64_MAX, &list);
	uint64_t at = 0;

	*cost = err ? 0 : bfo_reader_cost(r, list.v, list.n, &at);
	bfo_vec_free(&list);
	return err;
}
