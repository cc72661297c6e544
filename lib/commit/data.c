// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * data.c - filling the stem
 *
 * Items come in the plan's order until the batch is full; then what has to be read for them is
 * sorted by source block and read, while the writer follows in target order.
 *
 *   items      dir A | ea 1 | file a | file b (first part)     next batch: file b (rest) ...
 *   made here  blocks of dir A
 *   read       ea 1, file a, file b: as nodes, by source block
 *   mended     ea 1: reference count, checksum; last block of a: zeroes behind the end
 *
 * An item may be cut anywhere between blocks, so no file or directory is too big for a buffer.
 *
 * The larger the part of the buffer that is sorted and read at once, the fewer the strokes over
 * the source, but the longer the writer waits for the first chunk to be complete.  So a buffer is
 * read in as many batches as cost the source next to nothing: many where it lies in the order of
 * the target anyway, one where it does not.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "commit/data.h"
#include "commit/pipe.h"
#include "plan/dirimage.h"
#include "plan/extent.h"

/* A node's tag: what is to be mended once it is read. */
#define TAG_EA 0x80000000U	/* | index into eas[]; else bytes to be zeroed at the node's end */

#define BATCH_MIN_CHUNKS 4	/* smallest batch that is tried */
#define BATCH_COST 64		/* 1/64 more than the least is next to nothing */
#define TREE_BYTES (1U << 20)	/* extent blocks written together */

struct filler {
	struct bfo_plan *plan;
	struct bfo_reader *r;
	struct bfo_writer *w;
	struct bfo_pipe pipe;
	struct bfo_buffer *buffer;
	bfo_order_list nodes, scratch;
	uint64_t bytes, total;		/* progress */

	/* where the walk over the items stands */
	size_t item;			/* position in plan->order */
	uint64_t at;			/* next stem block */
	uint32_t seg, seg_at;		/* files: segment, blocks of it done */
	uint32_t lblk;			/* directories: next block */
	int img_open;
	struct bfo_dirimage img;
};

static uint32_t space_left(const struct filler *f)
{
	return f->pipe.capacity - f->buffer->used;
}

/* The next LEN blocks of the batch are stem blocks AT and following. */
static errcode_t add_writes(struct filler *f, uint32_t len)
{
	errcode_t err = 0;
	uint64_t blk, run;

	for (; len && !err; len -= run, f->at += run) {
		blk = bfo_plan_block(f->plan, f->at, &run);
		if (run > len)
			run = len;
		err = bfo_pipe_add_write(f->buffer, blk, run);
	}
	return err;
}

/* LEN blocks from source block BLK are to be read into the batch's next blocks. */
static errcode_t add_node(struct filler *f, uint64_t blk, uint32_t len, uint32_t tag)
{
	uint32_t at = f->buffer->used;
	errcode_t err;

	err = bfo_vec_push(&f->nodes, bfo_node_make(blk, len, tag, at));
	if (err)
		return err;
	bfo_pipe_expect(&f->pipe, f->buffer, at, len);
	return add_writes(f, len);
}

static errcode_t fill_ea(struct filler *f, const struct bfo_inode *rec)
{
	const struct bfo_ea *ea = rec->ea == BFO_NONE ? NULL : &f->plan->tree->eas.v[rec->ea];

	if (!ea || ea->stem != f->at)
		return 0;
	return add_node(f, ea->blk, 1, TAG_EA | rec->ea);
}

/* Bytes behind the end of the file in a piece that ends before logical block END. */
static uint32_t slack(const struct filler *f, const struct bfo_inode *rec, uint64_t end)
{
	uint64_t bs = f->plan->target->block_size, bytes = end * bs;

	return bytes > rec->size && bytes - rec->size < bs ? bytes - rec->size : 0;
}

/* As much of the file as fits. */
static errcode_t fill_file(struct filler *f, const struct bfo_inode *rec)
{
	errcode_t err = 0;
	uint32_t len;

	for (; f->seg < rec->nseg && !err; f->seg_at += len) {
		const struct bfo_seg *seg = &f->plan->tree->segs.v[rec->seg + f->seg];

		len = seg->len - f->seg_at;
		if (!len) {
			f->seg++;
			f->seg_at = 0;
			continue;
		}
		if (bfo_seg_unwritten(seg)) {
			f->at += len;
			continue;
		}
		if (len > space_left(f))
			len = space_left(f);
		if (!len)
			return 0;
		err = add_node(f, bfo_seg_blk(seg) + f->seg_at, len,
			       slack(f, rec, (uint64_t) seg->lblk + f->seg_at + len));
	}
	return err;
}

static errcode_t open_image(struct filler *f, uint32_t inode)
{
	const struct bfo_inode *rec = &f->plan->tree->inodes.v[inode];
	errcode_t err;

	err = bfo_dirimage_init(&f->img, f->plan->tree, f->plan->target, inode,
				f->plan->dir_fill);
	bfo_dirimage_number(&f->img, rec->new_ino,
			    f->plan->tree->inodes.v[bfo_plan_parent(f->plan, inode)].new_ino,
			    rec->generation);
	f->img_open = 1;
	return err;
}

/* As many of the directory's blocks as fit. */
static errcode_t fill_dir(struct filler *f, uint32_t inode)
{
	uint32_t bs = f->plan->target->block_size;
	errcode_t err = f->img_open ? 0 : open_image(f, inode);

	for (; f->lblk < f->img.blocks && space_left(f) && !err; f->lblk++) {
		bfo_dirimage_block(&f->img, f->lblk, f->buffer->buf + (size_t) f->buffer->used * bs);
		err = add_writes(f, 1);
	}
	if (f->lblk == f->img.blocks) {
		bfo_dirimage_free(&f->img);
		f->img_open = 0;
	}
	return err;
}

/* True if nothing of the current item is left. */
static int item_done(const struct filler *f, const struct bfo_inode *rec)
{
	if (rec->ea != BFO_NONE && f->plan->tree->eas.v[rec->ea].stem == f->at)
		return 0;
	return S_ISDIR(rec->mode) ? !f->img_open && f->lblk : f->seg == rec->nseg;
}

static errcode_t fill_buffer(struct filler *f)
{
	errcode_t err = bfo_pipe_begin(&f->pipe, &f->buffer);

	f->nodes.n = 0;
	while (f->item < f->plan->order.n && !err) {
		uint32_t inode = f->plan->order.v[f->item];
		const struct bfo_inode *rec = bfo_plan_item(f->plan, f->item);

		if (!space_left(f))
			break;
		err = fill_ea(f, rec);
		if (!err)
			err = S_ISDIR(rec->mode) ? fill_dir(f, inode) : fill_file(f, rec);
		if (!item_done(f, rec))
			break;
		f->item++;
		f->seg = f->seg_at = f->lblk = 0;
	}
	return err;
}

/* An attribute block's reference count and checksum, for its place on the target. */
static void mend_ea(const struct filler *f, uint32_t index, void *block)
{
	const struct bfo_ea *ea = &f->plan->tree->eas.v[index];
	struct ext2_ext_attr_header *h = block;

	h->h_refcount = ext2fs_cpu_to_le32(ea->refs);
	ext2fs_ext_attr_block_csum_set(f->w->vol->fs, 0, bfo_plan_block(f->plan, ea->stem, NULL),
				       h);
}

static void *place_node(void *priv, const struct bfo_node *node, uint32_t at)
{
	struct filler *f = priv;

	return f->buffer->buf + (size_t) (node->to + at) * f->pipe.block_size;
}

/* Sink: blocks of the batch have been read. */
static errcode_t take_node(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			   const void *data)
{
	struct filler *f = priv;
	size_t bs = f->pipe.block_size;
	char *end = f->buffer->buf + (size_t) (node->to + at + count) * bs;

	(void) data;
	if (node->tag & TAG_EA)
		mend_ea(f, node->tag & ~TAG_EA, end - bs);
	else if (at + count == node->len)
		memset(end - node->tag, 0, node->tag);
	f->bytes += (uint64_t) count * bs;
	bfo_progress_report(f->plan->ctx, BFO_STAGE_DATA, f->bytes, f->total, f->item);
	if (bfo_cancelled(f->plan->ctx))
		return bfo_fail(f->plan->ctx, BFO_ET_CANCELLED, "moving data");
	return bfo_pipe_arrived(&f->pipe, f->buffer, node->to + at, count);
}

/* The end of the batch that begins with node FIRST: nodes of SIZE blocks of the buffer. */
static size_t batch_end(const struct filler *f, size_t first, uint32_t size)
{
	uint64_t limit = f->nodes.v[first].to + size;
	size_t end = first + 1;

	while (end < f->nodes.n && f->nodes.v[end].to < limit)
		end++;
	return end;
}

/* Cost of reading the buffer in batches of SIZE blocks; sorts a copy of the nodes in SCRATCH. */
static uint64_t cost_of(struct filler *f, uint32_t size)
{
	bfo_order_list part = { 0 };
	uint64_t cost = 0;
	size_t i, end;

	memcpy(f->scratch.v, f->nodes.v, f->nodes.n * sizeof(*f->nodes.v));
	for (i = 0; i < f->nodes.n; i = end) {
		end = batch_end(f, i, size);
		part.v = f->scratch.v + i;
		part.n = end - i;
		bfo_order_list_sort(&part);
		cost += bfo_reader_cost(f->r, part.v, part.n);
	}
	return cost;
}

/* Halves the batch as long as that costs little more than reading the whole buffer at once. */
static errcode_t choose_batch(struct filler *f, uint32_t *size)
{
	uint64_t whole;
	errcode_t err;

	*size = f->pipe.capacity;
	if (!f->nodes.n)
		return 0;
	f->scratch.n = 0;
	err = bfo_vec_reserve(&f->scratch, f->nodes.n);
	if (err)
		return err;
	whole = cost_of(f, *size);
	while (*size / 2 >= BATCH_MIN_CHUNKS * f->pipe.chunk &&
	       cost_of(f, *size / 2) <= whole + whole / BATCH_COST)
		*size /= 2;
	return 0;
}

/* Reads what the buffer still misses, batch by batch. */
static errcode_t read_buffer(struct filler *f)
{
	struct bfo_sink sink = { .take = take_node, .place = place_node, .priv = f };
	bfo_order_list batch = { 0 };
	uint32_t size = 0;
	errcode_t err;
	size_t i, end;

	err = choose_batch(f, &size);
	for (i = 0; i < f->nodes.n && !err; i = end) {
		end = batch_end(f, i, size);
		batch.v = f->nodes.v + i;
		batch.n = end - i;
		bfo_order_list_sort(&batch);
		err = bfo_reader_run(f->r, batch.v, batch.n, &sink);
	}
	return err;
}

errcode_t bfo_data_write(struct bfo_plan *plan, struct bfo_reader *r, struct bfo_writer *w,
			 uint64_t memory)
{
	struct filler f = { .plan = plan, .r = r, .w = w };
	errcode_t err;

	f.total = (plan->data_blocks + plan->ea_len) * plan->target->block_size;
	err = bfo_pipe_open(&f.pipe, w, memory, plan->stem_len);
	if (err)
		return bfo_fail(plan->ctx, err, "starting to move data");
	while (f.item < plan->order.n && !err) {
		err = fill_buffer(&f);
		if (err)
			break;
		bfo_pipe_publish(&f.pipe, f.buffer);
		err = read_buffer(&f);
	}
	bfo_vec_free(&f.nodes);
	bfo_vec_free(&f.scratch);
	if (f.img_open)
		bfo_dirimage_free(&f.img);
	return bfo_pipe_close(&f.pipe, err);
}

/* Tree blocks on their way out: consecutive ones leave in one write. */
struct tree_writer {
	struct bfo_writer *w;
	char *buf;
	uint64_t blk;		/* of the first in buf */
	uint32_t n, max;	/* blocks in buf, blocks that fit */
};

static errcode_t drain(struct tree_writer *tw)
{
	uint32_t n = tw->n;

	tw->n = 0;
	return n ? bfo_writer_write(tw->w, tw->blk, n, tw->buf) : 0;
}

static errcode_t write_tree(struct bfo_plan *plan, struct tree_writer *tw,
			    const struct bfo_map_tree *tree, bfo_segs *ext)
{
	errcode_t err = bfo_extents_of(plan, tree->inode, ext);
	uint64_t blk;
	uint32_t k;

	for (k = 0; k < tree->blocks && !err; k++) {
		blk = bfo_plan_block(plan, tree->stem + k, NULL);
		if (tw->n == tw->max || blk != tw->blk + tw->n)
			err = drain(tw);
		if (!tw->n)
			tw->blk = blk;
		bfo_extent_block(plan, tree, ext->v, k,
				 tw->buf + (size_t) tw->n++ * plan->target->block_size);
	}
	return err;
}

static int by_stem(const void *a, const void *b)
{
	const struct bfo_map_tree *x = a, *y = b;

	return (x->stem > y->stem) - (x->stem < y->stem);
}

errcode_t bfo_trees_write(struct bfo_plan *plan, struct bfo_writer *w)
{
	struct tree_writer tw = { .w = w, .max = TREE_BYTES / plan->target->block_size };
	struct bfo_map_tree *sorted;
	bfo_segs ext = { 0 };
	errcode_t err = 0;
	size_t i;

	sorted = malloc(plan->trees.n * sizeof(*sorted) + 1);
	tw.buf = malloc(TREE_BYTES);
	if (!sorted || !tw.buf)
		err = bfo_fail(plan->ctx, ENOMEM, "writing extent trees");
	for (i = 0; i < plan->trees.n && !err; i++)
		sorted[i] = plan->trees.v[i];
	if (!err)
		qsort(sorted, plan->trees.n, sizeof(*sorted), by_stem);
	for (i = 0; i < plan->trees.n && !err; i++)
		err = write_tree(plan, &tw, &sorted[i], &ext);
	if (!err)
		err = drain(&tw);
	bfo_vec_free(&ext);
	free(sorted);
	free(tw.buf);
	return err;
}
