// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * data.c - filling the stem
 *
 *   items ── fill ──> buffer + nodes ── sorted, read ──> mended ── writer ──> stem
 *
 * One buffer is read while the one before is written.  How much is put into one is foreseen
 * (batches.h): where that saves the source nothing, no memory is touched, nor does the writer wait.
 */
#include <errno.h>
#include <string.h>

#include "base/bfo_err.h"
#include "move/batches.h"
#include "move/data.h"
#include "move/fill.h"
#include "plan/itrees.h"

#define BATCH_MIN_CHUNKS 4	/* smallest batch that is tried */

struct mover {
	struct bfo_filler fill;
	struct bfo_pipe pipe;
	uint64_t bytes, total;		/* progress */
	struct bfo_regions regions;	/* of the source, if they may be read as a whole, */
	uint64_t cache;			/* and the page cache can be expected to keep so many bytes; */
	int forgets;			/* it need not keep what was read */
	struct bfo_batching how;	/* how much is read at once, */
	uint64_t ahead;			/* as seen for so many units to come */
};

static void *place_node(void *priv, const struct bfo_node *node, uint32_t at)
{
	struct mover *m = priv;

	return bfo_fill_place(&m->fill, node, at);
}

/* NODE has been read, and with it perhaps the last that was wanted of a region. */
static void leave_regions(struct mover *m, const struct bfo_node *node)
{
	uint64_t blk = bfo_node_blk(node), start;
	uint32_t count;

	if (!m->regions.n || bfo_fill_is_of_table(node))
		return;
	bfo_regions_drop(&m->regions, blk, node->len);
	while (m->forgets && (count = bfo_regions_forget(&m->regions, blk, node->len, &start)))
		bfo_volume_forget(m->fill.r->vol, start, count);
}

/* Sink: blocks of the batch have been read. */
static errcode_t take_node(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			   const void *data)
{
	struct mover *m = priv;
	struct bfo_filler *f = &m->fill;
	errcode_t err = bfo_fill_mend(f, node, at + count);

	(void) data;
	if (err)
		return err;
	if (at + count == node->len)
		leave_regions(m, node);
	m->bytes += (uint64_t) count * f->r->vol->block_size;
	bfo_progress_report(f->plan->ctx, BFO_STAGE_DATA, m->bytes, m->total, f->item);
	if (bfo_cancelled(f->plan->ctx))
		return bfo_fail(f->plan->ctx, BFO_ET_CANCELLED, "moving data");
	return bfo_pipe_arrived(&m->pipe, f->buffer, node->to + (uint64_t) at * f->source_units,
				count * f->source_units);
}

/*
 * Sink: blocks of the batch cannot be read.  They become zeroes if they are data and that was asked
 * for; bfo_lost_report() tells whose they were.  Everything else was readable when it was planned.
 */
static errcode_t lose_node(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	struct mover *m = priv;
	struct bfo_volume *vol = m->fill.r->vol;
	void *to = place_node(priv, node, at);

	if (vol->media.opt.mode != BFO_MEDIA_ZERO || !bfo_fill_may_be_lost(node)) {
		vol->media.failed = bfo_node_blk(node) + at;
		return bfo_fail(m->fill.plan->ctx, EIO, "reading block %llu of %s",
				(unsigned long long) bfo_node_blk(node) + at, vol->spec);
	}
	memset(to, 0, (size_t) count * vol->block_size);
	return take_node(priv, node, at, count, to);
}

/*
 * The segments of item ITEM, *N in all, of which the written ones are to be read: none of what is made
 * here, or has arrived before, or is not moved with the data.
 */
static const struct bfo_seg *segs_to_read(const struct mover *m, size_t item, uint32_t *n)
{
	const struct bfo_plan *plan = m->fill.plan;
	const struct bfo_inode *rec = bfo_plan_item(plan, item);
	uint64_t end = item + 1 < plan->order.n ? bfo_plan_item(plan, item + 1)->stem
						: plan->stem_len;

	*n = 0;
	if (S_ISDIR(rec->mode) || rec->state & (BFO_INODE_MOVED | BFO_INODE_STUFF) ||
	    end <= m->fill.from || bfo_plan_is_written_last(plan, rec))
		return NULL;
	*n = rec->nseg;
	return plan->tree->segs.v + rec->seg;
}

/* Hands S what will be read of files from here on, in the order of the target. */
static void each_piece(const struct mover *m, struct bfo_regions *s,
		       void (*use)(struct bfo_regions *s, uint64_t blk, uint64_t len))
{
	uint32_t i = m->fill.begun ? m->fill.seg : 0, n;
	const struct bfo_plan *plan = m->fill.plan;
	uint64_t ea_end = m->fill.ea_end;
	size_t item;

	for (item = m->fill.item; item < plan->order.n; item++, i = 0) {
		const struct bfo_ea *ea = bfo_fill_first_ea(plan, bfo_plan_item(plan, item), ea_end);
		const struct bfo_seg *segs = segs_to_read(m, item, &n);

		if (ea && ea->stem >= m->fill.from && !plan->tree->repacked)
			use(s, ea->blk, 1);
		ea_end = ea ? ea->stem + 1 : ea_end;
		for (; i < n; i++)
			if (!bfo_seg_unwritten(&segs[i]))
				use(s, bfo_seg_blk(&segs[i]), segs[i].len);
	}
}

/* As if LEN blocks from BLK on were read, by way of the regions that they touch. */
static void go_through(struct bfo_regions *s, uint64_t blk, uint64_t len)
{
	uint64_t start, part;

	for (; len; blk += part, len -= part) {
		part = bfo_regions_within(s, blk, len);
		bfo_regions_take(s, blk, part, &start);
		bfo_regions_drop(s, blk, part);
	}
}

/* Most bytes of regions that will be held at once, each from its first piece to its last. */
static errcode_t most_held(const struct mover *m, uint64_t *bytes)
{
	struct bfo_regions trial;
	errcode_t err = bfo_regions_copy(&trial, &m->regions);

	if (err)
		return err;
	each_piece(m, &trial, go_through);
	*bytes = (uint64_t) trial.most * BFO_REGION_BYTES;
	bfo_regions_free(&trial);
	return 0;
}

/*
 * What will be read of files from here on, if the page cache may be used and can keep the regions that
 * are worth it, as long as they are held: what it loses has to be read again, piece by piece.  It has to
 * keep all of them where they are in the cache of a loop device's file, too, out of our reach.  On bad
 * media nothing is read but what is wanted.
 */
static errcode_t map_regions(struct mover *m)
{
	struct bfo_volume *vol = m->fill.r->vol;
	uint64_t most = 0, worth;
	errcode_t err;

	if (vol->media.opt.mode != BFO_MEDIA_STOP || vol->media.bad.n ||
	    vol->direct.use == BFO_DIRECT_ALWAYS)
		return 0;
	err = bfo_regions_init(&m->regions, vol, bfo_reader_seek(m->fill.r));
	if (!err) {
		each_piece(m, &m->regions, bfo_regions_add);
		err = most_held(m, &most);
	}
	if (err)
		return bfo_fail(m->fill.plan->ctx, err, "starting to move data");
	worth = bfo_regions_worth(&m->regions);
	m->forgets = bfo_direct_wanted(vol) || worth > m->cache;
	if (!most || (vol->store.caches > 1 ? worth : most) > m->cache)
		bfo_regions_free(&m->regions);
	return 0;
}

/* The page cache could not keep them: those of what is left, if it need not keep more than half. */
static errcode_t map_fewer_regions(struct mover *m)
{
	uint64_t kept = (uint64_t) m->regions.most * BFO_REGION_BYTES;

	m->cache = (kept < m->cache ? kept : m->cache) / 2;
	m->ahead = 0;
	bfo_regions_free(&m->regions);
	return map_regions(m);
}

/*
 * Nodes as those to come next will be, about as many as a buffer takes.  *AHEAD: units for which
 * that was seen, or without end if nothing follows.
 */
static errcode_t foresee_nodes(struct mover *m, bfo_order_list *nodes, uint64_t *ahead)
{
	uint32_t i = m->fill.begun ? m->fill.seg : 0, n, room;
	const struct bfo_plan *plan = m->fill.plan;
	errcode_t err = 0;
	uint64_t at = 0;
	size_t item;

	for (item = m->fill.item; item < plan->order.n; item++, i = 0) {
		const struct bfo_seg *segs = segs_to_read(m, item, &n);

		for (; i < n && at < m->pipe.capacity && !err; i++) {
			if (bfo_seg_unwritten(&segs[i]))
				continue;
			room = (m->pipe.capacity - at + m->fill.source_units - 1) /
			       m->fill.source_units;
			err = bfo_vec_push(nodes, bfo_node_make(bfo_seg_blk(&segs[i]),
					   segs[i].len < room ? segs[i].len : room, 0, at));
			at += (uint64_t) segs[i].len * m->fill.source_units;
		}
		if (err || at >= m->pipe.capacity)
			break;
	}
	*ahead = item < plan->order.n ? at : UINT64_MAX;
	return err;
}

/*
 * The regions; NULL if they should not be used: one buffer takes all NODES that are left of a device, and
 * regions would read over 1.5 times what is wanted.
 */
static struct bfo_regions *usable_regions(struct mover *m, const bfo_order_list *nodes)
{
	uint64_t wanted = 0;
	size_t i;

	if (!m->regions.n)
		return NULL;
	if (m->ahead != UINT64_MAX || m->regions.held || !bfo_direct_wanted(m->fill.r->vol))
		return &m->regions;
	for (i = 0; i < nodes->n; i++)
		wanted += (uint64_t) nodes->v[i].len * m->fill.r->vol->block_size;
	return bfo_regions_worth(&m->regions) > wanted + wanted / 2 ? NULL : &m->regions;
}

/* What is chosen for less than a whole buffer holds for as far as was looked ahead. */
static errcode_t choose_batch(struct mover *m)
{
	bfo_order_list *nodes = &m->fill.nodes;		/* not in use now */
	errcode_t err;

	if (m->ahead)
		return 0;
	nodes->n = 0;
	err = foresee_nodes(m, nodes, &m->ahead);
	m->how = (struct bfo_batching) { .size = m->pipe.capacity,
					 .regions = usable_regions(m, nodes) };
	if (!err)
		err = bfo_batches_choose(m->fill.r, nodes, BATCH_MIN_CHUNKS * m->pipe.chunk,
					 &m->how);
	if (m->how.size == m->pipe.capacity)
		m->ahead = 0;
	return err ? bfo_fail(m->fill.plan->ctx, err, "moving data") : 0;
}

/* The next batch: into a buffer, which the writer may take, and read. */
static errcode_t move_batch(struct mover *m)
{
	struct bfo_sink sink = { .take = take_node, .place = place_node, .lost = lose_node,
				 .priv = m };
	size_t first = m->fill.item, items = m->fill.plan->order.n;
	errcode_t err = bfo_fill_buffer(&m->fill, m->how.size);

	if (err)
		return err;
	m->ahead -= m->ahead < m->fill.buffer->used ? m->ahead : m->fill.buffer->used;
	bfo_pipe_publish(&m->pipe, m->fill.buffer);
	err = bfo_batches_read(m->fill.r, &m->fill.nodes, first == 0 && m->fill.item == items,
			       m->how.regions, &sink);
	return !err && bfo_regions_are_lost(&m->regions) ? map_fewer_regions(m) : err;
}

errcode_t bfo_data_write(struct bfo_plan *plan, struct bfo_reader *r, const struct bfo_drain *drain,
			 uint64_t memory, uint64_t cache, struct bfo_data_progress *p)
{
	uint32_t from = r->vol->block_size, to = drain->block_size, unit = from < to ? from : to;
	struct mover m = { .fill = { .plan = plan, .r = r, .pipe = &m.pipe, .from = p->from,
				     .source_units = from / unit }, .cache = cache,
			   .total = (plan->data_blocks + plan->ea_len) * to };
	errcode_t err;

	p->done = p->from;
	err = bfo_pipe_open(&m.pipe, drain, unit, memory, plan->stem_len * to, p);
	if (err)
		return bfo_fail(plan->ctx, err, "starting to move data");
	err = map_regions(&m);
	while (m.fill.item < plan->order.n && !err) {
		err = choose_batch(&m);
		if (!err)
			err = move_batch(&m);
	}
	bfo_fill_free(&m.fill);
	bfo_regions_free(&m.regions);
	return bfo_pipe_close(&m.pipe, err);
}
