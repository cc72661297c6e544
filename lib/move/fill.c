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
#include "move/follow.h"
#include "plan/itrees.h"
#include "tree/access.h"

/* A node's tag: what is to be mended once it is read. */
#define TAG_EA 0x80000000U	/* | index into eas[] */
#define TAG_INLINE 0x40000000U	/* | byte of the inode that holds the content */
				/* else bytes to be zeroed at the node's end */
#define TAG_WHOLE 0x20000000U	/* | these: it must not have zeroes for what cannot be read */

#define SMALL_UNITS_SHIFT 32	/* a node's `to`: its unit | units that it takes, if it is small */

/* What is read to its place: past the page cache, pieces that are smaller are copied anyway. */
#define LARGE_BYTES (64U << 10)

static uint32_t units_left(const struct bfo_filler *f)
{
	return f->limit > f->buffer->used ? f->limit - f->buffer->used : 0;
}

/* Units that LEN blocks of REC from block LBLK on take. */
static uint32_t units_of(const struct bfo_filler *f, const struct bfo_inode *rec, uint64_t lblk,
			 uint32_t len)
{
	return f->pipe->drain->is_packed ? bfo_packed_bytes(f->plan, rec, lblk, len) / f->pipe->unit
					 : len * f->pipe->block_units;
}

/* True if blocks that take UNITS are copied from where they are read to. */
static int is_small(const struct bfo_filler *f, uint32_t units)
{
	return f->pipe->drain->is_packed && (uint64_t) units * f->pipe->unit < LARGE_BYTES;
}

/* Blocks of the target that still fit, if they are whole blocks of the source. */
static uint32_t blocks_left(const struct bfo_filler *f)
{
	return units_left(f) / f->source_units * f->source_units / f->pipe->block_units;
}

/*
 * The LEN blocks from unit AT of the buffer on, which take UNITS of it, are stem blocks STEM and
 * following.
 */
static errcode_t add_packed(struct bfo_filler *f, uint32_t at, uint32_t units, uint64_t stem,
			    uint32_t len)
{
	uint32_t part;
	errcode_t err = 0;
	uint64_t blk, run;

	assert(stem + len <= f->plan->stem_len);
	for (; len && !err; len -= run, stem += run, at += part, units -= part) {
		blk = bfo_plan_block(f->plan, stem, &run);
		if (run > len)
			run = len;
		part = run < len ? run * f->pipe->block_units : units;
		err = bfo_pipe_add_packed(f->pipe, f->buffer, at, part, blk, run, stem + run);
	}
	return err;
}

static errcode_t add_writes(struct bfo_filler *f, uint32_t at, uint64_t stem, uint32_t len)
{
	return add_packed(f, at, len * f->pipe->block_units, stem, len);
}

/*
 * LEN blocks from source block BLK on are to be read to unit AT of the buffer; or, if they are
 * small, elsewhere, and as many of their units as SMALL says copied there.
 */
static errcode_t add_node(struct bfo_filler *f, uint64_t blk, uint32_t len, uint32_t tag,
			  uint32_t at, uint32_t small)
{
	f->limit -= small && f->limit;
	bfo_pipe_expect(f->pipe, f->buffer, at, small ? small : len * f->source_units);
	return bfo_vec_push(&f->nodes, bfo_node_make(blk, len, tag, at | (uint64_t) small <<
						     SMALL_UNITS_SHIFT));
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
				      : add_node(f, ea->blk, 1, TAG_EA | index, at, 0);
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

/* Blocks of a file, as they stand in the buffer. */
struct piece {
	uint64_t first, end;		/* logical blocks of the source, */
	uint32_t at, units;		/* and where they are */
	int is_small;
};

/* The part of segment SEG that lies in piece P. */
static errcode_t add_seg(struct bfo_filler *f, const struct bfo_inode *rec,
			 const struct bfo_seg *seg, const struct piece *p)
{
	uint64_t lo = seg->lblk > p->first ? seg->lblk : p->first;
	uint64_t hi = (uint64_t) seg->lblk + seg->len;
	uint32_t into, units;

	if (hi > p->end)
		hi = p->end;
	if (lo >= hi || !bfo_seg_is_moved(seg))
		return 0;
	into = (lo - p->first) * f->source_units;
	units = (hi - lo) * f->source_units;
	if (units > p->units - into)
		units = p->units - into;
	return add_node(f, bfo_seg_blk(seg) + (lo - seg->lblk), hi - lo,
			slack(f, rec, hi) | whole_tag(rec), p->at + into,
			p->is_small ? units : 0);
}

/*
 * What stands in its inode in the source, a volume, and not in the target: the block of the inode
 * table.
 */
static errcode_t fill_inline(struct bfo_filler *f, const struct bfo_inode *rec, uint32_t len)
{
	uint32_t at = f->buffer->used, taken = units_of(f, rec, 0, len), units = taken, byte;
	uint64_t blk = bfo_volume_inode_block(f->source->reader->vol, rec->ino, &byte);
	int small = is_small(f, units);
	errcode_t err;

	if (units < f->source_units && !small)
		units = f->source_units;
	f->buffer->used += units;
	memset(f->buffer->buf + (size_t) at * f->pipe->unit, 0, (size_t) units * f->pipe->unit);
	err = add_node(f, blk, 1, TAG_INLINE | byte, at, small ? units : 0);
	f->run_done += len;
	return err ? err : add_packed(f, at, taken, rec->stem + f->run.at, len);
}

/* A value that stood elsewhere, and lies in memory: LEN blocks, all of it. */
static errcode_t fill_moved(struct bfo_filler *f, const struct bfo_inode *rec, uint32_t len)
{
	const struct bfo_tree *t = f->plan->tree;
	const struct bfo_value *v = bfo_tree_value(t, rec - t->inodes.v);
	uint32_t at = f->buffer->used, units = units_of(f, rec, 0, len);
	char *place = (char *) f->buffer->buf + (size_t) at * f->pipe->unit;

	memcpy(place, t->moved.v + v->at, rec->size);
	memset(place + rec->size, 0, (size_t) units * f->pipe->unit - rec->size);
	f->buffer->used += units;
	f->run_done += len;
	return add_packed(f, at, units, rec->stem + f->run.at, len);
}

/* LEN blocks of the current run, which fit; they are whole blocks of the source. */
static errcode_t fill_piece(struct bfo_filler *f, const struct bfo_inode *rec, uint32_t len)
{
	uint64_t from = f->plan->tree->block_size, to = f->plan->target->block_size;
	uint64_t begin = (f->run.lblk + f->run_done) * to, end = begin + len * to;
	const struct bfo_seg *segs = bfo_seg_of(f->plan->tree, rec, 0);
	uint32_t units = units_of(f, rec, f->run.lblk + f->run_done, len), i;
	struct piece p = { .first = begin / from, .end = (end + from - 1) / from,
			   .at = f->buffer->used, .is_small = is_small(f, units) };
	errcode_t err = 0;

	assert(units);
	p.units = p.is_small ? units : len * f->pipe->block_units;
	if (!p.is_small)		/* there is read to */
		p.units = (p.units + f->source_units - 1) / f->source_units * f->source_units;
	f->buffer->used += p.units;
	if (from < to)			/* not every block of the target need be full */
		memset(f->buffer->buf + (size_t) p.at * f->pipe->unit, 0,
		       (size_t) p.units * f->pipe->unit);
	while (f->seg < bfo_seg_count(f->plan->tree, rec) &&
	       segs[f->seg].lblk + (uint64_t) segs[f->seg].len <= p.first)
		f->seg++;
	for (i = f->seg; i < bfo_seg_count(f->plan->tree, rec) && segs[i].lblk < p.end && !err; i++)
		err = add_seg(f, rec, &segs[i], &p);
	if (!err)
		err = add_packed(f, p.at, units, rec->stem + f->run.at + f->run_done, len);
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

/*
 * How many of LEN blocks of REC, the next ones, fit.  Behind what is packed, those that are read to
 * their place begin where a block does.
 */
static uint32_t fitting(struct bfo_filler *f, const struct bfo_inode *rec, uint32_t len)
{
	uint32_t over = f->buffer->used % f->source_units;
	uint64_t lblk = f->run.lblk + f->run_done;

	if (len > blocks_left(f))	/* what comes as a whole is short */
		len = rec->state & (BFO_INODE_INLINE | BFO_INODE_MOVED) ? 0 : blocks_left(f);
	if (over && len && !is_small(f, units_of(f, rec, lblk, len))) {
		f->buffer->used += f->source_units - over;
		len = len < blocks_left(f) ? len : blocks_left(f);
	}
	return len;
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
		len = fitting(f, rec, len);
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

/* The units that NODE takes, if it is small; else 0. */
static uint32_t small_units(const struct bfo_node *node)
{
	return node->to >> SMALL_UNITS_SHIFT;
}

uint32_t bfo_fill_units(const struct bfo_filler *f, const struct bfo_node *node, uint32_t at,
			uint32_t count, uint32_t *units)
{
	uint32_t from = at * f->source_units, small = small_units(node);

	*units = count * f->source_units;
	if (small && *units > small - from)
		*units = small - from;
	return (uint32_t) node->to + from;
}

static char *place_of(const struct bfo_filler *f, const struct bfo_node *node, uint32_t at)
{
	uint32_t units;

	return f->buffer->buf + (size_t) bfo_fill_units(f, node, at, 0, &units) * f->pipe->unit;
}

void *bfo_fill_place(const struct bfo_filler *f, const struct bfo_node *node, uint32_t at)
{
	return small_units(node) ? NULL : place_of(f, node, at);
}

/*
 * Leaves of a block of an inode table, at BLOCK, the content of the inode at its byte BYTE: at TO,
 * where LEN bytes are.
 */
static errcode_t keep_content(struct bfo_filler *f, const void *block, uint32_t byte, char *to,
			      size_t len)
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
	memset(to, 0, len);
	memcpy(to, f->content.v, size < len ? size : len);
	return 0;
}

/* The blocks of NODE before END stand in their place: the last one. */
static void mend(struct bfo_filler *f, const struct bfo_node *node, uint32_t end)
{
	char *last = place_of(f, node, end - 1);
	uint32_t slack = node->tag & ~TAG_WHOLE;

	if (node->tag & TAG_EA)
		mend_ea(f, node->tag & ~TAG_EA, last);
	else if (end == node->len)
		memset(last + f->source->block_size - slack, 0, slack);
}

errcode_t bfo_fill_take(struct bfo_filler *f, const struct bfo_node *node, uint32_t at,
			uint32_t count, const void *data)
{
	char *to = place_of(f, node, at);
	uint32_t units;
	size_t bytes;

	bfo_fill_units(f, node, at, count, &units);
	bytes = (size_t) units * f->pipe->unit;
	if (!data)
		memset(to, 0, bytes);
	else if (node->tag & TAG_INLINE)
		return keep_content(f, data, node->tag & ~TAG_INLINE, to, bytes);
	else if (small_units(node))	/* nobody asks for what lies behind the end */
		memcpy(to, data, bytes);
	if (data && !small_units(node))
		mend(f, node, at + count);
	return 0;
}

uint64_t bfo_fill_foresee(const struct bfo_filler *f, const struct bfo_inode *rec, uint64_t lblk,
			  uint32_t blocks)
{
	if (f->pipe->drain->is_packed)	/* and a unit for the node */
		return bfo_packed_bytes(f->plan, rec, lblk, blocks) / f->pipe->unit + 1;
	return (uint64_t) blocks * f->source_units;
}

/* Bytes of REC in a buffer that is packed, and of its nodes. */
static uint64_t item_bytes(const struct bfo_plan *plan, const struct bfo_inode *rec)
{
	uint64_t bs = plan->target->block_size, bytes = 0;
	struct bfo_run_walk walk;
	struct bfo_run run;

	bfo_runs_begin(&walk, plan, rec);
	while (bfo_runs_next(&walk, &run)) {
		if (run.unwritten || run.kept)
			continue;
		bytes += bfo_packed_bytes(plan, rec, run.lblk, run.len);
		if (run.len * bs >= LARGE_BYTES)
			bytes += 2 * bs;	/* it begins and ends as blocks do */
	}
	return bytes + (uint64_t) (bfo_seg_count(plan->tree, rec) + 1) * BFO_PACK_BYTES;
}

uint64_t bfo_fill_bytes(const struct bfo_plan *plan, int packed)
{
	uint64_t bytes = 0;
	size_t i;

	if (!packed)
		return plan->stem_len * plan->target->block_size;
	for (i = 0; i < plan->order.n; i++)
		if (!S_ISDIR(bfo_plan_item(plan, i)->mode))
			bytes += item_bytes(plan, bfo_plan_item(plan, i));
	return bytes + plan->target->block_size;
}

int bfo_fill_may_be_lost(const struct bfo_node *node)
{
	return !(node->tag & (TAG_EA | TAG_INLINE | TAG_WHOLE));
}
