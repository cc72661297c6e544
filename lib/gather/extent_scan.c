// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extent_scan.c - from block maps to segments
 *
 *   level 0   i_block of every inode                      (read by the inode scan)
 *   level 1   index or leaf blocks they name              sorted, read, parsed
 *   level 2   ...                                         until no level is left (at most 5)
 *
 * What the entries of a block may say is bounded by what its parent said about it: logical
 * ranges nest, depths fall, and no block may be named twice on one level.  So the work is bounded
 * by the size of the volume, whatever a hostile image holds (P8).
 *
 * Block-mapped files (ext2, ext3) take the same road: an indirect block of depth d covers
 * (block_size / 4)^(d+1) blocks.
 */
#include <string.h>

#include "base/disk.h"
#include "base/sort.h"
#include "gather/extent_scan.h"
#include "gather/inode_check.h"
#include "tree/access.h"

#define LBLK_END (1ULL << 32)
#define INIT_MAX_LEN (1U << 15)	/* above: unwritten (ifork.rst) */

/* Blocks covered by one number in an indirect block of DEPTH. */
static uint64_t span_of(const struct bfo_extent_scan *s, uint32_t depth)
{
	uint64_t span = 1, per_block = s->r->vol->block_size / 4;

	while (depth--)
		span *= per_block;
	return span;
}

/* Where the logical blocks end that the block of MAP speaks of, as far as the file reaches. */
static uint64_t end_of(const struct bfo_extent_scan *s, const struct bfo_map_block *map,
		       const struct bfo_inode *rec)
{
	uint64_t bs = s->r->vol->block_size, end = (rec->size + bs - 1) / bs, hi = map->hi;

	if (!(rec->flags & EXT4_EXTENTS_FL))
		hi = map->lo + span_of(s, map->depth + 1);
	return hi < end ? hi : end;
}

/* Nothing of REC can be used if a part of its map is not known. */
static int is_whole(const struct bfo_inode *rec)
{
	return !S_ISDIR(rec->mode) && (!S_ISREG(rec->mode) ||
	       rec->flags & (EXT4_EA_INODE_FL | EXT4_VERITY_FL));
}

/* What MAP, which says it, speaks of is damaged: all of its file, unless the caller wants parts. */
static errcode_t damaged(struct bfo_extent_scan *s, const struct bfo_map_block *map,
			 enum bfo_finding_kind kind, uint64_t blk)
{
	struct bfo_inode *rec = &s->tree->inodes.v[map->row];
	uint64_t end = end_of(s, map, rec);

	if (rec->state & BFO_INODE_BAD)
		return 0;
	if (s->by_parts && !is_whole(rec))
		return bfo_tree_found_part(s->tree, kind, rec->ino, blk, map->lo,
					   end > map->lo ? end - map->lo : 0);
	rec->state |= BFO_INODE_BAD;
	return bfo_tree_found(s->tree, kind, rec->ino, blk);
}

static errcode_t queue_block(struct bfo_extent_scan *s, uint64_t blk, struct bfo_map_block map)
{
	errcode_t err;

	if (!bfo_volume_contains(s->r->vol, blk, 1))
		return damaged(s, &map, BFO_FOUND_EXTENT, blk);
	err = bfo_vec_push(&s->next_maps, map);
	if (err)
		return err;
	return bfo_vec_push(&s->next_level, bfo_node_make(blk, 1, s->next_maps.n - 1, 0));
}

static errcode_t add_seg(struct bfo_tree *t, struct bfo_inode *rec, uint64_t blk, uint32_t lblk,
			 uint32_t len)
{
	struct bfo_seg *last = bfo_seg_count(t, rec) ? &t->segs.v[t->segs.n - 1] : NULL;

	if (last && last->lblk + (uint64_t) last->len == lblk && last->blk + last->len == blk &&
	    (uint64_t) last->len + len <= UINT32_MAX) {
		last->len += len;
		return 0;
	}
	return bfo_tree_add_seg(t, rec, (struct bfo_seg) { .blk = blk, .lblk = lblk, .len = len });
}

/* What of a segment lies before the end of its file. */
static uint32_t cut_off(const struct bfo_extent_scan *s, const struct bfo_inode *rec, uint32_t lblk,
			uint32_t len)
{
	uint64_t bs = s->r->vol->block_size, end = (rec->size + bs - 1) / bs;

	if (lblk >= end)
		return 0;
	return lblk + (uint64_t) len > end ? end - lblk : len;
}

/*
 * Written blocks past the end of a file hold nothing anybody could read; e2fsck objects to them.
 * They are kept as what they can only be: preallocation.
 */
static errcode_t add_past_eof(struct bfo_extent_scan *s, struct bfo_inode *rec,
			      uint64_t blk, uint32_t lblk, uint32_t len)
{
	uint32_t in = cut_off(s, rec, lblk, len);
	errcode_t err = 0;

	if (in)
		err = add_seg(s->tree, rec, blk, lblk, in);
	if (!err && in < len)
		err = add_seg(s->tree, rec, (blk + in) | BFO_SEG_UNWRITTEN, lblk + in, len - in);
	if (!err && in < len)
		err = bfo_tree_found(s->tree, BFO_FOUND_PAST_EOF, rec->ino, blk + in);
	return err;
}

/* True if the next mount will cut the file off at its end. */
static int is_truncated(const struct bfo_tree *t, uint32_t ino)
{
	size_t i = bfo_vec_lower_number(&t->truncated, ino);

	return i < t->truncated.n && t->truncated.v[i] == ino;
}

static errcode_t deliver(struct bfo_extent_scan *s, bfo_row row, uint64_t blk, uint32_t lblk,
			 uint32_t len)
{
	struct bfo_inode *rec = &s->tree->inodes.v[row];

	if (rec->state & BFO_INODE_BAD)
		return 0;
	if (S_ISREG(rec->mode) && is_truncated(s->tree, rec->ino)) {
		len = cut_off(s, rec, lblk, len);
		return len ? add_seg(s->tree, rec, blk, lblk, len) : 0;
	}
	if (!S_ISDIR(rec->mode) && !(blk & BFO_SEG_UNWRITTEN) && !(rec->flags & EXT4_VERITY_FL))
		return add_past_eof(s, rec, blk, lblk, len);
	return add_seg(s->tree, rec, blk, lblk, len);
}

/* A segment: to its inode if the inode has no blocks of map, else aside until all are read. */
static errcode_t emit(struct bfo_extent_scan *s, bfo_row row, uint64_t blk, uint32_t lblk,
		      uint32_t len)
{
	struct bfo_deep_seg *last = s->deep.n ? &s->deep.v[s->deep.n - 1] : NULL;

	if (s->in_inode)
		return deliver(s, row, blk, lblk, len);
	if (last && last->row == row && last->lblk + (uint64_t) last->len == lblk &&
	    last->blk + last->len == blk && (uint64_t) last->len + len <= UINT32_MAX) {
		last->len += len;
		return 0;
	}
	return bfo_vec_push(&s->deep, (struct bfo_deep_seg) { .row = row, .lblk = lblk,
			    .len = len, .blk = blk });
}

/* One node of an extent tree, N sound entries; its parent allows MAP. */
static errcode_t take_extent_node(struct bfo_extent_scan *s, const struct bfo_map_block *map,
				  const struct ext3_extent_header *eh, int n, uint64_t where)
{
	const struct ext3_extent *ex = (const void *) (eh + 1);
	const struct ext3_extent_idx *ix = (const void *) (eh + 1);
	uint64_t expect = map->lo, blk, lblk, hi;
	uint32_t len, unwritten;
	errcode_t err = 0;
	int i;

	for (i = 0; i < n && !err; i++) {
		if (map->depth) {
			lblk = le32(ix[i].ei_block);
			hi = i + 1 < n ? le32(ix[i + 1].ei_block) : map->hi;
			if (lblk < expect || hi <= lblk || hi > map->hi)
				return damaged(s, map, BFO_FOUND_EXTENT, where);
			expect = hi;
			blk = le32(ix[i].ei_leaf) | (uint64_t) le16(ix[i].ei_leaf_hi) << 32;
			err = queue_block(s, blk, (struct bfo_map_block) { .row = map->row,
					  .depth = map->depth - 1, .lo = lblk, .hi = hi });
			continue;
		}
		lblk = le32(ex[i].ee_block);
		len = le16(ex[i].ee_len);
		unwritten = len > INIT_MAX_LEN;
		len -= unwritten ? INIT_MAX_LEN : 0;
		blk = le32(ex[i].ee_start) | (uint64_t) le16(ex[i].ee_start_hi) << 32;
		if (lblk < expect || !len || lblk + len > map->hi ||
		    !bfo_volume_contains(s->r->vol, blk, len))
			return damaged(s, map, BFO_FOUND_EXTENT, where);
		expect = lblk + len;
		err = emit(s, map->row, blk | (unwritten ? BFO_SEG_UNWRITTEN : 0), lblk, len);
	}
	return err;
}

/* N block numbers of a block-mapped file, each standing for SPAN blocks from MAP's first on. */
static errcode_t take_block_numbers(struct bfo_extent_scan *s, const struct bfo_map_block *map,
				    const uint32_t *numbers, uint32_t n, uint64_t span)
{
	errcode_t err = 0;
	uint64_t lblk, blk;
	uint32_t i;

	for (i = 0; i < n && !err; i++) {
		blk = le32(numbers[i]);
		lblk = map->lo + i * span;
		if (!blk)
			continue;
		if (lblk >= map->hi || !bfo_volume_contains(s->r->vol, blk, 1))
			return damaged(s, map, BFO_FOUND_EXTENT, blk);
		if (map->depth)
			err = queue_block(s, blk, (struct bfo_map_block) { .row = map->row,
					  .depth = map->depth - 1, .lo = lblk, .hi = map->hi });
		else
			err = emit(s, map->row, blk, lblk, 1);
	}
	return err;
}

static errcode_t take_block_map(struct bfo_extent_scan *s, bfo_row row,
				const struct ext2_inode *raw)
{
	struct bfo_map_block map = { .row = row, .lo = 0, .hi = LBLK_END };
	errcode_t err = take_block_numbers(s, &map, raw->i_block, EXT2_NDIR_BLOCKS, 1);
	uint64_t first = EXT2_NDIR_BLOCKS;
	uint32_t depth;

	for (depth = 0; depth < 3 && !err; depth++) {
		map.lo = first;
		map.depth = depth + 1;
		err = take_block_numbers(s, &map, &raw->i_block[EXT2_IND_BLOCK + depth], 1, 1);
		first += span_of(s, depth + 1);
	}
	return err;
}

/* True for what is stored as file data; devices, fifos and sockets have none. */
static int has_blocks(const struct bfo_inode *rec)
{
	return S_ISREG(rec->mode) || S_ISDIR(rec->mode) || S_ISLNK(rec->mode);
}

errcode_t bfo_extent_scan_inode(struct bfo_extent_scan *s, bfo_row row,
				const struct ext2_inode *raw)
{
	const struct bfo_inode *rec = &s->tree->inodes.v[row];
	const struct ext3_extent_header *eh = (const void *) raw->i_block;
	struct bfo_map_block map = { .row = row, .lo = 0, .hi = LBLK_END };
	int n;

	if (!has_blocks(rec))
		return 0;
	if (!(rec->flags & EXT4_EXTENTS_FL)) {
		s->in_inode = !raw->i_block[EXT2_IND_BLOCK] && !raw->i_block[EXT2_DIND_BLOCK] &&
			      !raw->i_block[EXT2_TIND_BLOCK];
		return take_block_map(s, row, raw);
	}
	n = bfo_extent_node_entries(eh, sizeof(raw->i_block), -1);
	if (n < 0)
		return damaged(s, &map, BFO_FOUND_EXTENT, 0);
	map.depth = le16(eh->eh_depth);
	s->in_inode = !map.depth;
	return take_extent_node(s, &map, eh, n, 0);
}

/* Sink: one block of a block map. */
static errcode_t take_map_block(void *priv, const struct bfo_node *node, uint32_t at,
				uint32_t count, const void *data)
{
	struct bfo_extent_scan *s = priv;
	struct bfo_map_block map = s->maps.v[node->tag];
	const struct bfo_inode *rec = &s->tree->inodes.v[map.row];
	uint64_t blk = bfo_node_blk(node);
	errcode_t err;
	int n;

	(void) at;
	(void) count;
	if (rec->state & BFO_INODE_BAD)
		return 0;
	if (node > s->level.v && bfo_node_blk(node - 1) == blk)
		return damaged(s, &map, BFO_FOUND_EXTENT, blk);
	err = s->tree->keep_map_blocks ? bfo_vec_push(&s->tree->map_blocks,
		(struct bfo_map_use) { .blk = blk, .ino = rec->ino }) : 0;
	if (err)
		return err;
	if (!(rec->flags & EXT4_EXTENTS_FL))
		return take_block_numbers(s, &map, data, s->r->vol->block_size / 4,
					  span_of(s, map.depth));
	n = bfo_extent_node_entries(data, s->r->vol->block_size, map.depth);
	if (n < 0)
		return damaged(s, &map, BFO_FOUND_EXTENT, blk);
	if (!bfo_extent_csum_ok(s->r->vol, rec->ino, rec->generation, data))
		return damaged(s, &map, BFO_FOUND_EXTENT_CSUM, blk);
	return take_extent_node(s, &map, data, n, blk);
}

/*
 * Sink: a block of a block map cannot be read.  Of what has to be whole, nothing can be used then.
 */
static errcode_t lose_map_block(void *priv, const struct bfo_node *node, uint32_t at,
				uint32_t count)
{
	struct bfo_extent_scan *s = priv;
	const struct bfo_map_block *map = &s->maps.v[node->tag];
	struct bfo_inode *rec = &s->tree->inodes.v[map->row];
	int whole = is_whole(rec) || (S_ISREG(rec->mode) &&
				      s->r->vol->media.opt.mode == BFO_MEDIA_SKIP);
	uint64_t end = end_of(s, map, rec);
	enum bfo_finding_kind kind = whole ? BFO_UNREAD_FILE : BFO_UNREAD_MAP;

	(void) at;
	(void) count;
	if (rec->state & BFO_INODE_BAD)
		return 0;
	if (whole)
		rec->state |= BFO_INODE_BAD;
	if (S_ISDIR(rec->mode))
		kind = BFO_UNREAD_DIR;
	return bfo_tree_found_part(s->tree, kind, rec->ino, bfo_node_blk(node), map->lo,
				   end > map->lo ? end - map->lo : 0);
}

/* The blocks queued so far become the level to be read. */
static void descend(struct bfo_extent_scan *s)
{
	bfo_order_list level = s->level;
	bfo_map_blocks maps = s->maps;

	s->level = s->next_level;
	s->maps = s->next_maps;
	level.n = maps.n = 0;
	s->next_level = level;
	s->next_maps = maps;
	bfo_order_list_sort(&s->level);
}

/* Hands the segments found to their inodes, which come in ascending order of their records. */
static errcode_t distribute(struct bfo_extent_scan *s)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < s->deep.n && !err; i++) {
		const struct bfo_deep_seg *d = &s->deep.v[i];

		err = deliver(s, d->row, d->blk, d->lblk, d->len);
	}
	return err;
}

errcode_t bfo_extent_scan_run(struct bfo_extent_scan *s)
{
	struct bfo_sink sink = { .take = take_map_block, .lost = lose_map_block, .priv = s };
	errcode_t err = 0;

	s->in_inode = 0;
	while (s->next_level.n && !err) {
		descend(s);
		err = bfo_reader_run(s->r, s->level.v, s->level.n, &sink);
	}
	if (err)
		return err;
	bfo_sort(s->deep.v, s->deep.n, sizeof(*s->deep.v), 2);
	return distribute(s);
}

void bfo_extent_scan_free(struct bfo_extent_scan *s)
{
	bfo_vec_free(&s->level);
	bfo_vec_free(&s->next_level);
	bfo_vec_free(&s->maps);
	bfo_vec_free(&s->next_maps);
	bfo_vec_free(&s->deep);
}
