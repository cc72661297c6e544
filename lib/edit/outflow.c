// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * outflow.c - contents on their way to free blocks, in large writes
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "edit/outflow.h"

#define ALIGNED 4096U			/* for writes around the page cache */

errcode_t bfo_outflow_init(struct bfo_outflow *o, struct bfo_writer *w, struct bfo_reader *r,
			   uint64_t memory)
{
	uint32_t bs = w->vol->block_size;

	*o = (struct bfo_outflow) { .w = w, .r = r, .most = memory < bs ? 1 : memory / bs };
	return posix_memalign((void **) &o->buf, ALIGNED, (size_t) o->most * bs);
}

void bfo_outflow_free(struct bfo_outflow *o)
{
	free(o->buf);
	o->buf = NULL;
	bfo_vec_free(&o->owed);
}

errcode_t bfo_outflow_owe(struct bfo_outflow *o, uint64_t blk, uint32_t at, uint32_t len, void *to)
{
	return bfo_vec_push(&o->owed, (struct bfo_owed) { .blk = blk, .at = at, .len = len,
							  .to = to });
}

/* For the batch reader: a block of which something is owed. */
static errcode_t pay(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
		     const void *data)
{
	const struct bfo_outflow *o = priv;
	const struct bfo_owed *owed = &o->owed.v[node->tag];

	(void) at;
	(void) count;
	memcpy(owed->to, (const char *) data + owed->at, owed->len);
	return 0;
}

static errcode_t pay_all(struct bfo_outflow *o)
{
	const struct bfo_sink sink = { .take = pay, .priv = o };
	bfo_order_list nodes = { 0 };
	errcode_t err = bfo_vec_reserve(&nodes, o->owed.n);

	if (err)
		return err;
	for (; nodes.n < o->owed.n; nodes.n++)
		nodes.v[nodes.n] = bfo_node_make(o->owed.v[nodes.n].blk, 1, nodes.n, 0);
	bfo_order_list_sort(&nodes);
	err = bfo_reader_run(o->r, nodes.v, nodes.n, &sink);
	bfo_vec_free(&nodes);
	if (!err)
		o->owed.n = 0;
	return err;
}

errcode_t bfo_outflow_flush(struct bfo_outflow *o)
{
	errcode_t err = o->owed.n ? pay_all(o) : 0;

	if (err || !o->n)
		return err;
	err = bfo_writer_write(o->w, o->first, o->n, o->buf);
	bfo_volume_write_back(o->w->vol, o->first, o->n);
	o->n = 0;
	return err;
}

errcode_t bfo_outflow_room(struct bfo_outflow *o, uint64_t blk, uint64_t n, void **to,
			   uint32_t *room)
{
	uint32_t bs = o->w->vol->block_size;
	errcode_t err = 0;

	if (o->n == o->most || blk != o->first + o->n)
		err = bfo_outflow_flush(o);
	if (err)
		return err;
	if (!o->n)
		o->first = blk;
	*to = o->buf + (size_t) o->n * bs;
	*room = n < o->most - o->n ? n : o->most - o->n;
	o->n += *room;
	o->bytes += (uint64_t) *room * bs;
	return 0;
}

void *bfo_outflow_block(const struct bfo_outflow *o, uint64_t blk)
{
	return bfo_outflow_has(o, blk, 1) ?
	       o->buf + (blk - o->first) * o->w->vol->block_size : NULL;
}

int bfo_outflow_has(const struct bfo_outflow *o, uint64_t blk, uint64_t n)
{
	return o->n && blk < o->first + o->n && o->first < blk + n;
}
