// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * emit.c - a serial plan into an outlet
 *
 *   stem    |a a a|c|     |d d|	blocks, as they come
 *   walk    /  a  b -> a  c  (leave)  d ...	what is told in between
 *
 * Data say which item they belong to (move/follow.h); before the first of them, the walk over names
 * goes on to that item, and everything on the way is handed out.  An outlet that wants no items has
 * no walk.
 */
#include <string.h>

#include "base/bfo_err.h"
#include "export/emit.h"
#include "move/follow.h"
#include "tree/access.h"

struct emission {
	struct bfo_plan *plan;
	struct bfo_items *items;
	struct bfo_outlet *outlet;
	struct bfo_serial walk;
	struct bfo_follow follow;
	bfo_row row;			/* whose data come, or BFO_NONE */
};

/* What a record says as it is left. */
static errcode_t tell_leaving(struct emission *e, const struct bfo_serial_step *step)
{
	struct bfo_item item;
	errcode_t err = bfo_items_make(e->items, &e->walk, step, &item);

	return err ? err : e->outlet->leave(e->outlet->priv, &item);
}

static errcode_t tell_item(struct emission *e, const struct bfo_serial_step *step)
{
	struct bfo_item item;
	errcode_t err = bfo_items_make(e->items, &e->walk, step, &item);

	if (!err)
		err = e->outlet->item(e->outlet->priv, &item);
	if (!err && step->kind == BFO_SERIAL_ITEM && S_ISREG(item.attrs.mode))
		e->row = step->row;
	return err;
}

/* The file whose data came is complete. */
static errcode_t finish(struct emission *e)
{
	bfo_row row = e->row;

	e->row = BFO_NONE;
	return row == BFO_NONE ? 0 : e->outlet->done(e->outlet->priv);
}

/* Goes on in the walk; *MORE becomes 0 at its end. */
static errcode_t step(struct emission *e, struct bfo_serial_step *s, int *more)
{
	errcode_t err = finish(e);

	if (!err)
		err = bfo_serial_next(&e->walk, s);
	*more = s->kind != BFO_SERIAL_END;
	if (err || !*more)
		return err;
	return s->kind == BFO_SERIAL_LEAVE ? tell_leaving(e, s) : tell_item(e, s);
}

/* Hands out everything before the data of ROW. */
static errcode_t advance(struct emission *e, bfo_row row)
{
	struct bfo_serial_step s = { .row = e->row };
	errcode_t err = 0;
	int more = 1;

	while (e->row != row && more && !err)
		err = step(e, &s, &more);
	return err || more ? err : bfo_fail(e->outlet->ctx, BFO_ET_CHANGED, "putting data out");
}

/* LEN bytes at DATA, which begin at byte AT of ROW, and may reach behind the end of its data. */
static errcode_t put(struct emission *e, bfo_row row, uint64_t at, const void *data, uint64_t len)
{
	const struct bfo_inode *rec = &e->plan->tree->inodes.v[row];
	uint64_t end = S_ISREG(rec->mode) ? bfo_runs_data_end(e->plan, rec) : 0;
	errcode_t err;

	if (at >= end)
		return 0;		/* the target of a link is known already */
	if (len > end - at)
		len = end - at;
	err = e->outlet->item ? advance(e, row) : 0;
	return err ? err : e->outlet->data(e->outlet->priv, at, data, len);
}

/* For the drain: what comes before all data. */
static errcode_t begin(void *priv)
{
	const struct bfo_outlet *outlet = ((struct emission *) priv)->outlet;

	return outlet->begin ? outlet->begin(outlet->priv) : 0;
}

/* For the drain: LEN blocks at DATA, of the stem from BLK on. */
static errcode_t write_blocks(void *priv, uint64_t blk, uint32_t len, const void *data)
{
	struct emission *e = priv;
	uint64_t bs = e->plan->target->block_size;
	const char *at = data;
	errcode_t err = 0;

	while (len && !err) {
		struct bfo_followed f = bfo_follow(&e->follow, blk, len);

		if (f.item != SIZE_MAX)
			err = put(e, e->plan->order.v[f.item], f.lblk * bs, at, f.bytes);
		blk += f.blocks;
		len -= f.blocks;
		at += f.bytes;
	}
	return err;
}

/* What follows the last data. */
static errcode_t finish_all(struct emission *e)
{
	struct bfo_serial_step s;
	errcode_t err = 0;
	int more = e->outlet->item != NULL;

	while (more && !err) {
		err = step(e, &s, &more);
		if (!err && bfo_cancelled(e->plan->ctx))
			err = bfo_fail(e->plan->ctx, BFO_ET_CANCELLED, "putting data out");
	}
	if (!err)
		err = e->items->source->ops->settle(e->items->source);
	return err ? err : e->outlet->end(e->outlet->priv);
}

static errcode_t move_data(struct bfo_plan *plan, struct bfo_source *source,
			   struct bfo_file_sums *sums, const struct bfo_drain *drain,
			   uint64_t memory, uint64_t from)
{
	struct bfo_data_progress progress = { .from = from };

	if (plan->stem_len <= from && !sums)
		return drain ? drain->begin(drain->priv) : 0;
	return bfo_sums_data(plan, source, sums, drain, memory, &progress);
}

errcode_t bfo_emit(struct bfo_plan *plan, struct bfo_items *items, struct bfo_outlet *outlet,
		   struct bfo_file_sums *sums, uint64_t memory, uint64_t from)
{
	struct emission e = { .plan = plan, .items = items, .outlet = outlet, .row = BFO_NONE };
	struct bfo_drain drain = { .block_size = plan->target->block_size, .is_packed = 1,
				   .begin = begin, .write = write_blocks, .priv = &e,
				   .ctx = &outlet->ctx };
	errcode_t err = outlet->item ? bfo_serial_begin(&e.walk, plan) : 0;

	e.walk.has_stand_ins = 1;
	bfo_follow_begin(&e.follow, plan, drain.is_packed);
	outlet->ctx = plan->ctx;
	if (!err)
		err = move_data(plan, items->source, sums, &drain, memory, from);
	if (!err)
		err = finish_all(&e);
	bfo_serial_free(&e.walk);
	return err;
}

errcode_t bfo_emit_sums(struct bfo_plan *plan, struct bfo_source *source,
			struct bfo_file_sums *sums, uint64_t memory)
{
	errcode_t err = move_data(plan, source, sums, NULL, memory, 0);

	return err ? err : source->ops->settle(source);
}

/* Name AT of item ITEM, and what is below it, is not wanted. */
static void leave_out(struct bfo_plan *plan, struct bfo_serial *walk, uint32_t at,
		      const struct bfo_item *item)
{
	bfo_name_kill(&plan->tree->names.v[at]);
	plan->filtered = 1;
	plan->skipped++;
	if (S_ISDIR(item->attrs.mode))
		bfo_serial_pass(walk);
}

errcode_t bfo_emit_look(struct bfo_plan *plan, struct bfo_items *items, struct bfo_outlet *outlet)
{
	struct bfo_serial_step s;
	struct bfo_serial walk;
	enum bfo_look what;
	struct bfo_item item;
	errcode_t err = bfo_serial_begin(&walk, plan);

	outlet->ctx = plan->ctx;
	while (!err && outlet->look) {
		err = bfo_serial_next(&walk, &s);
		if (err || s.kind == BFO_SERIAL_END)
			break;
		if (s.kind == BFO_SERIAL_LEAVE)
			continue;
		what = BFO_LOOK_TAKE;
		err = bfo_items_make(items, &walk, &s, &item);
		if (!err)
			err = outlet->look(outlet->priv, &item, &what);
		if (!err && what == BFO_LOOK_SKIP && s.name != BFO_NONE)
			leave_out(plan, &walk, s.name, &item);
	}
	bfo_serial_free(&walk);
	return err || !plan->filtered ? err : bfo_serial_settle(plan);
}
