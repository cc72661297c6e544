// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bytes.c - the bytes of files, batch by batch
 *
 *   files in the order of A's data ──> pieces ──> room A  [piece][piece][piece]   read in A's order
 *                                                 room B  [piece][piece][piece]   read in B's order
 *
 * A piece is a range of a file in which at least one side has data; it takes the same place in
 * both rooms, which are zero where a side has a hole or unwritten blocks.  Of each file the first
 * byte that differs is reported; what lies behind it need not be read.  What cannot be read is left
 * out when pieces are compared (unread.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/pages.h"
#include "base/sort.h"
#include "compare/maps.h"
#include "compare/unread.h"
#include "compare/window.h"
#include "gather/cache.h"
#include "tree/access.h"

struct file {			/* sort key first */
	uint32_t blk_hi, blk_lo;
	uint32_t pair, unused;
};

struct piece {
	uint32_t pair;
	uint64_t offset;	/* bytes, in the file */
	size_t at, len;		/* bytes, in the rooms; LEN without what lies behind the end */
};

struct side {
	bfo_order_list nodes;	/* to: place in the room */
	char *room;
	uint32_t block_size;
	const struct bfo_seg *seg;	/* of the file at hand, */
	uint32_t n, next;		/* and the first that does not lie before the piece */
};

struct batch {
	struct bfo_compare *c;
	struct side side[2];
	BFO_VEC(struct file) files;
	BFO_VEC(struct piece) pieces;
	size_t size, used;	/* bytes of each room */
	uint32_t unit;		/* the larger block size */
	uint32_t differs;	/* newest pair that was found to differ, or BFO_NONE */
	uint64_t done, total, begun;	/* progress: bytes of both sides, files */
};

/* ---- reading and comparing a batch ---- */

struct reading {
	struct batch *b;
	struct side *side;
};

static void *place(void *priv, const struct bfo_node *node, uint32_t at)
{
	const struct side *side = ((struct reading *) priv)->side;

	return side->room + node->to + (size_t) at * side->block_size;
}

static errcode_t pass(struct reading *r, uint32_t count)
{
	struct bfo_context *ctx = r->b->c->ctx;

	r->b->done += (uint64_t) count * r->side->block_size;
	bfo_progress_report(ctx, BFO_STAGE_COMPARE_DATA, r->b->done, r->b->total, r->b->begun);
	return bfo_cancelled(ctx) ? bfo_fail(ctx, BFO_ET_CANCELLED, "comparing data") : 0;
}

/* Sink: it has been read to its place already. */
static errcode_t take(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
		      const void *data)
{
	(void) node;
	(void) at;
	(void) data;
	return pass(priv, count);
}

/* Sink: it cannot be read, as the volume knows from now on. */
static errcode_t lose(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	(void) node;
	(void) at;
	return pass(priv, count);
}

static errcode_t read_rooms(struct batch *b)
{
	errcode_t err = 0;
	int i;

	for (i = 0; i < 2 && !err; i++) {
		struct reading r = { .b = b, .side = &b->side[i] };
		struct bfo_sink sink = { .take = take, .place = place, .lost = lose, .priv = &r };
		struct bfo_cache cache;

		err = bfo_cache_open(&cache, b->c->source[i], NULL, NULL);
		if (!err)
			err = bfo_cache_read(&cache, &r.side->nodes, 0, &sink);
		bfo_cache_close(&cache);
	}
	return err;
}

static errcode_t compare_piece(struct batch *b, const struct piece *p)
{
	errcode_t err;
	size_t same;

	if (p->pair == b->differs)
		return 0;
	err = bfo_unread_compare(b->c, p->pair, p->offset, b->side[0].room + p->at,
				 b->side[1].room + p->at, p->len, &same);
	if (err || same == p->len)
		return err;
	b->differs = p->pair;
	bfo_compare_found(b->c, &(struct bfo_diff) { .kind = BFO_DIFF_DATA, .pair = p->pair,
			  .ino = { bfo_pair_inode(b->c, p->pair, 0)->ino,
				   bfo_pair_inode(b->c, p->pair, 1)->ino },
			  .offset = p->offset + same });
	return 0;
}

static errcode_t run_batch(struct batch *b)
{
	errcode_t err = read_rooms(b);
	size_t i;

	for (i = 0; i < b->pieces.n && !err; i++)
		err = compare_piece(b, &b->pieces.v[i]);
	for (i = 0; i < 2; i++) {
		memset(b->side[i].room, 0, b->used);
		b->side[i].nodes.n = 0;
	}
	b->pieces.n = b->used = 0;
	return err;
}

/* ---- filling a batch ---- */

/* Wants what SIDE has in blocks of bytes [FROM, TO) of the file at hand, at byte AT of the room. */
static errcode_t add_nodes(struct side *side, uint64_t from, uint64_t to, size_t at)
{
	uint64_t lo = from / side->block_size, hi = to / side->block_size, begin, end;
	const struct bfo_seg *seg;
	errcode_t err = 0;
	uint32_t i;

	while (side->next < side->n &&
	       side->seg[side->next].lblk + (uint64_t) side->seg[side->next].len <= lo)
		side->next++;
	for (i = side->next; i < side->n && side->seg[i].lblk < hi && !err; i++) {
		seg = &side->seg[i];
		if (bfo_seg_unwritten(seg))
			continue;
		begin = seg->lblk > lo ? seg->lblk : lo;
		end = seg->lblk + (uint64_t) seg->len;
		end = end < hi ? end : hi;
		err = bfo_vec_push(&side->nodes, bfo_node_make(seg->blk + (begin - seg->lblk),
				   end - begin, 0, at + (begin - lo) * side->block_size));
	}
	return err;
}

/* Adds bytes [FROM, TO) of PAIR, of which those before LIMIT count; whole units. */
static errcode_t add_range(struct batch *b, uint32_t pair, uint64_t from, uint64_t to,
			   uint64_t limit)
{
	errcode_t err = 0;
	uint64_t len;
	int i;

	for (; from < to && !err; from += len) {
		if (b->used == b->size)
			err = run_batch(b);
		if (b->differs == pair)
			break;
		len = to - from < b->size - b->used ? to - from : b->size - b->used;
		for (i = 0; i < 2 && !err; i++)
			err = add_nodes(&b->side[i], from, from + len, b->used);
		if (!err)
			err = bfo_vec_push(&b->pieces, (struct piece) { .pair = pair,
					   .offset = from, .at = b->used,
					   .len = from + len < limit ? len : limit - from });
		b->used += len;
	}
	return err;
}

/* The file of PAIR, range by range, as far as both have it. */
static errcode_t add_file(struct batch *b, uint32_t pair)
{
	uint64_t size[2], limit, from = 0, end;
	struct bfo_map maps[2];
	errcode_t err = 0;
	int i;

	for (i = 0; i < 2; i++) {
		const struct bfo_inode *rec = bfo_pair_inode(b->c, pair, i);
		struct side *side = &b->side[i];

		size[i] = rec->size;
		side->next = 0;
		side->n = bfo_seg_count(b->c->tree[i], rec);
		side->seg = bfo_seg_of(b->c->tree[i], rec, 0);
		maps[i] = (struct bfo_map) { .seg = side->seg, .n = side->n,
					     .ratio = b->unit / side->block_size };
	}
	limit = size[0] < size[1] ? size[0] : size[1];
	while (!err && b->differs != pair &&
	       bfo_maps_next_data(&maps[0], &maps[1], &from, &end) && from * b->unit < limit) {
		if (end > (limit + b->unit - 1) / b->unit)
			end = (limit + b->unit - 1) / b->unit;
		err = add_range(b, pair, from * b->unit, end * b->unit, limit);
		from = end;
	}
	b->begun++;
	return err;
}

/* ---- which files, in which order ---- */

/* Where REC has its first data; 0 if nowhere. Counts all of it. */
static uint64_t first_data(struct batch *b, int side, const struct bfo_inode *rec)
{
	uint64_t first = 0;
	uint32_t i;

	for (i = 0; i < bfo_seg_count(b->c->tree[side], rec); i++) {
		const struct bfo_seg *seg = bfo_seg_of(b->c->tree[side], rec, i);

		if (bfo_seg_unwritten(seg))
			continue;
		b->total += (uint64_t) seg->len * b->side[side].block_size;
		if (!first)
			first = seg->blk;
	}
	return first;
}

static errcode_t list_files(struct batch *b)
{
	struct bfo_compare *c = b->c;
	errcode_t err = 0;
	uint64_t blk, other;
	uint32_t i;

	for (i = 0; i < c->pairs.n && !err; i++) {
		const struct bfo_inode *rec[2] = { bfo_pair_inode(c, i, 0),
						   bfo_pair_inode(c, i, 1) };

		if (!bfo_pair_is_sound(c, i) || !S_ISREG(rec[0]->mode) ||
		    !S_ISREG(rec[1]->mode) || bfo_is_inline(rec[0]) || bfo_is_inline(rec[1]))
			continue;
		blk = first_data(b, 0, rec[0]);
		other = first_data(b, 1, rec[1]);
		blk = blk ? blk : other;
		if (blk)
			err = bfo_vec_push(&b->files, (struct file) { .blk_hi = blk >> 32,
					   .blk_lo = blk, .pair = i });
	}
	bfo_sort(b->files.v, b->files.n, sizeof(*b->files.v), 3);
	return err;
}

static errcode_t init(struct batch *b, struct bfo_compare *c)
{
	int i;

	*b = (struct batch) { .c = c, .differs = BFO_NONE };
	for (i = 0; i < 2; i++) {
		b->side[i].block_size = c->source[i]->block_size;
		if (b->side[i].block_size > b->unit)
			b->unit = b->side[i].block_size;
	}
	b->size = c->memory / 2 / b->unit * b->unit;
	for (i = 0; i < 2; i++) {
		b->side[i].room = bfo_pages_alloc(b->size);
		if (!b->side[i].room)
			return bfo_fail(c->ctx, ENOMEM, "comparing data");
	}
	return 0;
}

errcode_t bfo_compare_data(struct bfo_compare *c)
{
	struct batch b;
	errcode_t err = init(&b, c);
	size_t i;

	if (!err)
		err = list_files(&b);
	bfo_progress_report(c->ctx, BFO_STAGE_COMPARE_DATA, 0, b.total, 0);
	for (i = 0; i < b.files.n && !err; i++)
		err = add_file(&b, b.files.v[i].pair);
	if (!err)
		err = run_batch(&b);
	for (i = 0; i < 2; i++) {
		bfo_pages_free(b.side[i].room, b.size);
		bfo_vec_free(&b.side[i].nodes);
	}
	bfo_vec_free(&b.files);
	bfo_vec_free(&b.pieces);
	return err;
}
