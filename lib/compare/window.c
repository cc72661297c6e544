// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * window.c - what is small about many pairs
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/pages.h"
#include "base/sort.h"
#include "compare/window.h"
#include "tree/access.h"

#define FETCH_BYTES (sizeof(struct bfo_node) + sizeof(struct bfo_fetch))
#define INODE_BYTES (sizeof(struct bfo_wanted) + sizeof(uint32_t))

errcode_t bfo_window_init(struct bfo_window *w, struct bfo_compare *c)
{
	int side;

	*w = (struct bfo_window) { .c = c, .size = c->memory };
	w->room = bfo_pages_alloc(w->size);
	for (side = 0; side < 2; side++)
		w->ea[side] = calloc(c->tree[side]->eas.n + 1, sizeof(*w->ea[side]));
	return w->room && w->ea[0] && w->ea[1] ? 0 : bfo_fail(c->ctx, ENOMEM, "comparing inodes");
}

void bfo_window_free(struct bfo_window *w)
{
	bfo_pages_free(w->room, w->size);
	free(w->ea[0]);
	free(w->ea[1]);
	bfo_vec_free(&w->items);
	bfo_vec_free(&w->nodes[0]);
	bfo_vec_free(&w->nodes[1]);
	bfo_vec_free(&w->fetches);
	bfo_vec_free(&w->inodes[0]);
	bfo_vec_free(&w->inodes[1]);
}

int bfo_is_inline(const struct bfo_inode *rec)
{
	return !!(rec->flags & EXT4_INLINE_DATA_FL) || rec->state & BFO_INODE_FAST;
}

/* How many bytes of SIDE's content have to be read from blocks of its own. */
static uint32_t content_bytes(const struct bfo_window *w, uint32_t pair, int side)
{
	const struct bfo_inode *rec = bfo_pair_inode(w->c, pair, side);
	const struct bfo_inode *other = bfo_pair_inode(w->c, pair, !side);
	uint64_t size = rec->size;

	if (bfo_is_inline(rec) || (rec->mode ^ other->mode) & S_IFMT)
		return 0;
	if (S_ISREG(rec->mode)) {
		if (!bfo_is_inline(other))
			return 0;
		size = other->size < size ? other->size : size;
	} else if (!S_ISLNK(rec->mode)) {
		return 0;
	}
	return size < BFO_CONTENT_MAX ? size : BFO_CONTENT_MAX;
}

static uint32_t content_blocks(const struct bfo_window *w, uint32_t pair, int side)
{
	uint32_t bs = w->c->source[side]->block_size;

	return (content_bytes(w, pair, side) + bs - 1) / bs;
}

/* True if SIDE's attributes stand in a block, which has to be read. */
static int has_ea_block(const struct bfo_window *w, uint32_t pair, int side)
{
	return !w->c->tree[side]->repacked && bfo_pair_inode(w->c, pair, side)->ea != BFO_NONE;
}

/* Where that is noted to be. */
static const char **place_of_ea(const struct bfo_window *w, uint32_t pair, int side)
{
	return &w->ea[side][bfo_pair_inode(w->c, pair, side)->ea];
}

int bfo_window_fits(const struct bfo_window *w, uint32_t pair)
{
	size_t need = w->used + sizeof(struct bfo_window_item), blocks;
	int side;

	for (side = 0; side < 2; side++) {
		const struct bfo_source *source = w->c->source[side];

		blocks = content_blocks(w, pair, side);
		blocks += has_ea_block(w, pair, side) && !*place_of_ea(w, pair, side);
		need += source->inode_size + INODE_BYTES +
			blocks * (source->block_size + FETCH_BYTES);
	}
	need += w->items.n * sizeof(struct bfo_window_item) + w->fetches.n * FETCH_BYTES +
		(w->inodes[0].n + w->inodes[1].n) * INODE_BYTES;
	return need <= w->size || !w->items.n;
}

/* Room for LEN bytes, which bfo_window_fits() has promised. */
static char *take_room(struct bfo_window *w, size_t len)
{
	char *room = w->room + w->used;

	assert(w->used + len <= w->size);
	w->used += len;
	return room;
}

/* Wants LEN bytes from byte AT of COUNT blocks from BLK. */
static errcode_t want(struct bfo_window *w, int side, uint64_t blk, uint32_t count,
		      struct bfo_fetch fetch)
{
	errcode_t err = bfo_vec_push(&w->nodes[side], bfo_node_make(blk, count, w->fetches.n, 0));

	return err ? err : bfo_vec_push(&w->fetches, fetch);
}

static errcode_t want_inode(struct bfo_window *w, int side, uint32_t ino, struct bfo_small *small)
{
	char *room = take_room(w, w->c->source[side]->inode_size);

	small->raw = room;
	return bfo_vec_push(&w->inodes[side], (struct bfo_wanted) { .ino = ino, .to = room });
}

static errcode_t want_ea(struct bfo_window *w, uint32_t pair, int side, struct bfo_small *small)
{
	uint32_t bs = w->c->source[side]->block_size;
	uint32_t ea = bfo_pair_inode(w->c, pair, side)->ea;
	const char **place;
	char *room;

	if (!has_ea_block(w, pair, side))
		return 0;
	place = place_of_ea(w, pair, side);
	small->ea = *place;
	if (*place)
		return 0;
	room = take_room(w, bs);
	small->ea = *place = room;
	return want(w, side, w->c->tree[side]->eas.v[ea].blk, 1,
		    (struct bfo_fetch) { .to = room, .len = bs });
}

/* The first blocks of symlinks and short files; holes read as zeroes. */
static errcode_t want_content(struct bfo_window *w, uint32_t pair, int side,
			      struct bfo_small *small)
{
	const struct bfo_inode *rec = bfo_pair_inode(w->c, pair, side);
	uint32_t bs = w->c->source[side]->block_size, count, i;
	uint32_t blocks = content_blocks(w, pair, side);
	char *room = take_room(w, (size_t) blocks * bs);
	errcode_t err = 0;

	if (!blocks)
		return 0;
	memset(room, 0, (size_t) blocks * bs);
	small->content = room;
	for (i = 0; i < bfo_seg_count(w->c->tree[side], rec) && !err; i++) {
		const struct bfo_seg *seg = bfo_seg_of(w->c->tree[side], rec, i);

		if (seg->lblk >= blocks)
			break;
		if (bfo_seg_unwritten(seg))
			continue;
		count = seg->len < blocks - seg->lblk ? seg->len : blocks - seg->lblk;
		err = want(w, side, seg->blk, count, (struct bfo_fetch) {
			   .to = room + (size_t) seg->lblk * bs, .len = count * bs,
			   .is_data = S_ISREG(rec->mode) });
	}
	return err;
}

errcode_t bfo_window_add(struct bfo_window *w, uint32_t pair)
{
	struct bfo_window_item item = { .pair = pair };
	errcode_t err = 0;
	int side;

	for (side = 0; side < 2 && !err; side++) {
		const struct bfo_inode *rec = bfo_pair_inode(w->c, pair, side);

		err = want_inode(w, side, rec->ino, &item.of[side]);
		if (!err)
			err = want_ea(w, pair, side, &item.of[side]);
		if (!err)
			err = want_content(w, pair, side, &item.of[side]);
	}
	return err ? err : bfo_vec_push(&w->items, item);
}

struct load {
	struct bfo_window *w;
	struct bfo_source *source;
	const struct bfo_tree *tree;
	bfo_wanteds *wanted;
	size_t at;			/* the first of them that has not come */
};

/* Sink: what is wanted of a node begins at byte `at` of its first block. */
static errcode_t take(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
		      const void *data)
{
	struct load *load = priv;
	struct bfo_compare *c = load->w->c;
	const struct bfo_fetch *f = &load->w->fetches.v[node->tag];
	uint32_t bs = load->source->block_size;
	size_t skip = (size_t) at * bs, len = (size_t) count * bs;

	if (!at)
		memcpy(f->to, (const char *) data + f->at, f->len < len ? f->len : len);
	else
		memcpy(f->to + skip, data, len);
	return bfo_cancelled(c->ctx) ? bfo_fail(c->ctx, BFO_ET_CANCELLED, "comparing inodes") : 0;
}

/* Sink: it cannot be read; all but the data of files could be, when it was gathered. */
static errcode_t lose(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	struct load *load = priv;
	uint64_t blk = bfo_node_blk(node) + at;

	(void) count;
	if (load->w->fetches.v[node->tag].is_data)
		return 0;
	return bfo_fail(load->w->c->ctx, bfo_source_why(load->source, blk),
			"reading block %llu of %s: it "
			"could be read before; start again",
			(unsigned long long) blk, load->source->name);
}

/* For the walk: an inode, which several pairs may want. */
static errcode_t take_inode(void *priv, uint32_t ino, const void *raw)
{
	struct load *load = priv;
	uint32_t size = load->source->inode_size;

	for (; load->at < load->wanted->n && load->wanted->v[load->at].ino == ino; load->at++)
		memcpy(load->wanted->v[load->at].to, raw, size);
	return 0;
}

/* They could be read when they were gathered. */
static errcode_t lose_inodes(void *priv, uint32_t ino, uint32_t n)
{
	struct load *load = priv;

	return bfo_tree_lost_again(load->w->c->ctx, load->tree, ino, n);
}

/* The inodes of one side; those that are no longer in use are a change. */
static errcode_t load_inodes(struct load *load)
{
	bfo_numbers inos = { 0 };
	errcode_t err = 0;
	size_t i;

	bfo_sort(load->wanted->v, load->wanted->n, sizeof(*load->wanted->v), 1);
	for (i = 0; i < load->wanted->n && !err; i++)
		if (!i || load->wanted->v[i].ino != load->wanted->v[i - 1].ino)
			err = bfo_vec_push(&inos, load->wanted->v[i].ino);
	load->at = 0;
	if (!err && inos.n)
		err = load->source->ops->inodes(load->source, inos.v, inos.n, take_inode,
						lose_inodes, load);
	bfo_vec_free(&inos);
	if (!err && load->at != load->wanted->n)
		err = bfo_fail(load->w->c->ctx, BFO_ET_CHANGED, "reading inodes of %s",
			       load->source->name);
	return err;
}

errcode_t bfo_window_load(struct bfo_window *w)
{
	struct load load = { .w = w };
	struct bfo_sink sink = { .take = take, .lost = lose, .priv = &load };
	errcode_t err = 0;
	int side;

	for (side = 0; side < 2 && !err; side++) {
		load.source = w->c->source[side];
		load.tree = w->c->tree[side];
		load.wanted = &w->inodes[side];
		err = load_inodes(&load);
		if (err)
			break;
		bfo_order_list_sort(&w->nodes[side]);
		err = load.source->ops->read(load.source, w->nodes[side].v, w->nodes[side].n,
					      &sink);
	}
	return err;
}

void bfo_window_clear(struct bfo_window *w)
{
	size_t i;
	int side;

	for (i = 0; i < w->items.n; i++)
		for (side = 0; side < 2; side++)
			if (w->items.v[i].of[side].ea)
				*place_of_ea(w, w->items.v[i].pair, side) = NULL;
	w->used = w->items.n = w->nodes[0].n = w->nodes[1].n = w->fetches.n = 0;
	w->inodes[0].n = w->inodes[1].n = 0;
}
