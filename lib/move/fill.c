// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fill.c - the items of a plan into buffers
 *
 *   items      dir A | ea 1 | file a | file b (first part)     next buffer: file b (rest) ...
 *   made here  blocks of dir A (and values of attributes that get an inode of their own)
 *   read       ea 1, file a, file b: as nodes
 *   mended     ea 1: reference count, checksum; last block of a: zeroes behind the end
 *
 * An item may be cut anywhere between blocks, so no file or directory is too big for a buffer.
 */
#include <assert.h>
#include <string.h>

#include "move/fill.h"
#include "gather/inode_check.h"
#include "plan/itrees.h"
#include "tree/access.h"

/* A node's tag: what is to be mended once it is read. */
#define TAG_EA 0x80000000U	/* | index into eas[] */
#define TAG_INLINE 0x40000000U	/* | byte of the inode that holds the content */
				/* else bytes to be zeroed at the node's end */
#define TAG_WHOLE 0x20000000U	/* | these: it must not have zeroes for what cannot be read */

static uint32_t units_left(const struct bfo_filler *f)
{
	return f->limit - f->buffer->used;
}

/* Blocks of the target that still fit, if they are whole blocks of the source. */
static uint32_t blocks_left(const struct bfo_filler *f)
{
	return units_left(f) / f->source_units * f->source_units / f->pipe->block_units;
}

/* The LEN blocks from unit AT of the buffer on are stem blocks STEM and following. */
static errcode_t add_writes(struct bfo_filler *f, uint32_t at, uint64_t stem, uint32_t len)
{
	errcode_t err = 0;
	uint64_t blk, run;

	assert(stem + len <= f->plan->stem_len);
	for (; len && !err; len -= run, stem += run, at += run * f->pipe->block_units) {
		blk = bfo_plan_block(f->plan, stem, &run);
		if (run > len)
			run = len;
		err = bfo_pipe_add_write(f->pipe, f->buffer, at, blk, run, stem + run);
	}
	return err;
}

/* LEN blocks from source block BLK on are to be read to unit AT of the buffer. */
static errcode_t add_node(struct bfo_filler *f, uint64_t blk, uint32_t len, uint32_t tag,
			  uint32_t at)
{
	bfo_pipe_expect(f->pipe, f->buffer, at, len * f->source_units);
	return bfo_vec_push(&f->nodes, bfo_node_make(blk, len, tag, at));
}

/* An attribute block's reference count and checksum, for its place on the target. */
static void mend_ea(const struct bfo_filler *f, uint32_t index, void *block)
{
	const struct bfo_ea *ea = &f->plan->tree->eas.v[index];
	struct ext2_ext_attr_header *h = block;

	h->h_refcount = ext2fs_cpu_to_le32(ea->refs);
	f->pipe->drain->seal_attributes(f->pipe->drain->priv,
					bfo_plan_block(f->plan, ea->stem, NULL), h);
}

/* A block made of repacked attributes. */
static errcode_t make_ea(struct bfo_filler *f, uint32_t index, uint32_t at)
{
	void *block = f->buffer->buf + (size_t) at * f->pipe->unit;
	errcode_t err = bfo_eaimage_open(&f->ea, f->plan, index);

	if (err)
		return err;
	bfo_eaimage_number(&f->ea, f->plan);
	bfo_eaimage_block(&f->ea, f->plan, block);
	mend_ea(f, index, block);
	return 0;
}

static errcode_t fill_ea(struct bfo_filler *f, uint32_t index)
{
	const struct bfo_ea *ea = &f->plan->tree->eas.v[index];
	uint32_t at = f->buffer->used;
	errcode_t err;

	f->ea_end = ea->stem + 1;
	if (ea->stem < f->from)
		return 0;
	f->buffer->used += f->pipe->block_units;
	err = f->plan->tree->repacked ? make_ea(f, index, at)
				      : add_node(f, ea->blk, 1, TAG_EA | index, at);
	return err ? err : add_writes(f, at, ea->stem, 1);
}

/* Bytes behind the end of the file in a piece that ends before the source's logical block END. */
static uint32_t slack(const struct bfo_filler *f, const struct bfo_inode *rec, uint64_t end)
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
static errcode_t add_seg(struct bfo_filler *f, const struct bfo_inode *rec,
			 const struct bfo_seg *seg, uint64_t first, uint64_t end, uint32_t at)
{
	uint64_t lo = seg->lblk > first ? seg->lblk : first;
	uint64_t hi = (uint64_t) seg->lblk + seg->len;

	if (hi > end)
		hi = end;
	if (lo >= hi || !bfo_seg_is_moved(seg))
		return 0;
	return add_node(f, bfo_seg_blk(seg) + (lo - seg->lblk), hi - lo,
			slack(f, rec, hi) | whole_tag(rec), at + (lo - first) * f->source_units);
}

/*
 * What stands in its inode in the source, a volume, and not in the target: the block of the inode
 * table.
 */
static errcode_t fill_inline(struct bfo_filler *f, const struct bfo_inode *rec, uint32_t len)
{
	uint32_t at = f->buffer->used, units = len * f->pipe->block_units, byte;
	uint64_t blk = bfo_volume_inode_block(f->source->reader->vol, rec->ino, &byte);
	errcode_t err;

	if (units < f->source_units)
		units = f->source_units;
	f->buffer->used += units;
	memset(f->buffer->buf + (size_t) at * f->pipe->unit, 0, (size_t) units * f->pipe->unit);
	err = add_node(f, blk, 1, TAG_INLINE | byte, at);
	f->run_done += len;
	return err ? err : add_writes(f, at, rec->stem + f->run.at, len);
}

/* A value that stood elsewhere, and lies in memory: LEN blocks, all of it. */
static errcode_t fill_moved(struct bfo_filler *f, const struct bfo_inode *rec, uint32_t len)
{
	const struct bfo_tree *t = f->plan->tree;
	const struct bfo_value *v = bfo_tree_value(t, rec - t->inodes.v);
	size_t bytes = (size_t) len * f->plan->target->block_size;
	uint32_t at = f->buffer->used;
	char *place = (char *) f->buffer->buf + (size_t) at * f->pipe->unit;

	memcpy(place, t->moved.v + v->at, rec->size);
	memset(place + rec->size, 0, bytes - rec->size);
	f->buffer->used += len * f->pipe->block_units;
	f->run_done += len;
	return add_writes(f, at, rec->stem + f->run.at, len);
}

/* LEN blocks of the current run, which fit; they are whole blocks of the source. */
static errcode_t fill_piece(struct bfo_filler *f, const struct bfo_inode *rec, uint32_t len)
{
	uint64_t from = f->plan->tree->block_size, to = f->plan->target->block_size;
	uint64_t begin = (f->run.lblk + f->run_done) * to, end = begin + len * to, last;
	uint32_t at = f->buffer->used, units = len * f->pipe->block_units;
	const struct bfo_seg *segs = bfo_seg_of(f->plan->tree, rec, 0);
	errcode_t err = 0;
	uint32_t i;

	last = (end + from - 1) / from;
	units = (units + f->source_units - 1) / f->source_units * f->source_units;
	f->buffer->used += units;
	if (from < to)			/* not every block of the target need be full */
		memset(f->buffer->buf + (size_t) at * f->pipe->unit, 0,
		       (size_t) units * f->pipe->unit);
	while (f->seg < bfo_seg_count(f->plan->tree, rec) &&
	       segs[f->seg].lblk + (uint64_t) segs[f->seg].len <= begin / from)
		f->seg++;
	for (i = f->seg; i < bfo_seg_count(f->plan->tree, rec) && segs[i].lblk < last && !err; i++)
		err = add_seg(f, rec, &segs[i], begin / from, last, at);
	if (!err)
		err = add_writes(f, at, rec->stem + f->run.at + f->run_done, len);
	f->run_done += len;
	return err;
}

/*
 * Blocks of the current run, not yet done, that were written already; whole blocks of the source.
 */
static uint32_t skipped(const struct bfo_filler *f, const struct bfo_inode *rec)
{
	uint32_t len = f->run.len - f->run_done, ratio = f->source_units / f->pipe->block_units,
		 rest;
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
static errcode_t fill_file(struct bfo_filler *f, const struct bfo_inode *rec, int *done)
{
	errcode_t err = 0;
	uint32_t len;

	*done = 0;
	while (!err) {
		len = f->run.len - f->run_done;
		if (!len || f->run.unwritten || f->run.kept) {
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
			len = rec->state & (BFO_INODE_INLINE | BFO_INODE_MOVED) ? 0
										: blocks_left(f);
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

static errcode_t open_image(struct bfo_filler *f, bfo_row row)
{
	const struct bfo_inode *rec = &f->plan->tree->inodes.v[row];
	errcode_t err;

	err = bfo_dirimage_init(&f->img, f->plan->tree, f->plan->target, row,
				f->plan->dir_fill);
	bfo_dirimage_number(&f->img, rec->new_ino,
			    f->plan->tree->inodes.v[bfo_plan_parent(f->plan, row)].new_ino,
			    rec->generation);
	f->lblk = 0;
	return err;
}

/* As many of the directory's blocks as fit; *DONE if that is all. */
static errcode_t fill_dir(struct bfo_filler *f, const struct bfo_inode *rec, int *done)
{
	errcode_t err = 0;
	uint32_t at;

	for (; f->lblk < f->img.blocks && blocks_left(f) && !err; f->lblk++) {
		if (rec->stem + f->lblk < f->from)
			continue;
		at = f->buffer->used;
		f->buffer->used += f->pipe->block_units;
		bfo_dirimage_block(&f->img, f->lblk, f->buffer->buf + (size_t) at * f->pipe->unit);
		err = add_writes(f, at, rec->stem + f->lblk, 1);
	}
	*done = f->lblk == f->img.blocks;
	if (*done)
		bfo_dirimage_free(&f->img);
	return err;
}

const struct bfo_ea *bfo_fill_first_ea(const struct bfo_plan *plan, const struct bfo_inode *rec,
				       uint64_t ea_end)
{
	const struct bfo_ea *ea = rec->ea == BFO_NONE ? NULL : &plan->tree->eas.v[rec->ea];

	return ea && !ea->no_block && ea->stem >= ea_end ? ea : NULL;
}

/* Begins with the item's attribute block, if it is the first that has it, and opens its walk. */
static errcode_t begin_item(struct bfo_filler *f, bfo_row row)
{
	const struct bfo_inode *rec = &f->plan->tree->inodes.v[row];
	errcode_t err = 0;

	if (bfo_fill_first_ea(f->plan, rec, f->ea_end))
		err = fill_ea(f, rec->ea);
	f->begun = 1;
	if (is_built(rec))
		return err ? err : open_image(f, row);
	f->seg = f->run_done = 0;
	f->run = (struct bfo_run) { 0 };
	bfo_runs_begin(&f->walk, f->plan, rec);
	return err;
}

static errcode_t fill_item(struct bfo_filler *f, bfo_row row, int *done)
{
	const struct bfo_inode *rec = &f->plan->tree->inodes.v[row];
	errcode_t err;

	*done = bfo_plan_is_written_last(f->plan, rec);
	if (*done)
		return 0;
	err = f->begun ? 0 : begin_item(f, row);
	if (!err)
		err = is_built(rec) ? fill_dir(f, rec, done) : fill_file(f, rec, done);
	return err;
}

errcode_t bfo_fill_buffer(struct bfo_filler *f, uint32_t limit)
{
	errcode_t err = bfo_pipe_begin(f->pipe, &f->buffer);
	int done = 1;

	f->limit = limit;
	f->nodes.n = 0;
	while (f->item < f->plan->order.n && !err && done && blocks_left(f)) {
		bfo_plan_item(f->plan, f->item);	/* asks in time for those to come */
		err = fill_item(f, f->plan->order.v[f->item], &done);
		f->item += done;
		f->begun = !done;
	}
	return err;
}

void bfo_fill_free(struct bfo_filler *f)
{
	bfo_vec_free(&f->nodes);
	bfo_dirimage_free(&f->img);
	bfo_eaimage_free(&f->ea);
	bfo_vec_free(&f->content);
}

void *bfo_fill_place(const struct bfo_filler *f, const struct bfo_node *node, uint32_t at)
{
	return f->buffer->buf + (size_t) (node->to + (uint64_t) at * f->source_units) *
	       f->pipe->unit;
}

/* Leaves of a block of an inode table, at BLOCK, the content of the inode at its byte BYTE. */
static errcode_t keep_content(struct bfo_filler *f, void *block, uint32_t byte)
{
	const struct ext2_inode *raw = (const void *) ((const char *) block + byte);
	uint64_t size = bfo_inode_size(raw);
	errcode_t err;

	if (size > f->source->inode_size)
		size = f->source->inode_size;
	f->content.n = 0;
	err = bfo_vec_reserve(&f->content, size + 1);
	if (err)
		return err;
	bfo_inode_inline_content(f->source->reader->vol, raw, f->content.v, size);
	memset(block, 0, f->source->block_size);
	memcpy(block, f->content.v, size);
	return 0;
}

errcode_t bfo_fill_mend(struct bfo_filler *f, const struct bfo_node *node, uint32_t end)
{
	char *last = bfo_fill_place(f, node, end - 1);
	uint32_t slack = node->tag & ~TAG_WHOLE;

	if (node->tag & TAG_EA)
		mend_ea(f, node->tag & ~TAG_EA, last);
	else if (node->tag & TAG_INLINE)
		return keep_content(f, last, node->tag & ~TAG_INLINE);
	else if (end == node->len)
		memset(last + f->source->block_size - slack, 0, slack);
	return 0;
}

int bfo_fill_may_be_lost(const struct bfo_node *node)
{
	return !(node->tag & (TAG_EA | TAG_INLINE | TAG_WHOLE));
}
