// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extent.c - extents of planned items, and the trees that hold them
 */
#include <string.h>
#include <ext2fs/ext2fs.h>
#include <ext2fs/ext3_extents.h>

#include "base/crc32c.h"
#include "base/disk.h"
#include "plan/extent.h"
#include "plan/runs.h"

#define INIT_MAX 32768U			/* longest written extent */
#define UNWRITTEN_MAX 32767U		/* longest unwritten one */

static int joins(const struct bfo_seg *a, const struct bfo_seg *b)
{
	uint32_t max = bfo_seg_unwritten(a) ? UNWRITTEN_MAX : INIT_MAX;

	return a->lblk + (uint64_t) a->len == b->lblk && a->blk + a->len == b->blk &&
	       a->len < max;
}

/* Appends a piece of any length, cut to what the format allows. */
static errcode_t add_piece(bfo_segs *out, struct bfo_seg piece)
{
	uint32_t max = bfo_seg_unwritten(&piece) ? UNWRITTEN_MAX : INIT_MAX, take;
	struct bfo_seg *last = out->n ? &out->v[out->n - 1] : NULL, part;
	errcode_t err = 0;

	while (piece.len && !err) {
		if (last && joins(last, &piece)) {
			take = max - last->len < piece.len ? max - last->len : piece.len;
			last->len += take;
		} else {
			take = piece.len < max ? piece.len : max;
			part = piece;
			part.len = take;
			err = bfo_vec_push(out, part);
		}
		piece.blk += take;
		piece.lblk += take;
		piece.len -= take;
		last = out->n ? &out->v[out->n - 1] : NULL;
	}
	return err;
}

/* LEN blocks of the stem from AT on as extents from logical block LBLK on. */
static errcode_t add_slice(const struct bfo_plan *plan, bfo_segs *out, uint64_t at, uint32_t lblk,
			   uint32_t len, uint64_t flag)
{
	errcode_t err = 0;
	uint64_t blk, run;

	for (; len && !err; len -= run, at += run, lblk += run) {
		blk = bfo_plan_block(plan, at, &run);
		if (run > len)
			run = len;
		err = add_piece(out, (struct bfo_seg) { .blk = blk | flag, .lblk = lblk,
						       .len = run });
	}
	return err;
}

errcode_t bfo_extents_of(const struct bfo_plan *plan, bfo_row row, bfo_segs *out)
{
	const struct bfo_inode *rec = &plan->tree->inodes.v[row];
	struct bfo_run_walk walk;
	struct bfo_run run;
	errcode_t err = 0;

	out->n = 0;
	bfo_runs_begin(&walk, plan, rec);
	while (!err && bfo_runs_next(&walk, &run)) {
		uint64_t flag = run.unwritten ? BFO_SEG_UNWRITTEN : 0;

		if (run.kept)
			err = add_piece(out, (struct bfo_seg) { .blk = run.kept | flag,
							.lblk = run.lblk, .len = run.len });
		else
			err = add_slice(plan, out, rec->stem + run.at, run.lblk, run.len, flag);
	}
	return err;
}

static uint32_t per_block(uint32_t block_size)
{
	return (block_size - sizeof(struct ext3_extent_header) - 4) / sizeof(struct ext3_extent);
}

uint32_t bfo_extent_tree_blocks(uint32_t n, uint32_t block_size)
{
	uint32_t sum = 0, room = per_block(block_size);

	while (n > BFO_ROOT_EXTENTS) {
		n = (n + room - 1) / room;
		sum += n;
	}
	return sum;
}

static void put_header(struct ext3_extent_header *eh, uint32_t entries, uint32_t max,
		       uint32_t depth)
{
	eh->eh_magic = to_le16(EXT3_EXT_MAGIC);
	eh->eh_entries = to_le16(entries);
	eh->eh_max = to_le16(max);
	eh->eh_depth = to_le16(depth);
	eh->eh_generation = 0;
}

static void put_leaf(struct ext3_extent_header *eh, const struct bfo_seg *ext, uint32_t n)
{
	struct ext3_extent *ex = (void *) (eh + 1);
	uint32_t i, len;

	for (i = 0; i < n; i++) {
		len = ext[i].len + (bfo_seg_unwritten(&ext[i]) ? INIT_MAX : 0);
		ex[i].ee_block = to_le32(ext[i].lblk);
		ex[i].ee_len = to_le16(len);
		ex[i].ee_start = to_le32(bfo_seg_blk(&ext[i]));
		ex[i].ee_start_hi = to_le16(bfo_seg_blk(&ext[i]) >> 32);
	}
}

/*
 * N index entries for children from CHILD on of the level whose first block in TREE is BASE; child
 * c's first extent is number c * SPAN.
 */
static void put_index(const struct bfo_plan *plan, struct ext3_extent_header *eh,
		      const struct bfo_map_tree *tree, uint32_t base, const struct bfo_seg *ext,
		      uint32_t child, uint32_t n, uint64_t span)
{
	struct ext3_extent_idx *ix = (void *) (eh + 1);
	uint64_t blk;
	uint32_t i;

	for (i = 0; i < n; i++) {
		blk = bfo_plan_tree_block(plan, tree, base + child + i);
		ix[i].ei_block = to_le32(ext[(child + i) * span].lblk);
		ix[i].ei_leaf = to_le32(blk);
		ix[i].ei_leaf_hi = to_le16(blk >> 32);
		ix[i].ei_unused = 0;
	}
}

/* One level of a tree. */
struct level {
	uint32_t depth;		/* 0 = leaves */
	uint32_t first;		/* its first block in the tree */
	uint32_t blocks;
	uint32_t below;		/* children of all its blocks */
	uint64_t span;		/* extents under one child; 1 for leaves */
};

static struct level first_level(uint32_t extents, uint32_t room)
{
	return (struct level) { .blocks = (extents + room - 1) / room, .below = extents,
				.span = 1 };
}

static struct level next_level(struct level l, uint32_t room)
{
	return (struct level) { .depth = l.depth + 1, .first = l.first + l.blocks,
				.blocks = (l.blocks + room - 1) / room, .below = l.blocks,
				.span = l.span * room };
}

void bfo_extent_root(const struct bfo_plan *plan, const struct bfo_map_tree *tree,
		     const struct bfo_seg *ext, uint32_t n, void *i_block)
{
	uint32_t room = per_block(plan->target->block_size);
	struct ext3_extent_header *eh = i_block;
	struct level l;

	memset(i_block, 0, EXT2_N_BLOCKS * 4);
	if (n <= BFO_ROOT_EXTENTS) {
		put_header(eh, n, BFO_ROOT_EXTENTS, 0);
		put_leaf(eh, ext, n);
		return;
	}
	for (l = first_level(n, room); l.blocks > BFO_ROOT_EXTENTS; )
		l = next_level(l, room);
	put_header(eh, l.blocks, BFO_ROOT_EXTENTS, l.depth + 1);
	put_index(plan, eh, tree, l.first, ext, 0, l.blocks, l.span * room);
}

void bfo_extent_block(const struct bfo_plan *plan, const struct bfo_map_tree *tree,
		      const struct bfo_seg *ext, uint32_t k, void *buf)
{
	const struct bfo_inode *rec = &plan->tree->inodes.v[tree->row];
	uint32_t room = per_block(plan->target->block_size), child, n, crc;
	struct ext3_extent_header *eh = buf;
	struct level l = first_level(tree->extents, room), below = l;
	size_t tail = sizeof(*eh) + room * sizeof(struct ext3_extent);

	while (k >= l.first + l.blocks) {
		below = l;
		l = next_level(l, room);
	}
	child = (k - l.first) * room;
	n = l.below - child < room ? l.below - child : room;
	memset(buf, 0, plan->target->block_size);
	put_header(eh, n, room, l.depth);
	if (l.depth)
		put_index(plan, eh, tree, below.first, ext, child, n, l.span);
	else
		put_leaf(eh, ext + child, n);
	if (!plan->target->has_csum)
		return;
	crc = bfo_crc32c_inode_seed(plan->target->csum_seed, rec->new_ino, rec->generation);
	crc = to_le32(bfo_crc32c(crc, buf, tail));
	memcpy((char *) buf + tail, &crc, sizeof(crc));
}
