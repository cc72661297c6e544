// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unread.c - what of two trees nobody can compare, as one side of it cannot be read
 *
 *   file, bytes      |================================================|
 *   A cannot read            |-----|                  |--------|
 *   B cannot read               |------|
 *   compared         |=======|          |=============|        |======|
 *
 * Which data cannot be read the volume knows (volume/media.h), once they were to be read.  They are
 * looked up piece by piece, in the order in which files are compared, so what is told does not
 * depend on how they were read.
 */
#include <stdlib.h>
#include <string.h>

#include "compare/unread.h"
#include "tree/access.h"

#define PAGE 4096U
#define NO_END INT64_MAX	/* bytes, or blocks */

static int by_inode(const void *a, const void *b)
{
	const struct bfo_unread *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->lblk > y->lblk) - (x->lblk < y->lblk);
}

static int is_about_metadata(enum bfo_finding_kind kind)
{
	return kind == BFO_UNREAD_DIR || kind == BFO_UNREAD_MAP || kind == BFO_UNREAD_XATTR ||
	       kind == BFO_UNREAD_FILE;
}

/* What lies in the last part of a block map may go on behind the end of the file. */
static uint64_t end_of(const struct bfo_tree *t, const struct bfo_finding *f, bfo_row row)
{
	uint64_t end = f->lblk + f->blocks;

	return end * t->block_size < t->inodes.v[row].size && f->blocks ? end : NO_END;
}

errcode_t bfo_unread_list(struct bfo_compare *c, int side)
{
	const struct bfo_tree *t = c->tree[side];
	errcode_t err = 0;
	bfo_row row;
	size_t i;

	for (i = 0; i < t->findings.n && !err; i++) {
		const struct bfo_finding *f = &t->findings.v[i];

		if (!is_about_metadata(f->kind))
			continue;
		row = bfo_tree_find(t, f->ino);
		if (row != BFO_NONE)
			err = bfo_vec_push(&c->unread[side], (struct bfo_unread) { .row = row,
					   .kind = f->kind, .lblk = f->lblk,
					   .end = end_of(t, f, row) });
	}
	if (c->unread[side].n)
		qsort(c->unread[side].v, c->unread[side].n, sizeof(*c->unread[side].v), by_inode);
	return err;
}

/* The next entry of ROW behind LAST (NULL: the first) of KIND, or NULL. */
static const struct bfo_unread *next_of(const struct bfo_compare *c, int side, bfo_row row,
					enum bfo_finding_kind kind, const struct bfo_unread *last)
{
	size_t i = last ? (size_t) (last - c->unread[side].v) + 1 :
			  bfo_vec_lower(&c->unread[side], row, row);

	for (; i < c->unread[side].n && c->unread[side].v[i].row == row; i++)
		if (c->unread[side].v[i].kind == kind)
			return &c->unread[side].v[i];
	return NULL;
}

int bfo_unread_has(const struct bfo_compare *c, int side, bfo_row row, enum bfo_finding_kind kind)
{
	return next_of(c, side, row, kind, NULL) != NULL;
}

/* Adds to OUT the bytes that lost parts of the block map of SIDE's file had. */
static errcode_t lost_by_map(const struct bfo_compare *c, int side, uint32_t pair, bfo_ranges *out)
{
	bfo_row row = c->pairs.v[pair].row[side];
	uint32_t bs = c->tree[side]->block_size;
	const struct bfo_unread *u = NULL;
	errcode_t err = 0;
	uint64_t start, end;

	while (!err && (u = next_of(c, side, row, BFO_UNREAD_MAP, u))) {
		start = u->lblk * bs;
		end = u->end == NO_END ? NO_END : u->end * bs;
		err = bfo_ranges_add(out, start, end - start);
	}
	return err;
}

/* Pushes AT behind what side's lost parts of the block map touch of a unit; 1 if it was moved. */
static int push_behind(const struct bfo_compare *c, int side, uint32_t pair, uint32_t unit,
		       uint64_t *at)
{
	bfo_row row = c->pairs.v[pair].row[side];
	uint32_t bs = c->tree[side]->block_size;
	const struct bfo_unread *u = NULL;
	uint64_t was = *at, behind;

	while ((u = next_of(c, side, row, BFO_UNREAD_MAP, u))) {
		behind = u->end == NO_END ? NO_END : (u->end * bs + unit - 1) / unit;
		if (u->lblk * bs / unit <= *at && *at < behind)
			*at = behind;
	}
	return *at != was;
}

uint64_t bfo_unread_skip(const struct bfo_compare *c, uint32_t pair, uint64_t at, uint32_t unit)
{
	while (push_behind(c, 0, pair, unit, &at) || push_behind(c, 1, pair, unit, &at))
		;
	return at;
}

/* ---- data ---- */

/* The first segment of REC that ends behind logical block LBLK; its index. */
static uint32_t seg_behind(const struct bfo_tree *t, const struct bfo_inode *rec, uint64_t lblk)
{
	uint32_t lo = 0, hi = bfo_seg_count(t, rec), mid;

	while (lo < hi) {
		const struct bfo_seg *seg;

		mid = lo + (hi - lo) / 2;
		seg = bfo_seg_of(t, rec, mid);
		if (seg->lblk + (uint64_t) seg->len <= lblk)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* What of blocks [FROM, TO) of SIDE's file cannot be read: to OUT, in bytes, or a finding. */
static errcode_t lost_in_seg(struct bfo_compare *c, int side, uint32_t pair,
			     const struct bfo_seg *seg, uint64_t from, uint64_t to, bfo_ranges *out)
{
	const bfo_ranges *bad = bfo_source_bad(c->source[side], seg->blk);
	struct bfo_tree *t = c->tree[side];
	uint64_t begin = from > seg->lblk ? from - seg->lblk : 0, end = to - seg->lblk, lo, hi;
	const struct bfo_range *r = bfo_ranges_from(bad, seg->blk + begin);
	errcode_t err = 0;

	end = seg->blk + (end < seg->len ? end : seg->len);
	begin += seg->blk;
	for (; r && r < bad->v + bad->n && r->start < end && !err; r++) {
		lo = r->start > begin ? r->start : begin;
		hi = r->start + r->len < end ? r->start + r->len : end;
		if (out)
			err = bfo_ranges_add(out, (seg->lblk + lo - seg->blk) * t->block_size,
					     (hi - lo) * t->block_size);
		else
			err = bfo_tree_found_part(t, BFO_UNREAD_DATA,
						  bfo_pair_inode(c, pair, side)->ino, lo,
						  seg->lblk + (lo - seg->blk), hi - lo);
	}
	return err;
}

/* The same of bytes [FROM, TO). */
static errcode_t lost_data(struct bfo_compare *c, int side, uint32_t pair, uint64_t from,
			   uint64_t to, bfo_ranges *out)
{
	const struct bfo_inode *rec = bfo_pair_inode(c, pair, side);
	const struct bfo_tree *t = c->tree[side];
	uint64_t first = from / t->block_size, last = (to + t->block_size - 1) / t->block_size;
	errcode_t err = 0;
	uint32_t i;

	if (rec->state & (BFO_INODE_INLINE | BFO_INODE_FAST) || !bfo_seg_count(t, rec) ||
	    !bfo_source_bad(c->source[side], bfo_seg_of(t, rec, 0)->blk)->n)
		return 0;
	for (i = seg_behind(t, rec, first); i < bfo_seg_count(t, rec) && !err; i++) {
		const struct bfo_seg *seg = bfo_seg_of(t, rec, i);

		if (seg->lblk >= last)
			break;
		if (!bfo_seg_unwritten(seg))
			err = lost_in_seg(c, side, pair, seg, first, last, out);
	}
	return err;
}

/* Where A and B begin to differ; LEN if they do not. */
static size_t first_difference(const char *a, const char *b, size_t len)
{
	size_t at, i, n;

	for (at = 0; at < len; at += n) {
		n = len - at < PAGE ? len - at : PAGE;
		if (!memcmp(a + at, b + at, n))
			continue;
		for (i = at; a[i] == b[i]; i++)
			;
		return i;
	}
	return len;
}

/* The same of bytes from OFFSET on, but for those in LOST. */
static size_t known_difference(const char *a, const char *b, size_t len, uint64_t offset,
			       const bfo_ranges *lost)
{
	const struct bfo_range *r = bfo_ranges_from(lost, offset);
	size_t at = 0, stop, n;

	while (at < len) {
		while (r && r < lost->v + lost->n && r->start <= offset + at) {
			at = r->start + r->len - offset < len ? r->start + r->len - offset : len;
			r++;
		}
		stop = r && r < lost->v + lost->n && r->start - offset < len ? r->start - offset
									    : len;
		n = first_difference(a + at, b + at, stop - at);
		if (n < stop - at)
			return at + n;
		at = stop;
	}
	return len;
}

/* How many of bytes [FROM, TO) are in LOST. */
static uint64_t count_lost(const bfo_ranges *lost, uint64_t from, uint64_t to)
{
	const struct bfo_range *r = bfo_ranges_from(lost, from);
	uint64_t n = 0, lo, hi;

	for (; r && r < lost->v + lost->n && r->start < to; r++) {
		lo = r->start > from ? r->start : from;
		hi = r->start + r->len < to ? r->start + r->len : to;
		n += hi - lo;
	}
	return n;
}

errcode_t bfo_unread_compare(struct bfo_compare *c, uint32_t pair, uint64_t offset, const char *a,
			     const char *b, size_t len, size_t *same)
{
	bfo_ranges lost = { 0 };
	errcode_t err = 0;
	uint64_t missed;
	int side;

	for (side = 0; side < 2 && !err; side++) {
		err = lost_by_map(c, side, pair, &lost);
		if (!err)
			err = lost_data(c, side, pair, offset, offset + len, &lost);
	}
	*same = err ? 0 : known_difference(a, b, len, offset, &lost);
	missed = count_lost(&lost, offset, offset + *same);
	c->bytes += len - count_lost(&lost, offset, offset + len);
	c->missed += missed;
	for (side = 0; side < 2 && missed && !err; side++)
		err = lost_data(c, side, pair, offset, offset + *same, NULL);
	bfo_vec_free(&lost);
	return err;
}
