// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * data.c - filling the stem
 *
 * Items come in the plan's order until the batch is full; then what has to be read for them is
 * sorted by source block and read, while the writer follows in target order.
 *
 *   items      dir A | ea 1 | file a | file b (first part)     next batch: file b (rest) ...
 *   made here  blocks of dir A (and values of attributes that get an inode of their own)
 *   read       ea 1, file a, file b: as nodes, by source block
 *   mended     ea 1: reference count, checksum; last block of a: zeroes behind the end
 *
 * An item may be cut anywhere between blocks, so no file or directory is too big for a buffer.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "commit/batches.h"
#include "commit/data.h"
#include "commit/pipe.h"
#include "gather/inode_check.h"
#include "plan/dirimage.h"
#include "plan/eaimage.h"
#include "plan/itrees.h"
#include "plan/runs.h"

/* A node's tag: what is to be mended once it is read. */
#define TAG_EA 0x80000000U	/* | index into eas[] */
#define TAG_INLINE 0x40000000U	/* | byte of the inode that holds the content */
				/* else bytes to be zeroed at the node's end */
#define TAG_WHOLE 0x20000000U	/* | these: it must not have zeroes for what cannot be read */

#define BATCH_MIN_CHUNKS 4	/* smallest batch that is tried */

struct filler {
	struct bfo_plan *plan;
	struct bfo_reader *r;
	struct bfo_writer *w;
	struct bfo_pipe pipe;
	struct bfo_buffer *buffer;
	bfo_order_list nodes;
	uint64_t from;			/* the stem is written before this block */
	uint64_t bytes, total;		/* progress */
	uint32_t source_units;		/* units of a block of the source */
	struct bfo_regions regions;	/* of the source, if its data come in several batches */

	/* where the walk over the items stands */
	size_t item;			/* position in plan->order */
	int begun;			/* its attribute block is done, its walk is open */
	uint64_t ea_end;		/* attribute blocks before this place of the stem are done */
	struct bfo_run_walk walk;	/* files */
	struct bfo_run run;		/* the current one, */
	uint32_t run_done;		/* and how many blocks of it are done */
	uint32_t seg;			/* first segment that may be in it */
	uint32_t lblk;			/* directories: next block */
	struct bfo_dirimage img;
	struct bfo_eaimage ea;		/* scratch */
	BFO_VEC(uint8_t) content;	/* scratch */
};

static uint32_t units_left(const struct filler *f)
{
	return f->pipe.capacity - f->buffer->used;
}

/* Blocks of the target that still fit, if they are whole blocks of the source. */
static uint32_t blocks_left(const struct filler *f)
{
	return units_left(f) / f->source_units * f->source_units / f->pipe.block_units;
}

/* The LEN blocks from unit AT of the buffer on are stem blocks STEM and following. */
static errcode_t add_writes(struct filler *f, uint32_t at, uint64_t stem, uint32_t len)
{
	errcode_t err = 0;
	uint64_t blk, run;

	assert(stem + len <= f->plan->stem_len);
	for (; len && !err; len -= run, stem += run, at += run * f->pipe.block_units) {
		blk = bfo_plan_block(f->plan, stem, &run);
		if (run > len)
			run = len;
		err = bfo_pipe_add_write(&f->pipe, f->buffer, at, blk, run, stem + run);
	}
	return err;
}

/* LEN blocks from source block BLK on are to be read to unit AT of the buffer. */
static errcode_t add_node(struct filler *f, uint64_t blk, uint32_t len, uint32_t tag, uint32_t at)
{
	bfo_pipe_expect(&f->pipe, f->buffer, at, len * f->source_units);
	return bfo_vec_push(&f->nodes, bfo_node_make(blk, len, tag, at));
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

/* A block made of repacked attributes. */
static errcode_t make_ea(struct filler *f, uint32_t index, uint32_t at)
{
	void *block = f->buffer->buf + (size_t) at * f->pipe.unit;
	errcode_t err = bfo_eaimage_open(&f->ea, f->plan, index);

	if (err)
		return err;
	bfo_eaimage_number(&f->ea, f->plan);
	bfo_eaimage_block(&f->ea, f->plan, block);
	mend_ea(f, index, block);
	return 0;
}

static errcode_t fill_ea(struct filler *f, uint32_t index)
{
	const struct bfo_ea *ea = &f->plan->tree->eas.v[index];
	uint32_t at = f->buffer->used;
	errcode_t err;

	f->ea_end = ea->stem + 1;
	if (ea->stem < f->from)
		return 0;
	f->buffer->used += f->pipe.block_units;
	err = f->plan->tree->repacked ? make_ea(f, index, at)
				      : add_node(f, ea->blk, 1, TAG_EA | index, at);
	return err ? err : add_writes(f, at, ea->stem, 1);
}

/* Bytes behind the end of the file in a piece that ends before the source's logical block END. */
static uint32_t slack(const struct filler *f, const struct bfo_inode *rec, uint64_t end)
{
	uint64_t bs = f->plan->tree->block_size, bytes = end * bs;

	if (rec->flags & (EXT4_VERITY_FL | EXT4_ENCRYPT_FL))
		return 0;
	return bytes > rec->size && bytes - rec->size < bs ? bytes - rec->size : 0;
}

/* A symbolic link, or an attribute's value, with zeroes in it is damaged; a file is not. */
static uint32_t whole_tag(const struct bfo_inode *rec)
{
	return S_ISREG(rec->mode) && !(rec->flags & EXT4_EA_INODE_FL) ? 0 : TAG_WHOLE;
}

/*
 * The part of segment SEG that lies in the source's logical blocks [FIRST, END), whose place in
 * the buffer begins at unit AT.
 */
static errcode_t add_seg(struct filler *f, const struct bfo_inode *rec, const struct bfo_seg *seg,
			 uint64_t first, uint64_t end, uint32_t at)
{
	uint64_t lo = seg->lblk > first ? seg->lblk : first;
	uint64_t hi = (uint64_t) seg->lblk + seg->len;

	if (hi > end)
		hi = end;
	if (lo >= hi || bfo_seg_unwritten(seg))
		return 0;
	return add_node(f, bfo_seg_blk(seg) + (lo - seg->lblk), hi - lo,
			slack(f, rec, hi) | whole_tag(rec), at + (lo - first) * f->source_units);
}

/* What stands in its inode in the source, and not in the target: the block of the inode table. */
static errcode_t fill_inline(struct filler *f, const struct bfo_inode *rec, uint32_t len)
{
	uint32_t at = f->buffer->used, units = len * f->pipe.block_units, byte;
	uint64_t blk = bfo_volume_inode_block(f->r->vol, rec->ino, &byte);
	errcode_t err;

	if (units < f->source_units)
		units = f->source_units;
	f->buffer->used += units;
	memset(f->buffer->buf + (size_t) at * f->pipe.unit, 0, (size_t) units * f->pipe.unit);
	err = add_node(f, blk, 1, TAG_INLINE | byte, at);
	f->run_done += len;
	return err ? err : add_writes(f, at, rec->stem + f->run.at, len);
}

/* Leaves of a block of an inode table, at BLOCK, the content of the inode at its byte BYTE. */
static errcode_t keep_content(struct filler *f, void *block, uint32_t byte)
{
	const struct ext2_inode *raw = (const void *) ((const char *) block + byte);
	uint64_t size = bfo_inode_size(raw);
	errcode_t err;

	if (size > f->r->vol->inode_size)
		size = f->r->vol->inode_size;
	f->content.n = 0;
	err = bfo_vec_reserve(&f->content, size + 1);
	if (err)
		return err;
	bfo_inode_inline_content(f->r->vol, raw, f->content.v, size);
	memset(block, 0, f->r->vol->block_size);
	memcpy(block, f->content.v, size);
	return 0;
}

/* A value that stood elsewhere, and lies in memory: LEN blocks, all of it. */
static errcode_t fill_moved(struct filler *f, const struct bfo_inode *rec, uint32_t len)
{
	const struct bfo_tree *t = f->plan->tree;
	const struct bfo_value *v = bfo_tree_value(t, rec - t->inodes.v);
	size_t bytes = (size_t) len * f->plan->target->block_size;
	uint32_t at = f->buffer->used;
	char *place = (char *) f->buffer->buf + (size_t) at * f->pipe.unit;

	memcpy(place, t->moved.v + v->at, rec->size);
	memset(place + rec->size, 0, bytes - rec->size);
	f->buffer->used += len * f->pipe.block_units;
	f->run_done += len;
	return add_writes(f, at, rec->stem + f->run.at, len);
}

/* LEN blocks of the current run, which fit; they are whole blocks of the source. */
static errcode_t fill_piece(struct filler *f, const struct bfo_inode *rec, uint32_t len)
{
	uint64_t from = f->plan->tree->block_size, to = f->plan->target->block_size;
	uint64_t begin = (f->run.lblk + f->run_done) * to, end = begin + len * to, last;
	uint32_t at = f->buffer->used, units = len * f->pipe.block_units;
	const struct bfo_seg *segs = f->plan->tree->segs.v + rec->seg;
	errcode_t err = 0;
	uint32_t i;

	last = (end + from - 1) / from;
	units = (units + f->source_units - 1) / f->source_units * f->source_units;
	f->buffer->used += units;
	if (from < to)			/* not every block of the target need be full */
		memset(f->buffer->buf + (size_t) at * f->pipe.unit, 0,
		       (size_t) units * f->pipe.unit);
	while (f->seg < rec->nseg && segs[f->seg].lblk + (uint64_t) segs[f->seg].len <= begin / from)
		f->seg++;
	for (i = f->seg; i < rec->nseg && segs[i].lblk < last && !err; i++)
		err = add_seg(f, rec, &segs[i], begin / from, last, at);
	if (!err)
		err = add_writes(f, at, rec->stem + f->run.at + f->run_done, len);
	f->run_done += len;
	return err;
}

/* Blocks of the current run, not yet done, that were written already; whole blocks of the source. */
static uint32_t skipped(const struct filler *f, const struct bfo_inode *rec)
{
	uint32_t len = f->run.len - f->run_done, ratio = f->source_units / f->pipe.block_units, rest;
	uint64_t stem = rec->stem + f->run.at + f->run_done;

	if (stem >= f->from)
		return 0;
	if (f->from - stem >= len)
		return len;
	if (rec->state & (BFO_INODE_INLINE | BFO_INODE_MOVED))
		return 0;	/* comes as a whole */
	len = f->from - stem;
	rest = ratio > 1 ? (f->run.lblk + f->run_done + len) % ratio : 0;
	return rest < len ? len - rest : 0;
}

/* As much of the file as fits; *DONE if that is all. */
static errcode_t fill_file(struct filler *f, const struct bfo_inode *rec, int *done)
{
	errcode_t err = 0;
	uint32_t len;

	*done = 0;
	while (!err) {
		len = f->run.len - f->run_done;
		if (!len || f->run.unwritten) {
			f->run_done = 0;
			*done = !bfo_runs_next(&f->walk, &f->run);
			if (*done)
				break;
			continue;
		}
		if (f->from && skipped(f, rec)) {
			f->run_done += skipped(f, rec);
			continue;
		}
		if (len > blocks_left(f))	/* what comes as a whole is short */
			len = rec->state & (BFO_INODE_INLINE | BFO_INODE_MOVED) ? 0 : blocks_left(f);
		if (!len)
			break;
		if (rec->state & BFO_INODE_MOVED)
			err = fill_moved(f, rec, len);
		else
			err = rec->state & BFO_INODE_INLINE ? fill_inline(f, rec, len)
							    : fill_piece(f, rec, len);
	}
	return err;
}

/* A directory that has blocks: one that stands in its inode has none. */
static int is_built(const struct bfo_inode *rec)
{
	return S_ISDIR(rec->mode) && !(rec->state & BFO_INODE_STUFF);
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
	f->lblk = 0;
	return err;
}

/* As many of the directory's blocks as fit; *DONE if that is all. */
static errcode_t fill_dir(struct filler *f, const struct bfo_inode *rec, int *done)
{
	errcode_t err = 0;
	uint32_t at;

	for (; f->lblk < f->img.blocks && blocks_left(f) && !err; f->lblk++) {
		if (rec->stem + f->lblk < f->from)
			continue;
		at = f->buffer->used;
		f->buffer->used += f->pipe.block_units;
		bfo_dirimage_block(&f->img, f->lblk, f->buffer->buf + (size_t) at * f->pipe.unit);
		err = add_writes(f, at, rec->stem + f->lblk, 1);
	}
	*done = f->lblk == f->img.blocks;
	if (*done)
		bfo_dirimage_free(&f->img);
	return err;
}

/* Begins with the item's attribute block, if it is the first that has it, and opens its walk. */
static errcode_t begin_item(struct filler *f, uint32_t inode)
{
	const struct bfo_inode *rec = &f->plan->tree->inodes.v[inode];
	const struct bfo_ea *ea = rec->ea == BFO_NONE ? NULL : &f->plan->tree->eas.v[rec->ea];
	errcode_t err = 0;

	if (ea && !ea->no_block && ea->stem >= f->ea_end)
		err = fill_ea(f, rec->ea);
	f->begun = 1;
	if (is_built(rec))
		return err ? err : open_image(f, inode);
	f->seg = f->run_done = 0;
	f->run = (struct bfo_run) { 0 };
	bfo_runs_begin(&f->walk, f->plan, rec);
	return err;
}

static errcode_t fill_item(struct filler *f, uint32_t inode, int *done)
{
	const struct bfo_inode *rec = &f->plan->tree->inodes.v[inode];
	errcode_t err;

	*done = bfo_plan_is_written_last(f->plan, rec);
	if (*done)
		return 0;
	err = f->begun ? 0 : begin_item(f, inode);
	if (!err)
		err = is_built(rec) ? fill_dir(f, rec, done) : fill_file(f, rec, done);
	return err;
}

/* Items into the next buffer until there is no room for a block of either volume. */
static errcode_t fill_buffer(struct filler *f)
{
	errcode_t err = bfo_pipe_begin(&f->pipe, &f->buffer);
	int done = 1;

	f->nodes.n = 0;
	while (f->item < f->plan->order.n && !err && done && blocks_left(f)) {
		bfo_plan_item(f->plan, f->item);	/* asks in time for those to come */
		err = fill_item(f, f->plan->order.v[f->item], &done);
		f->item += done;
		f->begun = !done;
	}
	return err;
}

static void *place_node(void *priv, const struct bfo_node *node, uint32_t at)
{
	struct filler *f = priv;

	return f->buffer->buf + (size_t) (node->to + (uint64_t) at * f->source_units) *
	       f->pipe.unit;
}

/* Sink: blocks of the batch have been read. */
static errcode_t take_node(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			   const void *data)
{
	struct filler *f = priv;
	size_t bs = f->r->vol->block_size;
	char *end = (char *) place_node(priv, node, at + count);
	errcode_t err = 0;

	(void) data;
	if (node->tag & TAG_EA)
		mend_ea(f, node->tag & ~TAG_EA, end - bs);
	else if (node->tag & TAG_INLINE)
		err = keep_content(f, end - bs, node->tag & ~TAG_INLINE);
	else if (at + count == node->len)
		memset(end - (node->tag & ~TAG_WHOLE), 0, node->tag & ~TAG_WHOLE);
	if (err)
		return err;
	f->bytes += (uint64_t) count * bs;
	bfo_progress_report(f->plan->ctx, BFO_STAGE_DATA, f->bytes, f->total, f->item);
	if (bfo_cancelled(f->plan->ctx))
		return bfo_fail(f->plan->ctx, BFO_ET_CANCELLED, "moving data");
	return bfo_pipe_arrived(&f->pipe, f->buffer, node->to + (uint64_t) at * f->source_units,
				count * f->source_units);
}

/*
 * Sink: blocks of the batch cannot be read.  They become zeroes if they are data and that was asked
 * for; bfo_lost_report() tells whose they were.  Everything else was readable when it was planned.
 */
static errcode_t lose_node(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	struct filler *f = priv;
	size_t bs = f->r->vol->block_size;
	void *to = place_node(priv, node, at);

	if (f->r->vol->media.opt.mode != BFO_MEDIA_ZERO ||
	    node->tag & (TAG_EA | TAG_INLINE | TAG_WHOLE)) {
		f->r->vol->media.failed = bfo_node_blk(node) + at;
		return bfo_fail(f->plan->ctx, EIO, "reading block %llu of %s",
				(unsigned long long) bfo_node_blk(node) + at, f->r->vol->spec);
	}
	memset(to, 0, count * bs);
	return take_node(priv, node, at, count, to);
}

/*
 * What will be read of files, if it takes several batches, and all fits into a page cache of CACHE.
 * On bad media nothing is read but what is wanted.
 */
static errcode_t map_regions(struct filler *f, uint64_t memory, uint64_t cache)
{
	const struct bfo_media_options *media = &f->r->vol->media.opt;
	const struct bfo_tree *t = f->plan->tree;
	const struct bfo_inode *rec;
	uint64_t worth;
	errcode_t err;
	uint32_t s;
	size_t i;

	if (f->total <= memory || media->mode != BFO_MEDIA_STOP || media->map)
		return 0;
	err = bfo_regions_init(&f->regions, f->r->vol);
	for (i = 0; i < f->plan->order.n && !err; i++) {
		rec = &t->inodes.v[f->plan->order.v[i]];
		if (!S_ISREG(rec->mode))
			continue;
		for (s = rec->seg; s < rec->seg + rec->nseg; s++)
			if (!bfo_seg_unwritten(&t->segs.v[s]))
				bfo_regions_add(&f->regions, bfo_seg_blk(&t->segs.v[s]),
						t->segs.v[s].len);
	}
	if (err)
		return bfo_fail(f->plan->ctx, err, "starting to move data");
	worth = bfo_regions_worth(&f->regions, t->block_size);
	if (!worth || worth > cache)
		bfo_regions_free(&f->regions);
	return 0;
}

errcode_t bfo_data_write(struct bfo_plan *plan, struct bfo_reader *r, struct bfo_writer *w,
			 uint64_t memory, uint64_t cache, struct bfo_data_progress *p)
{
	struct filler f = { .plan = plan, .r = r, .w = w, .from = p->from };
	struct bfo_sink sink = { .take = take_node, .place = place_node, .lost = lose_node,
				 .priv = &f };
	uint32_t from = r->vol->block_size, to = w->vol->block_size, unit = from < to ? from : to;
	errcode_t err;
	size_t first;

	f.total = (plan->data_blocks + plan->ea_len) * to;
	f.source_units = from / unit;
	p->done = p->from;
	err = bfo_pipe_open(&f.pipe, w, unit, memory, plan->stem_len * to, p);
	if (err)
		return bfo_fail(plan->ctx, err, "starting to move data");
	err = map_regions(&f, memory, cache);
	while (f.item < plan->order.n && !err) {
		first = f.item;
		err = fill_buffer(&f);
		if (err)
			break;
		bfo_pipe_publish(&f.pipe, f.buffer);
		err = bfo_batches_read(r, &f.nodes, f.pipe.capacity,
				       BATCH_MIN_CHUNKS * f.pipe.chunk,
				       first == 0 && f.item == plan->order.n,
				       f.regions.n ? &f.regions : NULL, &sink);
	}
	bfo_vec_free(&f.nodes);
	bfo_dirimage_free(&f.img);
	bfo_eaimage_free(&f.ea);
	bfo_vec_free(&f.content);
	bfo_regions_free(&f.regions);
	return bfo_pipe_close(&f.pipe, err);
}
