// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zeroes.c - blocks of zeroes become holes
 *
 *   segments of files, numbered block by block ── read ──> a bit for each that is not zero
 *   the same segments, file by file ── groups of UNIT bytes without such a bit ──> left out
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "gather/zeroes.h"
#include "tree/access.h"

struct scan {
	struct bfo_source *source;
	struct bfo_tree *tree;
	uint8_t *bits;			/* of blocks that are not zero */
	uint64_t blocks, done;
	uint32_t ratio;			/* of the tree's blocks in a unit */
	BFO_VEC(struct bfo_seg) segs;	/* those that are left */
	/* of the unit being looked at */
	BFO_VEC(struct bfo_seg) unit;
	uint64_t number;
	int is_data;
};

static int is_looked_at(const struct bfo_inode *rec)
{
	return S_ISREG(rec->mode) && !(rec->state & (BFO_INODE_BAD | BFO_INODE_INLINE)) &&
	       !(rec->flags & (EXT4_EA_INODE_FL | EXT4_ENCRYPT_FL));
}

/* ---- reading ---- */

static int is_zero(const char *data, size_t len)
{
	return !data[0] && !memcmp(data, data + 1, len - 1);
}

/*
 * Sink: node->to is the number of its first block; node->tag, if it is not 0, how many bytes of its
 * one block the file has.
 */
static errcode_t take(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
		      const void *data)
{
	struct scan *s = priv;
	size_t bs = s->source->block_size;
	uint32_t i;

	for (i = 0; i < count; i++) {
		uint64_t n = node->to + at + i;

		if (!is_zero((const char *) data + i * bs, node->tag ? node->tag : bs))
			s->bits[n / 8] |= 1U << n % 8;
	}
	s->done += count;
	bfo_progress_report(s->source->ctx, BFO_STAGE_LOOK, s->done, s->blocks, 0);
	return bfo_cancelled(s->source->ctx) ? bfo_fail(s->source->ctx, BFO_ET_CANCELLED,
							"looking for zeroes") : 0;
}

/* Sink: they stay; who reads them again will tell. */
static errcode_t lose(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	struct scan *s = priv;
	uint64_t n;

	for (n = node->to + at; n < node->to + at + count; n++)
		s->bits[n / 8] |= 1U << n % 8;
	s->done += count;
	return 0;
}

/*
 * What SEG has of REC: whole blocks, and the one in which it ends.  What lies behind that is
 * nothing.
 */
static errcode_t list_seg(struct scan *s, const struct bfo_inode *rec, const struct bfo_seg *seg,
			  bfo_order_list *list)
{
	uint32_t tail = rec->size % s->tree->block_size;
	uint64_t whole = rec->size / s->tree->block_size, left;
	errcode_t err = 0;

	left = whole > seg->lblk ? whole - seg->lblk : 0;
	if (left)
		err = bfo_vec_push(list, bfo_node_make(bfo_seg_blk(seg),
						       left < seg->len ? left : seg->len, 0,
						       s->blocks));
	if (!err && tail && seg->lblk <= whole && left < seg->len)
		err = bfo_vec_push(list, bfo_node_make(bfo_seg_blk(seg) + left, 1, tail,
						       s->blocks + left));
	s->blocks += seg->len;
	return err;
}

static errcode_t list_blocks(struct scan *s, bfo_order_list *list)
{
	const struct bfo_tree *t = s->tree;
	errcode_t err = 0;
	uint32_t k;
	size_t i;

	for (i = 0; i < t->inodes.n; i++) {
		const struct bfo_inode *rec = &t->inodes.v[i];

		for (k = 0; is_looked_at(rec) && k < bfo_seg_count(t, rec) && !err; k++)
			if (!bfo_seg_unwritten(bfo_seg_of(t, rec, k)))
				err = list_seg(s, rec, bfo_seg_of(t, rec, k), list);
	}
	bfo_order_list_sort(list);
	return err;
}

/* ---- what is left ---- */

/* The unit is complete: its blocks stay, if one of them has data. */
static errcode_t end_unit(struct scan *s, uint32_t first)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; s->is_data && i < s->unit.n && !err; i++) {
		struct bfo_seg *seg = &s->unit.v[i], *last;

		last = s->segs.n > first ? &s->segs.v[s->segs.n - 1] : NULL;
		if (last && last->lblk + last->len == seg->lblk &&
		    last->blk + last->len == seg->blk) {
			last->len += seg->len;
			continue;
		}
		err = bfo_vec_push(&s->segs, *seg);
	}
	s->unit.n = 0;
	s->is_data = 0;
	return err;
}

/* Block number N, which is the file's logical block LBLK, at BLK. */
static errcode_t add_block(struct scan *s, uint32_t first, uint64_t n, uint64_t blk, uint32_t lblk)
{
	errcode_t err = 0;

	if (s->unit.n && lblk / s->ratio != s->number)
		err = end_unit(s, first);
	s->number = lblk / s->ratio;
	s->is_data |= s->bits[n / 8] >> n % 8 & 1;
	return err ? err : bfo_vec_push(&s->unit, (struct bfo_seg) { .blk = blk, .lblk = lblk,
					.len = 1 });
}

static errcode_t keep_file(struct scan *s, struct bfo_inode *rec, uint64_t *n)
{
	uint32_t first = s->segs.n, k, i;
	errcode_t err = 0;

	for (k = 0; k < bfo_seg_count(s->tree, rec) && !err; k++) {
		const struct bfo_seg *seg = bfo_seg_of(s->tree, rec, k);

		for (i = 0; !bfo_seg_unwritten(seg) && i < seg->len && !err; i++)
			err = add_block(s, first, (*n)++, seg->blk + i, seg->lblk + i);
	}
	if (!err)
		err = end_unit(s, first);
	bfo_segs_set(s->tree, rec, first, s->segs.n - first);
	return err;
}

/* Links, values of attributes: as they are. */
static errcode_t keep_other(struct scan *s, struct bfo_inode *rec)
{
	uint32_t first = s->segs.n, k;
	errcode_t err = 0;

	for (k = 0; k < bfo_seg_count(s->tree, rec) && !err; k++)
		err = bfo_vec_push(&s->segs, *bfo_seg_of(s->tree, rec, k));
	bfo_segs_set(s->tree, rec, first, s->segs.n - first);
	return err;
}

static errcode_t keep_all(struct scan *s)
{
	struct bfo_tree *t = s->tree;
	errcode_t err = 0;
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < t->inodes.n && !err; i++) {
		struct bfo_inode *rec = &t->inodes.v[i];

		err = is_looked_at(rec) ? keep_file(s, rec, &n) : keep_other(s, rec);
	}
	if (err)
		return err;
	bfo_vec_free(&t->segs);
	memcpy(&t->segs, &s->segs, sizeof(t->segs));
	memset(&s->segs, 0, sizeof(s->segs));
	return 0;
}

errcode_t bfo_zeroes_drop(struct bfo_source *source, struct bfo_tree *tree, uint32_t unit)
{
	struct scan s = { .source = source, .tree = tree, .ratio = unit / tree->block_size };
	struct bfo_sink sink = { .take = take, .lost = lose, .priv = &s };
	bfo_order_list list = { 0 };
	errcode_t err = list_blocks(&s, &list);

	if (!s.ratio)
		s.ratio = 1;
	s.bits = calloc(s.blocks / 8 + 1, 1);
	if (!err && !s.bits)
		err = ENOMEM;
	if (err)
		bfo_fail(source->ctx, err, "looking for zeroes");
	else
		err = source->ops->read(source, list.v, list.n, &sink);
	if (!err)
		err = keep_all(&s);
	bfo_vec_free(&list);
	bfo_vec_free(&s.segs);
	bfo_vec_free(&s.unit);
	free(s.bits);
	return err;
}
