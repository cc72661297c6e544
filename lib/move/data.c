// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * data.c - filling the stem
 *
 *   items ── fill ──> buffer + nodes ── sorted, read ──> mended ── writer ──> stem
 *
 * One buffer is read while the one before is written, but where both are one disk: there as much is
 * read at once as the memory holds, and then written.  How much is put into one is foreseen
 * (batches.h): where that saves the source nothing, no memory is touched, nor does the writer wait.
 */
#include <string.h>

#include "base/bfo_err.h"
#include "move/batches.h"
#include "move/data.h"
#include "move/fill.h"
#include "move/follow.h"
#include "plan/itrees.h"
#include "tree/access.h"

#define BATCH_MIN_CHUNKS 4	/* smallest batch that is tried */

struct mover {
	struct bfo_filler fill;
	struct bfo_pipe pipe;
	uint64_t bytes, total;		/* progress */
	struct bfo_cache cache;
	struct bfo_cache_way how;	/* how batches are read, */
	uint64_t ahead;			/* as seen for so many units to come */
};

static void *place_node(void *priv, const struct bfo_node *node, uint32_t at)
{
	struct mover *m = priv;

	return bfo_fill_place(&m->fill, node, at);
}

/* Sink: blocks of the batch have been read, or, without DATA, are lost. */
static errcode_t take_node(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			   const void *data)
{
	struct mover *m = priv;
	struct bfo_filler *f = &m->fill;
	errcode_t err = bfo_fill_take(f, node, at, count, data);
	uint32_t units, first = bfo_fill_units(f, node, at, count, &units);

	if (err)
		return err;
	m->bytes += (uint64_t) count * f->source->block_size;
	bfo_progress_report(f->plan->ctx, BFO_STAGE_DATA, m->bytes, m->total, f->item);
	if (bfo_cancelled(f->plan->ctx))
		return bfo_fail(f->plan->ctx, BFO_ET_CANCELLED, "moving data");
	return bfo_pipe_arrived(&m->pipe, f->buffer, first, units);
}

/*
 * Sink: blocks of the batch cannot be read.  They become zeroes if they are data and that was asked
 * for; bfo_lost_report() tells whose they were.  Everything else was readable when it was planned.
 */
static errcode_t lose_node(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	struct mover *m = priv;
	struct bfo_source *source = m->fill.source;

	if (!bfo_source_zeroes(source) || !bfo_fill_may_be_lost(node))
		return bfo_source_failed(source, bfo_node_blk(node) + at);
	return take_node(priv, node, at, count, NULL);
}

/* False for an item that is made here, or has arrived before, or is not moved with the data. */
static int is_read(const struct mover *m, size_t item)
{
	const struct bfo_plan *plan = m->fill.plan;
	const struct bfo_inode *rec = bfo_plan_item(plan, item);
	uint64_t end = item + 1 < plan->order.n ? bfo_plan_item(plan, item + 1)->stem
						: plan->stem_len;

	return !S_ISDIR(rec->mode) && !(rec->state & (BFO_INODE_MOVED | BFO_INODE_STUFF)) &&
	       end > m->fill.from && !bfo_plan_is_written_last(plan, rec);
}

/* The segments of item ITEM, *N in all, of which those that are moved are to be read. */
static const struct bfo_seg *segs_to_read(const struct mover *m, size_t item, uint32_t *n)
{
	const struct bfo_plan *plan = m->fill.plan;
	const struct bfo_inode *rec = bfo_plan_item(plan, item);

	*n = is_read(m, item) ? bfo_seg_count(plan->tree, rec) : 0;
	return *n ? bfo_seg_of(plan->tree, rec, 0) : NULL;
}

/* The block that holds the inode of item ITEM, and its content. */
static uint64_t table_block(const struct mover *m, size_t item)
{
	uint32_t byte;

	return bfo_volume_inode_block(m->fill.source->reader->vol,
				      bfo_plan_item(m->fill.plan, item)->ino, &byte);
}

/* Foretells what will be read (gather/cache.h). */
static void each_piece(const void *priv, struct bfo_regions *to, bfo_cache_use *use)
{
	const struct mover *m = priv;
	const struct bfo_plan *plan = m->fill.plan;
	uint64_t ea_end = 0;
	uint32_t i, n;
	size_t item;

	for (item = 0; item < plan->order.n; item++) {
		const struct bfo_inode *rec = bfo_plan_item(plan, item);
		const struct bfo_ea *ea = bfo_fill_first_ea(plan, rec, ea_end);
		const struct bfo_seg *segs = segs_to_read(m, item, &n);

		if (ea && ea->stem >= m->fill.from && !plan->tree->repacked)
			use(to, ea->blk, 1);
		ea_end = ea ? ea->stem + 1 : ea_end;
		if (rec->state & BFO_INODE_INLINE && is_read(m, item))
			use(to, table_block(m, item), 1);
		for (i = 0; i < n; i++)
			if (bfo_seg_is_moved(&segs[i]))
				use(to, bfo_seg_blk(&segs[i]), segs[i].len);
	}
}

/*
 * Nodes as those to come next will be, about as many as a buffer takes: in *UNITS.  *AHEAD: units
 * for which that was seen, or without end if nothing follows.
 */
static errcode_t foresee_nodes(struct mover *m, bfo_order_list *nodes, uint64_t *units,
			       uint64_t *ahead)
{
	uint32_t i = m->fill.begun ? m->fill.seg : 0, n, room;
	const struct bfo_plan *plan = m->fill.plan;
	errcode_t err = 0;
	uint64_t at = 0;
	size_t item;

	for (item = m->fill.item; item < plan->order.n; item++, i = 0) {
		const struct bfo_seg *segs = segs_to_read(m, item, &n);

		for (; i < n && at < m->pipe.capacity && !err; i++) {
			if (!bfo_seg_is_moved(&segs[i]))
				continue;
			room = (m->pipe.capacity - at + m->fill.source_units - 1) /
			       m->fill.source_units;
			err = bfo_vec_push(nodes, bfo_node_make(bfo_seg_blk(&segs[i]),
					   segs[i].len < room ? segs[i].len : room, 0, at));
			at += bfo_fill_foresee(&m->fill, bfo_plan_item(plan, item), segs[i].lblk,
					       segs[i].len);
		}
		if (err || at >= m->pipe.capacity)
			break;
	}
	*units = at;
	*ahead = item < plan->order.n ? at : UINT64_MAX;
	return err;
}

/* Units.  Where reading and writing take turns, each turn is as long as can be. */
static uint32_t smallest_batch(const struct bfo_pipe *p)
{
	return p->drain->settle ? p->capacity : BATCH_MIN_CHUNKS * p->chunk;
}

/* What is chosen for less than a whole buffer holds for as far as was looked ahead. */
static errcode_t choose_batch(struct mover *m)
{
	bfo_order_list *nodes = &m->fill.nodes;		/* not in use now */
	errcode_t err;
	uint64_t units;

	if (m->ahead)
		return 0;
	nodes->n = 0;
	err = foresee_nodes(m, nodes, &units, &m->ahead);
	m->how = (struct bfo_cache_way){ .size = m->pipe.capacity };
	if (m->ahead == UINT64_MAX)
		m->how.all = units * m->pipe.unit;
	if (!err)
		err = bfo_batches_choose(&m->cache, nodes, smallest_batch(&m->pipe), &m->how);
	if (m->how.size == m->pipe.capacity)
		m->ahead = 0;
	return err ? bfo_fail(m->fill.plan->ctx, err, "moving data") : 0;
}

/* The next batch: into a buffer, which the writer may take, and read. */
static errcode_t move_batch(struct mover *m)
{
	struct bfo_sink sink = { .take = take_node, .place = place_node, .lost = lose_node,
				 .priv = m };
	errcode_t err = bfo_fill_buffer(&m->fill, m->how.size);
	int at_hand = m->fill.source->is_at_hand;
	uint64_t taken;

	if (err)
		return err;
	taken = m->fill.buffer->used + (m->how.size - m->fill.limit);
	m->ahead -= m->ahead < taken ? m->ahead : taken;
	bfo_pipe_publish(&m->pipe, m->fill.buffer);
	err = bfo_cache_read(&m->cache, &m->fill.nodes, m->how.by_regions, &sink);
	if (m->fill.source->is_at_hand != at_hand)
		m->ahead = 0;		/* it costs something else now */
	return err;
}

errcode_t bfo_data_write(struct bfo_plan *plan, struct bfo_source *source,
			 const struct bfo_drain *drain, uint64_t memory,
			 struct bfo_data_progress *p)
{
	uint32_t from = source->block_size, to = drain->block_size;
	uint32_t unit = drain->is_packed ? BFO_PACK_BYTES : from < to ? from : to;
	struct mover m = { .fill = { .plan = plan, .source = source, .pipe = &m.pipe,
				     .from = p->from, .source_units = from / unit },
			   .total = (plan->data_blocks + plan->ea_len) * to };
	errcode_t err;

	p->done = p->from;
	err = bfo_pipe_open(&m.pipe, drain, unit, memory, bfo_fill_bytes(plan, drain->is_packed),
			    p);
	if (err)
		return bfo_fail(plan->ctx, err, "starting to move data");
	err = bfo_cache_open(&m.cache, source, each_piece, &m);
	while (m.fill.item < plan->order.n && !err) {
		err = choose_batch(&m);
		if (!err)
			err = move_batch(&m);
	}
	bfo_fill_free(&m.fill);
	bfo_cache_close(&m.cache);
	if (err == BFO_ET_STREAM_CUT || err == BFO_ET_STREAM_DAMAGED)
		bfo_pipe_finish(&m.pipe);	/* what came is not sent again */
	return bfo_pipe_close(&m.pipe, err);
}
