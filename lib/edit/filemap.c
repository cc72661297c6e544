// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filemap.c - which blocks a draft has
 *
 * A map is never changed in place: the commit writes all of it anew, into free blocks, and frees
 * those that it had.  So of a map only the inode is part of the transaction.
 */
#include <errno.h>
#include <string.h>
#include <ext2fs/ext2fs.h>
#include <ext2fs/ext3_extents.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "edit/filemap.h"
#include "gather/inode_check.h"
#include "gather/inode_scan.h"
#include "plan/plan.h"
#include "tree/access.h"

#define FEW 8U				/* segments, as most of many files have them */
#define UNWRITTEN_FROM 32768U		/* lengths above mean an unwritten extent */

static uint64_t ratio_of(const struct bfo_edit *e)
{
	return e->shape.cluster_blocks;
}

/* Blocks of all segments, whole clusters, each once. */
static uint64_t data_blocks(const struct bfo_edit *e, const struct bfo_draft *n)
{
	uint64_t ratio = ratio_of(e), sum = 0, last = UINT64_MAX, first, end;
	size_t i;

	for (i = 0; i < n->segs.n; i++) {
		first = n->segs.v[i].lblk / ratio;
		end = ((uint64_t) n->segs.v[i].lblk + n->segs.v[i].len - 1) / ratio + 1;
		sum += end - first - (first == last);
		last = end - 1;
	}
	return sum * ratio;
}

static errcode_t damaged(const struct bfo_edit *e, const struct bfo_draft *n)
{
	return bfo_fail(e->ctx, BFO_ET_DAMAGED, "reading the block map of inode %u of %s", n->ino,
			e->vol->spec);
}

/* The extents that stand in the inode: the whole map of most files. */
static errcode_t take_root(struct bfo_edit *e, struct bfo_draft *n, int entries)
{
	const struct ext3_extent *ex = (const void *) ((const char *) n->raw->i_block +
						       sizeof(struct ext3_extent_header));
	uint64_t end = 0;
	errcode_t err = bfo_vec_reserve(&n->segs, (size_t) entries);
	int i;

	for (i = 0; i < entries && !err; i++) {
		uint32_t len = le16(ex[i].ee_len), lblk = le32(ex[i].ee_block);
		uint64_t blk = le32(ex[i].ee_start) | (uint64_t) le16(ex[i].ee_start_hi) << 32;
		uint64_t flags = BFO_SEG_KEPT;

		if (len > UNWRITTEN_FROM) {
			len -= UNWRITTEN_FROM;
			flags |= BFO_SEG_UNWRITTEN;
		}
		if (lblk < end || !bfo_volume_contains(e->vol, blk, len) ||
		    (blk ^ lblk) & (ratio_of(e) - 1))
			return damaged(e, n);
		end = (uint64_t) lblk + len;
		n->segs.v[n->segs.n++] = (struct bfo_seg) { .blk = blk | flags, .lblk = lblk,
							   .len = len };
	}
	return err;
}

/* What a scan of this one inode has found. */
static errcode_t take_record(struct bfo_edit *e, struct bfo_draft *n, struct bfo_tree *t)
{
	uint64_t ratio = ratio_of(e);
	bfo_row row = bfo_tree_find(t, n->ino);
	const struct bfo_inode *rec;
	errcode_t err;
	uint32_t i;

	if (row == BFO_NONE || t->inodes.v[row].state & BFO_INODE_BAD)
		return damaged(e, n);
	rec = &t->inodes.v[row];
	err = bfo_vec_reserve(&n->segs, bfo_seg_count(t, rec));
	for (i = 0; i < bfo_seg_count(t, rec) && !err; i++) {
		n->segs.v[n->segs.n] = *bfo_seg_of(t, rec, i);
		n->segs.v[n->segs.n++].blk |= BFO_SEG_KEPT;
	}
	for (i = 0; i < t->map_blocks.n && !err; i++)
		err = bfo_ranges_add(&n->old_map, t->map_blocks.v[i].blk / ratio * ratio, ratio);
	n->own = t->map_blocks.n * ratio;
	return err;
}

static errcode_t scan(struct bfo_edit *e, struct bfo_draft *n)
{
	struct bfo_tree t = { .keep_map_blocks = 1 };
	errcode_t err = bfo_inode_scan_some(&e->reader, &t, &n->ino, 1);

	if (!err)
		err = take_record(e, n, &t);
	bfo_tree_free(&t);
	return err;
}

errcode_t bfo_draft_map(struct bfo_edit *e, struct bfo_draft *n)
{
	const struct ext3_extent_header *eh = (const void *) n->raw->i_block;
	errcode_t err = 0;
	int entries;

	if (n->is_mapped)
		return 0;
	if (bfo_draft_has_map(n)) {
		entries = bfo_draft_flags(n) & EXT4_EXTENTS_FL && !le16(eh->eh_depth) ?
			  bfo_extent_node_entries(eh, sizeof(n->raw->i_block), 0) : -1;
		err = entries >= 0 ? take_root(e, n, entries) : scan(e, n);
	}
	if (err) {
		n->segs.n = n->old_map.n = 0;
		return err;
	}
	bfo_vec_trim(&n->segs);
	bfo_vec_trim(&n->old_map);
	n->own += data_blocks(e, n);
	n->is_mapped = 1;
	return 0;
}

size_t bfo_filemap_find(const struct bfo_draft *n, uint32_t lblk)
{
	size_t low = 0, high = n->segs.n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if ((uint64_t) n->segs.v[mid].lblk + n->segs.v[mid].len > lblk)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static uint64_t place_of(const struct bfo_seg *s)
{
	return bfo_seg_blk(s) & ~BFO_SEG_FRESH;
}

void bfo_filemap_give(struct bfo_edit *e, const struct bfo_draft *n, uint64_t from, uint64_t to,
		      size_t i)
{
	const struct bfo_seg *s = &n->segs.v[i];
	uint64_t ratio = ratio_of(e), first = s->lblk, end = first + s->len, blk;

	if (first < from)
		first = from;
	if (end > to)
		end = to;
	if (first >= end)
		return;
	blk = place_of(s) + (first - s->lblk);
	end = (blk + (end - first) + ratio - 1) / ratio * ratio;
	blk -= blk % ratio;
	bfo_supply_give(&e->supply, blk, end - blk, !!(s->blk & BFO_SEG_FRESH));
}

/* Appends to OUT, which has room; joins what goes on in the file and on the volume. */
static void append(bfo_segs *out, struct bfo_seg seg)
{
	struct bfo_seg *last = out->n ? &out->v[out->n - 1] : NULL;

	if (last && (uint64_t) last->lblk + last->len == seg.lblk &&
	    last->blk + last->len == seg.blk && (uint64_t) last->len + seg.len <= UINT32_MAX)
		last->len += seg.len;
	else
		out->v[out->n++] = seg;
}

/* What a segment is from logical block LBLK on, LEN blocks. */
static struct bfo_seg part(struct bfo_seg s, uint64_t lblk, uint64_t len)
{
	s.blk += lblk - s.lblk;
	s.lblk = lblk;
	s.len = len;
	return s;
}

errcode_t bfo_filemap_put(struct bfo_edit *e, struct bfo_draft *n, uint64_t from, uint64_t to,
			  const bfo_ranges *add, uint64_t blocks)
{
	size_t first = bfo_filemap_find(n, from), end = first, i, tail, pieces = add ? add->n : 0;
	bfo_segs mid = { 0 };
	uint64_t at = from;
	errcode_t err;

	while (end < n->segs.n && n->segs.v[end].lblk < to)
		end++;
	err = bfo_vec_reserve(&mid, pieces + 3);
	if (!err)
		err = bfo_supply_reserve(&e->supply, end - first);
	if (!err)
		err = bfo_vec_reserve(&n->segs, pieces + 3);
	if (err) {
		bfo_vec_free(&mid);
		return err;
	}
	for (i = first; i < end; i++)
		bfo_filemap_give(e, n, from, to, i);
	if (first && n->segs.v[first - 1].lblk + (uint64_t) n->segs.v[first - 1].len == from)
		append(&mid, n->segs.v[--first]);
	else if (first < end && n->segs.v[first].lblk < from)
		append(&mid, part(n->segs.v[first], n->segs.v[first].lblk,
				  from - n->segs.v[first].lblk));
	for (i = 0; i < pieces && blocks; i++) {
		uint64_t len = add->v[i].len < blocks ? add->v[i].len : blocks;

		append(&mid, (struct bfo_seg) { .blk = add->v[i].start | BFO_SEG_KEPT |
						BFO_SEG_FRESH, .lblk = at, .len = len });
		at += len;
		blocks -= len;
	}
	if (end > first && (uint64_t) n->segs.v[end - 1].lblk + n->segs.v[end - 1].len > to)
		append(&mid, part(n->segs.v[end - 1], to, n->segs.v[end - 1].len -
				  (to - n->segs.v[end - 1].lblk)));
	tail = n->segs.n - end;
	memmove(n->segs.v + first + mid.n, n->segs.v + end, tail * sizeof(*n->segs.v));
	memcpy(n->segs.v + first, mid.v, mid.n * sizeof(*mid.v));
	n->segs.n = first + mid.n + tail;
	if (n->segs.n < FEW)
		bfo_vec_trim(&n->segs);
	n->is_remapped = 1;
	bfo_vec_free(&mid);
	return 0;
}

/* ---- as an inode says it ---- */

/* Takes what the blocks of a map need: a cluster each. */
static errcode_t take_blocks(struct bfo_edit *e, struct bfo_plan *plan, uint32_t blocks)
{
	uint64_t need = blocks * ratio_of(e), at = 0, blk, got;
	errcode_t err = 0;

	for (; at < need && !err; at += got) {
		err = bfo_supply_take(&e->supply, need - at, &blk, &got);
		if (!err)
			err = bfo_supply_use(&e->supply, blk, got);
		if (!err)
			err = bfo_vec_push(&plan->stem, (struct bfo_stem_run) {
					   .at = at, .blk = blk, .len = got });
	}
	return err;
}

static errcode_t write_blocks(struct bfo_edit *e, const struct bfo_plan *plan,
			      const struct bfo_map_tree *tree)
{
	uint32_t k, room;
	errcode_t err = 0;
	void *to;

	for (k = 0; k < tree->blocks && !err; k++) {
		err = bfo_outflow_room(&e->out, bfo_plan_tree_block(plan, tree, k), 1, &to, &room);
		if (!err)
			bfo_map_block(&e->map, plan, tree, k, to);
	}
	return err;
}

/* A plan that has this one file, which stays where it is but for its map. */
static errcode_t encode(struct bfo_edit *e, struct bfo_draft *n, struct bfo_plan *plan)
{
	struct bfo_map *map = &e->map;
	struct bfo_map_tree tree = { 0 };
	errcode_t err = bfo_map_init(map, plan, 0);

	if (!err)
		err = take_blocks(e, plan, map->blocks);
	if (!err)
		err = bfo_draft_set_blocks(e, n, bfo_draft_blocks(e, n) - n->own + map->allocated);
	if (err)
		return err;
	n->own = map->allocated;
	tree.blocks = map->blocks;
	tree.extents = map->ext.n;
	bfo_map_root(map, plan, &tree, n->raw->i_block);
	n->raw->i_flags &= to_le32(~EXT4_EXTENTS_FL);
	if (e->shape.has_extents)
		n->raw->i_flags |= to_le32(EXT4_EXTENTS_FL);
	return write_blocks(e, plan, &tree);
}

/* What was taken for N becomes used, whole clusters. */
static errcode_t use_blocks(struct bfo_edit *e, struct bfo_draft *n)
{
	uint64_t ratio = ratio_of(e), blk, end;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < n->segs.n && !err; i++) {
		if (!(n->segs.v[i].blk & BFO_SEG_FRESH))
			continue;
		n->segs.v[i].blk &= ~BFO_SEG_FRESH;
		blk = place_of(&n->segs.v[i]);
		end = (blk + n->segs.v[i].len + ratio - 1) / ratio * ratio;
		blk -= blk % ratio;
		err = bfo_supply_use(&e->supply, blk, end - blk);
	}
	return err;
}

errcode_t bfo_filemap_encode(struct bfo_edit *e, struct bfo_draft *n)
{
	struct bfo_inode rec = { .mode = S_IFREG, .new_ino = n->ino, .ea = BFO_NONE,
				 .generation = le32(n->raw->i_generation) };
	struct bfo_tree tree = { .block_size = e->vol->block_size };
	struct bfo_plan plan;
	errcode_t err = 0;
	size_t i;

	tree.inodes.v = &rec;
	tree.inodes.n = 1;
	bfo_plan_init(&plan, e->ctx, &tree, &e->shape);
	err = use_blocks(e, n);
	tree.segs.v = n->segs.v;
	tree.segs.n = n->segs.n;
	bfo_segs_set(&tree, &rec, 0, n->segs.n);
	if (!err)
		err = encode(e, n, &plan);
	bfo_vec_free(&plan.stem);
	if (!err)
		err = bfo_supply_reserve(&e->supply, n->old_map.n);
	for (i = 0; i < n->old_map.n && !err; i++)
		bfo_supply_give(&e->supply, n->old_map.v[i].start, n->old_map.v[i].len, 0);
	n->is_remapped = 0;
	return err ? bfo_fail(e->ctx, err, "writing the block map of inode %u of %s", n->ino,
			      e->vol->spec) : 0;
}
