// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lost.c - from blocks that cannot be read to the files that lie there
 */
#include "base/bfo_err.h"
#include "gather/inode_scan.h"
#include "gather/lost.h"
#include "tree/access.h"

struct look {
	struct bfo_source *source;
	uint64_t done, total;	/* blocks */
};

/* Files whose segments are data that are copied. */
static int is_copied_file(const struct bfo_inode *rec)
{
	return S_ISREG(rec->mode) && rec->state & BFO_INODE_PLACED &&
	       !(rec->state & (BFO_INODE_BAD | BFO_INODE_EXISTS | BFO_INODE_INLINE |
			       BFO_INODE_MOVED));	/* these are in memory */
}

static errcode_t pass(struct look *l, uint32_t count)
{
	struct bfo_context *ctx = l->source->ctx;

	l->done += count;
	bfo_progress_report(ctx, BFO_STAGE_LOOK, l->done, l->total, 0);
	return bfo_cancelled(ctx)
		       ? bfo_fail(ctx, BFO_ET_CANCELLED, "looking for what cannot be read")
		       : 0;
}

static errcode_t take(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
		      const void *data)
{
	(void) node;
	(void) at;
	(void) data;
	return pass(priv, count);
}

static errcode_t lose(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	(void) node;
	(void) at;
	return pass(priv, count);
}

errcode_t bfo_lost_look(struct bfo_source *source, const struct bfo_tree *tree)
{
	struct look l = { .source = source };
	struct bfo_sink sink = { .take = take, .lost = lose, .priv = &l };
	bfo_order_list list = { 0 };
	errcode_t err = 0;
	bfo_row i, j;

	for (i = 0; i < tree->inodes.n; i++) {
		const struct bfo_inode *rec = &tree->inodes.v[i];

		for (j = 0; is_copied_file(rec) && j < bfo_seg_count(tree, rec) && !err; j++) {
			const struct bfo_seg *seg = bfo_seg_of(tree, rec, j);

			if (bfo_seg_unwritten(seg))
				continue;
			l.total += seg->len;
			err = bfo_vec_push(&list, bfo_node_make(seg->blk, seg->len, 0, 0));
		}
	}
	bfo_order_list_sort(&list);
	if (!err)
		err = source->ops->read(source, list.v, list.n, &sink);
	bfo_vec_free(&list);
	return err;
}

/* What of segment SEG lies in BAD. */
static errcode_t report_seg(struct bfo_tree *t, const struct bfo_source *source,
			    const struct bfo_seg *seg, enum bfo_finding_kind kind, bfo_row row,
			    int *any)
{
	const bfo_ranges *bad = bfo_source_bad(source, bfo_seg_blk(seg));
	const struct bfo_range *r = bfo_ranges_from(bad, bfo_seg_blk(seg));
	uint64_t begin = bfo_seg_blk(seg), end = begin + seg->len, lo, hi;
	errcode_t err = 0;

	if (bfo_seg_unwritten(seg))
		return 0;
	for (; r && r < bad->v + bad->n && r->start < end && !err; r++) {
		lo = r->start > begin ? r->start : begin;
		hi = r->start + r->len < end ? r->start + r->len : end;
		err = bfo_tree_found_part(t, kind, t->inodes.v[row].ino, lo,
					  seg->lblk + (lo - begin), hi - lo);
		*any = 1;
	}
	return err;
}

errcode_t bfo_lost_report(struct bfo_tree *tree, const struct bfo_source *source,
			  enum bfo_finding_kind kind)
{
	errcode_t err = 0;
	int any, is_any = bfo_source_bad(source, 0)->n ||
			  bfo_source_bad(source, BFO_PLACE_MEMORY)->n;
	bfo_row i, j;

	for (i = 0; i < tree->inodes.n && is_any && !err; i++) {
		struct bfo_inode *rec = &tree->inodes.v[i];

		for (any = j = 0; is_copied_file(rec) && j < bfo_seg_count(tree, rec) && !err; j++)
			err = report_seg(tree, source, bfo_seg_of(tree, rec, j), kind, i, &any);
		if (any && kind == BFO_UNREAD_FILE)
			rec->state |= BFO_INODE_BAD;
	}
	return err;
}

bfo_row bfo_lost_owner(const struct bfo_tree *tree, uint64_t blk, uint64_t *lblk)
{
	bfo_row i, j;

	for (i = 0; i < tree->inodes.n; i++) {
		const struct bfo_inode *rec = &tree->inodes.v[i];

		if ((S_ISDIR(rec->mode) && tree->sliced) || rec->state & BFO_INODE_MOVED)
			continue;		/* what were its segments are its names now */
		for (j = 0; j < bfo_seg_count(tree, rec); j++) {
			const struct bfo_seg *seg = bfo_seg_of(tree, rec, j);

			if (blk - bfo_seg_blk(seg) >= seg->len)
				continue;
			*lblk = seg->lblk + (blk - bfo_seg_blk(seg));
			return i;
		}
	}
	return BFO_NONE;
}

static int is_there(const struct bfo_volume *vol, uint64_t blk, uint32_t len)
{
	return bfo_media_fit(vol, blk, len, NULL) == len;
}

errcode_t bfo_lost_nothing(struct bfo_reader *r, const uint32_t *inos, size_t n, int *all)
{
	struct bfo_tree t = { .keep_map_blocks = 1 };
	errcode_t err = bfo_inode_scan_some(r, &t, inos, n);
	size_t i;

	*all = t.inodes.n == n && !t.findings.n;
	for (i = 0; i < t.segs.n; i++)
		*all &= is_there(r->vol, bfo_seg_blk(&t.segs.v[i]), t.segs.v[i].len);
	for (i = 0; i < t.map_blocks.n; i++)
		*all &= is_there(r->vol, t.map_blocks.v[i].blk, 1);
	bfo_tree_free(&t);
	return err;
}
