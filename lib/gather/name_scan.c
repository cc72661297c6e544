// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * name_scan.c - directory blocks in block order
 *
 * Names arrive in the order of blocks, so those of one directory need not stand together; the
 * plan sorts them.  Nothing about a name is trusted: rec_len, length, bytes, inode number and
 * checksum are checked here, whether its inode is fit to be named by the plan.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/dirblock.h"
#include "base/sort.h"
#include "gather/inode_check.h"
#include "gather/inode_scan.h"
#include "gather/inode_walk.h"
#include "gather/name_scan.h"
#include "tree/access.h"

#define SECRET_MIN 16U		/* FSCRYPT_FNAME_MIN_MSG_LEN */

struct scan {
	struct bfo_reader *r;
	struct bfo_tree *tree;
	bfo_take_name take;	/* gets the names */
	void *priv;
	bfo_order_list list;	/* blocks to be read */
	bfo_numbers inlined;	/* inode numbers, ascending: directories that stand in them */
	uint64_t done, total;	/* blocks */
};

/* One block being parsed. */
struct block {
	const uint8_t *data;
	uint64_t blk;
	uint32_t size;
	bfo_row dir;		/* index of the directory's record */
	uint32_t lblk;
	int has_hashes;		/* behind all names but "." and ".." */
};

/* Bytes of an entry in use, from its beginning on. */
static uint32_t used_bytes(const struct block *b, const struct bfo_dirent *e)
{
	return b->has_hashes && !bfo_dirent_is_dots(e)
		       ? bfo_dirent_bytes(e->name_len) + BFO_HASH_BYTES
		       : BFO_DIRENT_HEADER + e->name_len;
}

/* The entry at byte AT; 0 if it does not fit. */
static int read_entry(const struct block *b, uint32_t at, struct bfo_dirent *e)
{
	return bfo_dirent_read(b->data, b->size, at, e) &&
	       (!e->ino || used_bytes(b, e) <= e->rec_len);
}

/* Index blocks: the root's ".." and an interior node's empty entry reach to the block's end. */
static int is_index_block(const struct scan *s, const struct block *b)
{
	const struct bfo_inode *dir = &s->tree->inodes.v[b->dir];
	struct bfo_dirent e;

	if (!(dir->flags & EXT2_INDEX_FL) || !read_entry(b, 0, &e))
		return 0;
	if (b->lblk)
		return !e.ino && e.rec_len == b->size;
	return e.rec_len == BFO_DIR_DOTDOT && read_entry(b, BFO_DIR_DOTDOT, &e) &&
	       e.rec_len == b->size - BFO_DIR_DOTDOT;
}

static int csum_ok(const struct scan *s, const struct block *b)
{
	const struct bfo_inode *dir = &s->tree->inodes.v[b->dir];

	return bfo_dirblock_is_sealed(b->data, b->size,
				      bfo_crc32c_inode_seed(s->r->vol->csum_seed, dir->ino,
							    dir->generation));
}

/* Without the key, names of encrypted directories are any bytes, but a cipher block of them. */
static int is_allowed(const struct bfo_dirent *e, uint32_t dir_flags)
{
	if (dir_flags & EXT4_ENCRYPT_FL)
		return e->name_len >= SECRET_MIN;
	return e->name_len && !bfo_dirent_is_dots(e) && !memchr(e->name, '/', e->name_len) &&
	       !memchr(e->name, 0, e->name_len);
}

static errcode_t take_entry(struct scan *s, const struct block *b, const struct bfo_dirent *e)
{
	uint32_t dir = s->tree->inodes.v[b->dir].ino;
	struct bfo_found_name name = { .dir = b->dir, .ino = e->ino, .lblk = b->lblk,
				       .type = e->type & 7, .len = e->name_len,
				       .text = e->name };

	if (!is_allowed(e, s->tree->inodes.v[b->dir].flags))
		return bfo_tree_found_name(s->tree, BFO_FOUND_NAME, dir, e->ino, b->blk,
					   e->name, e->name_len);
	if (e->ino > s->r->vol->fs->super->s_inodes_count)
		return bfo_tree_found_name(s->tree, BFO_FOUND_NAME_INODE, dir, e->ino, b->blk,
					   e->name, e->name_len);
	if (b->has_hashes)
		name.hashes = e->name + used_bytes(b, e) - BFO_DIRENT_HEADER - BFO_HASH_BYTES;
	return s->take(s->priv, &name);
}

/* The first two places of a directory are for "." and ".."; *TAKEN if that is what E is. */
static errcode_t take_dots(struct scan *s, const struct block *b, uint32_t at,
			   const struct bfo_dirent *e, int *taken)
{
	struct bfo_inode *dir = &s->tree->inodes.v[b->dir];
	int sound;

	*taken = 0;
	if (b->lblk || at > BFO_DIR_DOTDOT)
		return 0;
	*taken = e->ino && bfo_dirent_is_dots(e) && e->name_len == (at ? 2 : 1);
	sound = *taken && (at || e->ino == dir->ino);
	if (*taken && at)
		bfo_dotdot_set(dir, e->ino);
	if (at && dir->ino == EXT2_ROOT_INO && e->ino != EXT2_ROOT_INO)
		sound = 0;
	return sound ? 0 : bfo_tree_found(s->tree, BFO_FOUND_DOTS, dir->ino, b->blk);
}

static errcode_t take_block(struct scan *s, const struct block *b)
{
	uint32_t dir = s->tree->inodes.v[b->dir].ino, at, end = b->size;
	errcode_t err = 0;
	struct bfo_dirent e;
	int dots;

	if (is_index_block(s, b))
		end = b->lblk ? 0 : BFO_DIR_DOTS;
	else if (s->r->vol->has_csum) {
		if (!csum_ok(s, b))
			return bfo_tree_found(s->tree, BFO_FOUND_DIR_CSUM, dir, b->blk);
		end -= BFO_DIR_TAIL;
	}
	for (at = 0; at < end && !err; at += e.rec_len) {
		if (!read_entry(b, at, &e))
			return bfo_tree_found(s->tree, BFO_FOUND_DIR_BLOCK, dir, b->blk);
		err = take_dots(s, b, at, &e, &dots);
		if (!err && e.ino && !dots)
			err = take_entry(s, b, &e);
	}
	return err;
}

/* Sink: blocks of directory record node->tag, of which node->to is the first logical one. */
static errcode_t take_blocks(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			     const void *data)
{
	struct scan *s = priv;
	struct block b = { .size = s->r->vol->block_size, .dir = node->tag };
	errcode_t err = 0;
	uint32_t i;

	b.has_hashes = bfo_dir_has_hashes(s->tree->inodes.v[b.dir].flags);
	for (i = 0; i < count && !err; i++) {
		b.data = (const uint8_t *) data + (size_t) i * b.size;
		b.blk = bfo_node_blk(node) + at + i;
		b.lblk = node->to + at + i;
		err = take_block(s, &b);
	}
	s->done += count;
	bfo_progress_report(s->r->ctx, BFO_STAGE_NAMES, s->done, s->total, 0);
	if (!err && bfo_cancelled(s->r->ctx))
		err = bfo_fail(s->r->ctx, BFO_ET_CANCELLED, "reading directories");
	return err;
}

/* Sink: they cannot be read.  The first block of an indexed directory holds no names but dots. */
static errcode_t lose_blocks(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	struct scan *s = priv;
	const struct bfo_inode *dir = &s->tree->inodes.v[node->tag];
	uint64_t blk = bfo_node_blk(node) + at, lblk = node->to + at;
	errcode_t err = 0;

	s->done += count;
	if (!lblk && dir->flags & EXT2_INDEX_FL) {
		err = bfo_tree_found(s->tree, BFO_FOUND_DOTS, dir->ino, blk);
		blk++, lblk++, count--;
	}
	return err || !count ? err : bfo_tree_found_part(s->tree, BFO_UNREAD_DIR, dir->ino, blk,
							 lblk, count);
}

/* The blocks of one directory that lie before its end; a missing one is a finding. */
static errcode_t list_directory(struct scan *s, bfo_row index)
{
	struct bfo_tree *t = s->tree;
	const struct bfo_inode *dir = &t->inodes.v[index];
	uint32_t blocks = dir->size / s->r->vol->block_size, expect = 0, len, i;
	errcode_t err = 0;

	for (i = 0; i < bfo_seg_count(t, dir) && !err && expect < blocks; i++) {
		const struct bfo_seg *seg = bfo_seg_of(t, dir, i);

		if (seg->lblk >= blocks || bfo_seg_unwritten(seg))
			break;
		if (seg->lblk != expect)
			err = bfo_tree_found(t, BFO_FOUND_DIR_HOLE, dir->ino, 0);
		len = seg->len < blocks - seg->lblk ? seg->len : blocks - seg->lblk;
		if (!err && len < seg->len)
			err = bfo_tree_found(t, BFO_FOUND_DIR_SIZE, dir->ino, 0);
		if (!err)
			err = bfo_vec_push(&s->list,
					   bfo_node_make(seg->blk, len, index, seg->lblk));
		expect = seg->lblk + len;
		s->total += len;
	}
	if (!err && expect < blocks)
		err = bfo_tree_found(t, BFO_FOUND_DIR_HOLE, dir->ino, 0);
	if (!err && i < bfo_seg_count(t, dir) && bfo_seg_of(t, dir, i)->lblk >= blocks)
		err = bfo_tree_found(t, BFO_FOUND_DIR_SIZE, dir->ino, 0);
	return err;
}

/* Block LBLK of one directory; if it is missing, that is a finding. */
static errcode_t list_block(struct scan *s, bfo_row index, uint32_t lblk)
{
	struct bfo_tree *t = s->tree;
	const struct bfo_inode *dir = &t->inodes.v[index];
	uint32_t k = bfo_seg_first(t, dir, lblk);
	const struct bfo_seg *seg = k < bfo_seg_count(t, dir) ? bfo_seg_of(t, dir, k) : NULL;

	if (!seg || seg->lblk > lblk || bfo_seg_unwritten(seg))
		return bfo_tree_found(t, BFO_FOUND_DIR_HOLE, dir->ino, 0);
	s->total++;
	return bfo_vec_push(&s->list, bfo_node_make(seg->blk + (lblk - seg->lblk), 1, index, lblk));
}

/* As bfo_dir_part says; of what is no directory, or a damaged one, nothing. */
static errcode_t list_part(struct scan *s, bfo_row index, uint32_t lblk)
{
	const struct bfo_inode *dir = &s->tree->inodes.v[index];

	if (!S_ISDIR(dir->mode) || dir->state & BFO_INODE_BAD)
		return 0;
	if (dir->state & BFO_INODE_INLINE)
		return bfo_vec_push(&s->inlined, dir->ino);
	return lblk == BFO_NONE ? list_directory(s, index) : list_block(s, index, lblk);
}

/* A block that two directories claim is read for the first alone: bounds the work (P8). */
static errcode_t drop_overlaps(struct scan *s)
{
	bfo_order_list *list = &s->list;
	uint64_t end = 0;
	errcode_t err = 0;
	size_t i, kept = 0;

	for (i = 0; i < list->n && !err; i++) {
		const struct bfo_node *node = &list->v[i];

		if (bfo_node_blk(node) < end) {
			err = bfo_tree_found(s->tree, BFO_FOUND_DIR_BLOCK,
					     s->tree->inodes.v[node->tag].ino,
					     bfo_node_blk(node));
			continue;
		}
		end = bfo_node_blk(node) + node->len;
		list->v[kept++] = *node;
	}
	list->n = kept;
	return err;
}

/* Entries of a region inside an inode: as in a block, without dots and checksum. */
static errcode_t take_region(struct scan *s, bfo_row dir, const void *data, uint32_t size)
{
	struct block b = { .data = data, .size = size, .dir = dir, .lblk = 1,
			   .has_hashes = bfo_dir_has_hashes(s->tree->inodes.v[dir].flags) };
	struct bfo_dirent e;
	errcode_t err = 0;
	uint32_t at;

	for (at = 0; at < size && !err; at += e.rec_len) {
		if (!read_entry(&b, at, &e))
			return bfo_tree_found(s->tree, BFO_FOUND_DIR_BLOCK,
					      s->tree->inodes.v[dir].ino, 0);
		if (e.ino)
			err = take_entry(s, &b, &e);
	}
	return err;
}

/* For the walk: a directory that stands in its inode (inlinedata.rst): "..", then entries. */
static errcode_t take_inline(void *priv, uint32_t ino, const void *raw)
{
	struct scan *s = priv;
	const struct ext2_inode *inode = raw;
	bfo_row dir = bfo_tree_find(s->tree, ino), size;
	const void *tail;
	errcode_t err;

	bfo_dotdot_set(&s->tree->inodes.v[dir], le32(inode->i_block[0]));
	err = take_region(s, dir, &inode->i_block[1], EXT4_MIN_INLINE_DATA_SIZE - 4);
	size = bfo_inode_inline_tail(s->r->vol, raw, &tail);
	return err || !size ? err : take_region(s, dir, tail, size);
}

/* Reads what is listed. */
static errcode_t run(struct scan *s)
{
	struct bfo_sink sink = { .take = take_blocks, .lost = lose_blocks, .priv = s };
	errcode_t err;

	bfo_order_list_sort(&s->list);
	err = drop_overlaps(s);
	if (!err)
		err = bfo_reader_run(s->r, s->list.v, s->list.n, &sink);
	if (!err && s->inlined.n)
		err = bfo_inode_walk(s->r, s->inlined.v, s->inlined.n, take_inline, NULL, s);
	s->tree->dir_blocks = s->done;
	return err;
}

static void release(struct scan *s)
{
	bfo_vec_free(&s->list);
	bfo_vec_free(&s->inlined);
}

static errcode_t add_name(void *priv, const struct bfo_found_name *n)
{
	struct bfo_tree *tree = priv;
	errcode_t err = bfo_tree_add_name(tree, n->dir, n->ino, n->type, n->text, n->len);

	return err || !n->hashes ? err : bfo_tree_add_hashes(tree, n->hashes);
}

errcode_t bfo_name_scan(struct bfo_reader *r, struct bfo_tree *tree)
{
	return bfo_name_scan_to(r, tree, add_name, tree);
}

errcode_t bfo_name_scan_to(struct bfo_reader *r, struct bfo_tree *tree, bfo_take_name take,
			   void *priv)
{
	struct scan s = { .r = r, .tree = tree, .take = take, .priv = priv };
	errcode_t err = 0;
	bfo_row i;

	for (i = 0; i < tree->inodes.n && !err; i++)
		err = list_part(&s, i, BFO_NONE);
	if (!err)
		err = run(&s);
	release(&s);
	return err;
}

errcode_t bfo_name_scan_parts(struct bfo_reader *r, struct bfo_tree *tree,
			      const bfo_dir_parts *parts, bfo_take_name take, void *priv)
{
	struct scan s = { .r = r, .tree = tree, .take = take, .priv = priv };
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < parts->n && !err; i++)
		err = list_part(&s, parts->v[i].dir, parts->v[i].lblk);
	if (!err)
		err = run(&s);
	release(&s);
	return err;
}

/* The inode numbers of all names, ascending, each once; returns how many. */
static size_t list_numbers(const struct bfo_tree *t, uint32_t *inos)
{
	size_t i, n = 0;

	for (i = 0; i < t->names.n; i++)
		inos[i] = bfo_name_number(t, &t->names.v[i]);
	bfo_sort_numbers(inos, i);
	for (i = 0; i < t->names.n; i++)
		if (!n || inos[n - 1] != inos[i])
			inos[n++] = inos[i];
	return n;
}

errcode_t bfo_name_types(struct bfo_reader *r, struct bfo_tree *tree)
{
	uint32_t *inos = malloc(tree->names.n * sizeof(*inos) + 1), row;
	struct bfo_tree named = { 0 };
	errcode_t err;
	size_t i;

	if (!inos)
		return bfo_fail(r->ctx, ENOMEM, "reading directories");
	err = bfo_inode_scan_some(r, &named, inos, list_numbers(tree, inos));
	for (i = 0; i < tree->names.n && !err; i++) {
		struct bfo_name *n = &tree->names.v[i];

		row = bfo_tree_find(&named, bfo_name_number(tree, n));
		if (row != BFO_NONE)
			n->at = (n->at & ~0xff00ULL) |
				(uint64_t) bfo_dirent_type(named.inodes.v[row].mode) << 8;
	}
	bfo_tree_free(&named);
	free(inos);
	return err;
}
