// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view_map.c - a volume that somebody looks at: where contents lie, and what they are
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gather/extent_scan.h"
#include "gather/inode_check.h"
#include "tree/access.h"
#include "view/view.h"

/* ---- maps ---- */

static errcode_t scan(struct bfo_view *v, struct bfo_view_map *map, const struct bfo_inode *rec,
		      const void *raw)
{
	struct bfo_tree *t = &map->tree;
	struct ext2_super_block *sb = v->vol->fs->super;
	struct bfo_extent_scan maps = { .r = &v->reader, .tree = t, .by_parts = 1 };
	errcode_t err;

	t->block_size = t->home_block_size = v->vol->block_size;
	t->inode_size = v->vol->inode_size;
	t->encoding = ext2fs_has_feature_casefold(sb) ? sb->s_encoding : 0;
	err = bfo_vec_push(&t->inodes, *rec);
	if (err || rec->state & (BFO_INODE_FAST | BFO_INODE_INLINE))
		return err;
	err = bfo_extent_scan_inode(&maps, 0, raw);
	if (!err)
		err = bfo_extent_scan_run(&maps);
	bfo_extent_scan_free(&maps);
	return err;
}

static size_t bytes_of(const struct bfo_view_map *map)
{
	const struct bfo_tree *t = &map->tree;

	return sizeof(*map) + bfo_vec_bytes(&t->inodes) + bfo_vec_bytes(&t->segs) +
	       bfo_vec_bytes(&t->findings);
}

errcode_t bfo_view_map(struct bfo_view *v, const struct bfo_inode *rec, const void *raw,
		       struct bfo_view_map **out)
{
	struct bfo_view_map *map = bfo_kept_find(&v->maps, rec->ino);
	errcode_t err;

	if (!map) {
		map = calloc(1, sizeof(*map));
		if (!map)
			return bfo_fail(v->ctx, ENOMEM, "reading a block map");
		err = scan(v, map, rec, raw);
		if (err) {
			v->maps.drop(&map->kept);
			return err;
		}
		bfo_view_tell(v, &map->tree, 0);
		bfo_vec_trim(&map->tree.segs);
		bfo_kept_add(&v->maps, &map->kept, rec->ino, bytes_of(map));
	}
	*out = map;
	return map->tree.inodes.v[0].state & BFO_INODE_BAD ? EIO : 0;
}

/* ---- blocks ---- */

struct blocks {
	struct bfo_view *v;
	const struct bfo_view_map *map;
	int lost;
};

static void *place_blocks(void *priv, const struct bfo_node *node, uint32_t at)
{
	struct bfo_view *v = ((struct blocks *) priv)->v;

	return v->buffer.v + (node->to + at) * v->vol->block_size;
}

static errcode_t lose_blocks(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	struct blocks *b = priv;

	(void) count;
	b->lost = 1;
	bfo_view_damaged(b->v, BFO_UNREAD_DATA, b->map->tree.inodes.v[0].ino,
			 bfo_node_blk(node) + at);
	return 0;
}

static int is_of_map(enum bfo_finding_kind kind)
{
	return kind == BFO_UNREAD_MAP || kind == BFO_FOUND_EXTENT || kind == BFO_FOUND_EXTENT_CSUM;
}

/* True if nobody knows where some of the blocks [FIRST, END) lie. */
static int is_unmapped(const struct bfo_tree *t, uint64_t first, uint64_t end)
{
	size_t i;

	for (i = 0; i < t->findings.n; i++) {
		const struct bfo_finding *f = &t->findings.v[i];

		if (is_of_map(f->kind) && f->lblk < end && first < f->lblk + f->blocks)
			return 1;
	}
	return 0;
}

errcode_t bfo_view_list_blocks(const struct bfo_view_map *map, uint64_t first, uint64_t end,
			       bfo_order_list *list)
{
	const struct bfo_tree *t = &map->tree;
	const struct bfo_inode *rec = &t->inodes.v[0];
	uint64_t from, to;
	errcode_t err = 0;
	uint32_t k;

	for (k = bfo_seg_first(t, rec, first); k < bfo_seg_count(t, rec) && !err; k++) {
		const struct bfo_seg *seg = bfo_seg_of(t, rec, k);

		if (seg->lblk >= end)
			break;
		from = seg->lblk > first ? seg->lblk : first;
		to = (uint64_t) seg->lblk + seg->len;
		to = to < end ? to : end;
		if (!bfo_seg_unwritten(seg))
			err = bfo_vec_push(list, bfo_node_make(bfo_seg_blk(seg) + from - seg->lblk,
							       to - from, 0, from - first));
	}
	return err;
}

errcode_t bfo_view_blocks(struct bfo_view *v, const struct bfo_view_map *map, uint64_t first,
			  uint32_t count)
{
	struct blocks b = { .v = v, .map = map };
	const struct bfo_sink sink = { .take = bfo_take_in_place, .lost = lose_blocks,
				       .place = place_blocks, .priv = &b };
	size_t bytes = (size_t) count * v->vol->block_size;
	bfo_order_list list = { 0 };
	errcode_t err;

	if (is_unmapped(&map->tree, first, first + count))
		return EIO;
	v->buffer.n = 0;
	err = bfo_vec_reserve(&v->buffer, bytes + 1);
	if (!err)
		err = bfo_view_list_blocks(map, first, first + count, &list);
	if (err) {
		bfo_fail(v->ctx, err, "reading a file");
	} else {
		memset(v->buffer.v, 0, bytes);
		bfo_order_list_sort(&list);
		err = bfo_reader_run(&v->reader, list.v, list.n, &sink);
	}
	bfo_vec_free(&list);
	return err ? err : b.lost ? EIO : 0;
}

/* What stands in inode REC itself, to the buffer, with a zero byte behind it. */
static errcode_t read_inside(struct bfo_view *v, const struct bfo_inode *rec, const void *raw)
{
	errcode_t err;

	v->buffer.n = 0;
	err = bfo_vec_reserve(&v->buffer, rec->size + 1);
	if (err)
		return bfo_fail(v->ctx, err, "reading a file");
	bfo_inode_inline_content(v->vol, raw, v->buffer.v, rec->size);
	v->buffer.v[rec->size] = 0;
	return 0;
}

/* ---- files ---- */

/* *REC and *RAW of file NUMBER whose contents can be looked at. */
static errcode_t find_file(struct bfo_view *v, uint64_t number, struct bfo_inode *rec,
			   const void **raw)
{
	errcode_t err = bfo_view_inode(v, number, rec, raw);

	if (!err && !S_ISREG(rec->mode))
		err = EINVAL;
	return err || !(rec->flags & EXT4_ENCRYPT_FL) ? err : ENOKEY;
}

/* What bfo_view_read() does, of a file that has an inode. */
static errcode_t read_file(struct bfo_view *v, uint64_t number, uint64_t from, size_t len,
			   const char **data, size_t *got)
{
	uint64_t bs = v->vol->block_size, first = from / bs;
	struct bfo_view_map *map;
	struct bfo_inode rec;
	const void *raw;
	errcode_t err = find_file(v, number, &rec, &raw);

	*got = 0;
	if (err || from >= rec.size || !len)
		return err;
	if (len > rec.size - from)
		len = rec.size - from;
	if (rec.state & BFO_INODE_INLINE) {
		err = read_inside(v, &rec, raw);
		first = 0;
	} else {
		err = bfo_view_map(v, &rec, raw, &map);
		if (!err)
			err = bfo_view_blocks(v, map, first,
					      (from + len + bs - 1) / bs - first);
	}
	if (err)
		return err;
	*data = v->buffer.v + (from - first * bs);
	*got = len;
	return 0;
}

errcode_t bfo_view_read(struct bfo_view *v, uint64_t number, uint64_t from, size_t len,
			const char **data, size_t *got)
{
	if (bfo_view_is_member(number))
		return bfo_view_member_read(v, number, from, len, data, got);
	if (!from)
		bfo_view_ahead(v, number);
	return read_file(v, number, from, len, data, got);
}

/* The first byte of a file of SIZE bytes, from FROM on, that is in a hole, or that is not. */
static uint64_t next_change(const struct bfo_tree *t, uint64_t from, uint64_t size, int hole)
{
	const struct bfo_inode *rec = &t->inodes.v[0];
	uint64_t bs = t->block_size, at = from, start;
	uint32_t k;

	for (k = bfo_seg_first(t, rec, from / bs); k < bfo_seg_count(t, rec); k++) {
		const struct bfo_seg *seg = bfo_seg_of(t, rec, k);

		if (bfo_seg_unwritten(seg))
			continue;
		start = seg->lblk * bs;
		if (!hole)		/* AT is in this one, or before it */
			return start > at ? start < size ? start : size : at;
		if (start > at)
			break;
		at = start + seg->len * bs;
	}
	return hole && at < size ? at : size;
}

errcode_t bfo_view_seek(struct bfo_view *v, uint64_t number, uint64_t from, int hole,
			uint64_t *at)
{
	struct bfo_view_map *map;
	struct bfo_inode rec;
	const void *raw;
	errcode_t err = find_file(v, number, &rec, &raw);

	if (err)
		return err;
	if (from >= rec.size)
		return ENXIO;
	if (rec.state & BFO_INODE_INLINE || bfo_view_is_member(number)) {
		*at = hole ? rec.size : from;
		return 0;
	}
	err = bfo_view_map(v, &rec, raw, &map);
	if (!err && is_unmapped(&map->tree, from / v->vol->block_size, UINT64_MAX))
		err = EIO;
	if (err)
		return err;
	*at = next_change(&map->tree, from, rec.size, hole);
	return !hole && *at == rec.size ? ENXIO : 0;
}

/* One block, written, at the beginning: anything else is no symbolic link. */
static int has_one_block(const struct bfo_tree *t)
{
	const struct bfo_inode *rec = &t->inodes.v[0];
	const struct bfo_seg *seg = bfo_seg_of(t, rec, 0);

	return bfo_seg_count(t, rec) == 1 && !seg->lblk && seg->len == 1 && !bfo_seg_unwritten(seg);
}

errcode_t bfo_view_link(struct bfo_view *v, uint64_t number, const char **text)
{
	struct bfo_view_map *map;
	struct bfo_inode rec;
	const void *raw;
	errcode_t err = bfo_view_inode(v, number, &rec, &raw);

	if (err)
		return err;
	if (!S_ISLNK(rec.mode))
		return EINVAL;
	if (rec.flags & EXT4_ENCRYPT_FL)
		return ENOKEY;
	if (rec.state & (BFO_INODE_FAST | BFO_INODE_INLINE)) {
		err = read_inside(v, &rec, raw);
	} else {
		err = bfo_view_map(v, &rec, raw, &map);
		if (!err && !has_one_block(&map->tree))
			err = bfo_view_damaged(v, BFO_FOUND_SYMLINK, rec.ino, 0);
		if (!err)
			err = bfo_view_blocks(v, map, 0, 1);
		if (!err && !bfo_link_text_ok(v->buffer.v, v->vol->block_size, rec.size, 0))
			err = bfo_view_damaged(v, BFO_FOUND_SYMLINK, rec.ino, 0);
		if (!err)
			v->buffer.v[rec.size] = 0;
	}
	*text = v->buffer.v;
	return err;
}
