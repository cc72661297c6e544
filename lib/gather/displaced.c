// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * displaced.c - files of a volume that lose names to others, and what they give back
 *
 *   inodes ── links: who goes ── segments, maps ───────────────────────────────> freed
 *     `─ attributes in inodes ─────────────────┐                                   ^
 *     `─ attribute blocks ── references left? ─┴─> values ── references left? ── segments, maps
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "base/sort.h"
#include "gather/displaced.h"
#include "gather/inode_check.h"
#include "gather/inode_scan.h"
#include "gather/inode_walk.h"
#include "tree/access.h"
#include "tree/xattr.h"

/* References that an inode of a value loses. */
struct value_use {
	uint32_t ino, refs;
};

/* An attribute block, of which the record ROW gives up a reference. */
struct ea_use {
	uint64_t blk;
	bfo_row row;
};

struct gathering {
	struct bfo_reader *r;
	struct bfo_displaced *d;
	size_t first;		/* of those inodes of `d` that are looked at */
	struct bfo_tree tree;	/* these */
	BFO_VEC(struct ea_use) eas;
	BFO_VEC(struct value_use) values;
	uint32_t cluster_blocks;
};

static errcode_t damaged(const struct gathering *g, uint32_t ino, const char *what)
{
	return bfo_fail(g->r->ctx, BFO_ET_UNHEALTHY, "reading inode %u of %s, which is to be "
			"replaced: %s; please run e2fsck -f %s first", ino, g->r->vol->spec, what,
			g->r->vol->spec);
}

/* Of those that are looked at, the one with number INO. */
static struct bfo_displaced_inode *inode_of(const struct gathering *g, uint32_t ino)
{
	size_t low = g->first, high = g->d->inodes.n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (g->d->inodes.v[mid].ino < ino)
			low = mid + 1;
		else
			high = mid;
	}
	return &g->d->inodes.v[low];
}

/* ---- inodes ---- */

/* The inodes from g->first on as records, with segments and blocks of maps. */
static errcode_t scan(struct gathering *g)
{
	const size_t n = g->d->inodes.n - g->first;
	bfo_numbers inos = { 0 };
	errcode_t err = 0;
	size_t i;

	bfo_tree_free(&g->tree);
	g->tree = (struct bfo_tree) { .keep_map_blocks = 1 };
	for (i = 0; i < n && !err; i++)
		err = bfo_vec_push(&inos, g->d->inodes.v[g->first + i].ino);
	if (!err)
		err = bfo_inode_scan_some(g->r, &g->tree, inos.v, inos.n);
	bfo_vec_free(&inos);
	for (i = 0; i < g->tree.findings.n && !err; i++)
		if (g->tree.findings.v[i].kind != BFO_FOUND_PAST_EOF)
			err = damaged(g, g->tree.findings.v[i].ino,
				      bfo_finding_table[g->tree.findings.v[i].kind].text);
	for (i = 0; i < n && !err; i++)
		if (bfo_tree_find(&g->tree, g->d->inodes.v[g->first + i].ino) == BFO_NONE)
			err = damaged(g, g->d->inodes.v[g->first + i].ino, "it is not in use");
	return err;
}

/* Files go with their last name. */
static void choose_files(struct gathering *g)
{
	size_t i;

	for (i = 0; i < g->tree.inodes.n; i++) {
		struct bfo_displaced_inode *x = inode_of(g, g->tree.inodes.v[i].ino);

		x->goes = x->names >= g->tree.inodes.v[i].links_read;
	}
}

/* ---- blocks ---- */

static int is_used(const struct gathering *g, uint64_t blk, uint64_t len)
{
	blk64_t free;

	return ext2fs_find_first_zero_block_bitmap2(g->r->vol->fs->block_map, blk, blk + len - 1,
						    &free) == ENOENT;
}

/*
 * The clusters of LEN blocks from BLK on, of inode INO, are freed.  *LAST is the end of those that
 * it gave up before: two segments may share a cluster.
 */
static errcode_t give_up(struct gathering *g, uint32_t ino, uint64_t blk, uint64_t len,
			 uint64_t *last)
{
	uint64_t ratio = g->cluster_blocks, end = (blk + len + ratio - 1) / ratio * ratio;

	if (!is_used(g, blk, len))
		return damaged(g, ino, "it has blocks that are free");
	blk -= blk % ratio;
	if (blk < *last && *last <= blk + ratio)
		blk = *last;
	*last = end;
	return blk == end ? 0 : bfo_vec_push(&g->d->freed, (struct bfo_range) { .start = blk,
					     .len = end - blk });
}

static errcode_t give_up_blocks(struct gathering *g)
{
	const struct bfo_tree *t = &g->tree;
	errcode_t err = 0;
	uint64_t last;
	uint32_t k;
	size_t i;

	for (i = 0; i < t->inodes.n; i++) {
		const struct bfo_inode *rec = &t->inodes.v[i];

		last = 0;
		for (k = 0; inode_of(g, rec->ino)->goes && k < bfo_seg_count(t, rec) && !err; k++)
			err = give_up(g, rec->ino, bfo_seg_blk(bfo_seg_of(t, rec, k)),
				      bfo_seg_of(t, rec, k)->len, &last);
	}
	for (i = 0; i < t->map_blocks.n && !err; i++) {
		last = 0;
		if (inode_of(g, t->map_blocks.v[i].ino)->goes)
			err = give_up(g, t->map_blocks.v[i].ino, t->map_blocks.v[i].blk, 1, &last);
	}
	return err;
}

/* No block was given up twice, and the ranges ascend. */
static errcode_t settle_blocks(struct gathering *g)
{
	uint64_t sum = bfo_ranges_total(&g->d->freed);

	bfo_ranges_settle(&g->d->freed);
	return bfo_ranges_total(&g->d->freed) == sum ? 0 :
	       damaged(g, g->d->inodes.v[0].ino, "it shares blocks with another one");
}

/* ---- values of attributes ---- */

/* Counts the values that SET names; each loses a reference if IS_LOST. */
static errcode_t note_values(struct gathering *g, const bfo_xattrs *set, int is_lost,
			     uint32_t *count)
{
	errcode_t err = 0;
	size_t i;

	for (i = *count = 0; i < set->n && !err; i++) {
		if (!set->v[i].inum)
			continue;
		++*count;
		if (is_lost)
			err = bfo_vec_push(&g->values, (struct value_use) {
					   .ino = set->v[i].inum, .refs = 1 });
	}
	return err;
}

/* For the walk: attributes that stand in the inode. */
static errcode_t take_inode(void *priv, uint32_t ino, const void *raw)
{
	struct gathering *g = priv;
	struct bfo_displaced_inode *x = inode_of(g, ino);
	bfo_xattrs set = { 0 };
	errcode_t err;

	if (!x->goes)
		return 0;
	err = bfo_xattrs_of_inode(&set, raw, g->r->vol->inode_size);
	if (!err)
		err = note_values(g, &set, 1, &x->values);
	bfo_vec_free(&set);
	return err == BFO_ET_DAMAGED ? damaged(g, ino, "its attributes are damaged") : err;
}

static errcode_t walk(struct gathering *g, bfo_take_inode take)
{
	bfo_numbers inos = { 0 };
	errcode_t err = 0;
	size_t i;

	for (i = g->first; i < g->d->inodes.n && !err; i++)
		err = bfo_vec_push(&inos, g->d->inodes.v[i].ino);
	if (!err)
		err = bfo_inode_walk(g->r, inos.v, inos.n, take, NULL, g);
	bfo_vec_free(&inos);
	return err;
}

BFO_SORT_BY(by_blk, struct ea_use, blk)

static errcode_t list_eas(struct gathering *g, bfo_order_list *list)
{
	const struct bfo_tree *t = &g->tree;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < t->inodes.n && !err; i++)
		if (inode_of(g, t->inodes.v[i].ino)->goes && t->inodes.v[i].ea != BFO_NONE)
			err = bfo_vec_push(&g->eas, (struct ea_use) { .row = i,
					   .blk = t->eas.v[t->inodes.v[i].ea].blk });
	if (g->eas.n)
		qsort(g->eas.v, g->eas.n, sizeof(*g->eas.v), by_blk);
	for (i = 0; i < g->eas.n && !err; i++)
		if (!i || g->eas.v[i].blk != g->eas.v[i - 1].blk)
			err = bfo_vec_push(list, bfo_node_make(g->eas.v[i].blk, 1, i, 0));
	return err;
}

/* Sink: the attribute block of the uses from node->tag on. */
static errcode_t take_ea(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			 const void *block)
{
	struct gathering *g = priv;
	uint64_t blk = bfo_node_blk(node), last = 0;
	bfo_xattrs set = { 0 };
	size_t i, end = node->tag;
	uint32_t values = 0;
	errcode_t err;
	int goes;

	(void) at;
	(void) count;
	while (end < g->eas.n && g->eas.v[end].blk == blk)
		end++;
	goes = le32(((const struct ext2_ext_attr_header *) block)->h_refcount) <= end - node->tag;
	if (goes)
		err = give_up(g, g->tree.inodes.v[g->eas.v[node->tag].row].ino, blk, 1, &last);
	else
		err = bfo_vec_push(&g->d->eas, (struct bfo_displaced_ea) { blk, end - node->tag });
	if (!err)
		err = bfo_xattrs_of_block(&set, block, g->r->vol->block_size);
	if (!err)
		err = note_values(g, &set, goes, &values);
	for (i = node->tag; i < end && !err; i++)
		inode_of(g, g->tree.inodes.v[g->eas.v[i].row].ino)->values += values;
	bfo_vec_free(&set);
	return err;
}

static errcode_t give_up_attributes(struct gathering *g)
{
	struct bfo_sink sink = { .take = take_ea, .priv = g };
	bfo_order_list list = { 0 };
	errcode_t err = g->tree.ea_inode ? walk(g, take_inode) : 0;

	if (!err)
		err = list_eas(g, &list);
	if (!err)
		err = bfo_reader_run(g->r, list.v, list.n, &sink);
	bfo_vec_free(&list);
	return err;
}

BFO_SORT_BY(by_value, struct value_use, ino)
BFO_SORT_BY(by_ino, struct bfo_displaced_inode, ino)

/* The inodes of values join the others: behind them, for now. */
static errcode_t add_values(struct gathering *g)
{
	errcode_t err = 0;
	size_t i;

	if (g->values.n)
		qsort(g->values.v, g->values.n, sizeof(*g->values.v), by_value);
	for (i = 0; i < g->values.n && !err; i++) {
		const struct value_use *u = &g->values.v[i];

		if (i && u->ino == u[-1].ino)
			g->d->inodes.v[g->d->inodes.n - 1].names++;
		else
			err = bfo_vec_push(&g->d->inodes, (struct bfo_displaced_inode) {
					   .ino = u->ino, .names = 1, .is_value = 1 });
	}
	return err;
}

/* For the walk: an inode of a value, which has its references in ctime and version. */
static errcode_t take_value(void *priv, uint32_t ino, const void *data)
{
	struct gathering *g = priv;
	struct bfo_displaced_inode *x = inode_of(g, ino);
	uint64_t refs = bfo_inode_value_refs(data);

	if (!(le32(((const struct ext2_inode *) data)->i_flags) & EXT4_EA_INODE_FL) ||
	    refs < x->names)
		return damaged(g, ino, "its references are wrong");
	x->goes = refs == x->names;
	return 0;
}

/* What is left of values whose references go. */
static errcode_t give_up_values(struct gathering *g)
{
	errcode_t err;

	g->first = g->d->inodes.n;
	err = add_values(g);
	if (err || g->first == g->d->inodes.n)
		return err;
	err = scan(g);
	if (!err)
		err = walk(g, take_value);
	return err ? err : give_up_blocks(g);
}

errcode_t bfo_displaced_gather(struct bfo_reader *r, struct bfo_displaced *d)
{
	struct gathering g = { .r = r, .d = d, .cluster_blocks = EXT2FS_CLUSTER_RATIO(r->vol->fs) };
	errcode_t err = d->inodes.n ? scan(&g) : 0;

	if (!err)
		choose_files(&g);
	if (!err)
		err = give_up_blocks(&g);
	if (!err)
		err = give_up_attributes(&g);
	if (!err)
		err = give_up_values(&g);
	if (!err)
		err = settle_blocks(&g);
	if (g.first < d->inodes.n)
		qsort(d->inodes.v, d->inodes.n, sizeof(*d->inodes.v), by_ino);
	bfo_tree_free(&g.tree);
	bfo_vec_free(&g.eas);
	bfo_vec_free(&g.values);
	return err;
}

void bfo_displaced_free(struct bfo_displaced *d)
{
	bfo_vec_free(&d->inodes);
	bfo_vec_free(&d->eas);
	bfo_vec_free(&d->freed);
}
