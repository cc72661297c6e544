// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch.c - the batch reader
 *
 * Where a sink has places for its pieces, a merged run is read straight to all of them by
 * preadv(2), and its gaps to the merge buffer; else, or if they are too many for one call (or, past
 * the page cache, for one request of the device), by way of the merge buffer.
 *
 * A node that is alone in its run (read_run.h) is read straight to where it belongs if the sink has
 * a place for it.  A request that fails is taken apart: nodes, then blocks.
 *
 * Nothing is announced ahead (posix_fadvise): it was tried.  On a tree that lies in order the
 * kernel's own readahead asks in larger pieces (1,320 requests instead of 1,350 to 2,450 for the
 * kernel sources), and where reads jump, it asked for 20 % more.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/pages.h"
#include "base/sort.h"
#include "gather/batch.h"
#include "gather/read_run.h"

#define DIRECT_PIECE (64U << 10)	/* bytes: devices take only so many pieces in a request */
/* A device without moving parts reads so many in the time that one more request takes. */
#define AT_ONCE_BYTES (128U << 10)

void bfo_order_list_sort(bfo_order_list *list)
{
	bfo_sort(list->v, list->n, sizeof(*list->v), 2);
}

uint64_t bfo_order_list_blocks(const bfo_order_list *list)
{
	uint64_t blocks = 0;
	size_t i;

	for (i = 0; i < list->n; i++)
		blocks += list->v[i].len;
	return blocks;
}

errcode_t bfo_reader_init(struct bfo_reader *r, struct bfo_context *ctx, struct bfo_volume *vol,
			  uint32_t gap)
{
	uint32_t seek = bfo_volume_seeks(vol) ? BFO_SEEK_BYTES : AT_ONCE_BYTES;

	memset(r, 0, sizeof(*r));
	r->ctx = ctx;
	r->vol = vol;
	r->gap = (gap == BFO_GAP_OF_DEVICE ? seek / BFO_SEEK_GAPS : gap) / vol->block_size;
	r->seek = seek / vol->block_size;
	r->most = BFO_MERGE_BYTES / vol->block_size;
	if (r->most > bfo_volume_most(vol))
		r->most = bfo_volume_most(vol);
	r->merge = bfo_pages_alloc(BFO_MERGE_BYTES);
	r->iov = malloc(BFO_READ_PIECES * sizeof(*r->iov));
	return r->merge && r->iov ? 0 : ENOMEM;
}

void bfo_reader_free(struct bfo_reader *r)
{
	bfo_pages_free(r->merge, BFO_MERGE_BYTES);
	free(r->iov);
	r->merge = NULL;
	r->iov = NULL;
}

/* COUNT blocks of NODE from AT on are bad, because of WHY. */
static errcode_t give_up(struct bfo_reader *r, const struct bfo_node *node, uint32_t at,
			 uint32_t count, const struct bfo_sink *sink, errcode_t why)
{
	struct bfo_media *media = &r->vol->media;

	if (sink->lost && media->opt.mode != BFO_MEDIA_STOP)
		return sink->lost(sink->priv, node, at, count);
	media->failed = bfo_node_blk(node) + at;
	return bfo_fail(r->ctx, why, "reading block %llu of %s",
			(unsigned long long) media->failed, r->vol->spec);
}

/* Block AT of NODE could not be read when it was asked for alone. */
static errcode_t lose_block(struct bfo_reader *r, const struct bfo_node *node, uint32_t at,
			    const struct bfo_sink *sink, errcode_t why)
{
	errcode_t err = bfo_media_note_bad(r->vol, bfo_node_blk(node) + at);

	return err ? err : give_up(r, node, at, 1, sink, why);
}

/* COUNT blocks of NODE from AT on have been read to TO. */
static errcode_t deliver(struct bfo_reader *r, const struct bfo_node *node, uint32_t at,
			 uint32_t count, const struct bfo_sink *sink, void *to)
{
	if (bfo_cancelled(r->ctx))
		return bfo_fail(r->ctx, BFO_ET_CANCELLED, "reading %s", r->vol->spec);
	return count ? sink->take(sink->priv, node, at, count, to) : 0;
}

/* COUNT blocks of NODE from AT on, to TO, each on its own. */
static errcode_t read_singly(struct bfo_reader *r, const struct bfo_node *node, uint32_t at,
			     uint32_t count, const struct bfo_sink *sink, char *to)
{
	size_t bs = r->vol->block_size;
	uint32_t good = 0, i;
	errcode_t err = 0, why;

	for (i = 0; i < count && !err; i++) {
		why = bfo_media_read_exact(r->vol, bfo_node_blk(node) + at + i, to + i * bs);
		r->reads++;
		r->blocks++;
		if (!why)
			continue;
		if (why == BFO_ET_JOURNAL_UNREAD)
			return why;	/* what it has may be newer than what stands there */
		err = bfo_media_is_error(why) ?
		      deliver(r, node, at + good, i - good, sink, to + good * bs) :
		      bfo_fail(r->ctx, why, "reading %s", r->vol->spec);
		if (!err)
			err = lose_block(r, node, at + i, sink, why);
		good = i + 1;
	}
	return err ? err : deliver(r, node, at + good, count - good, sink, to + good * bs);
}

/* COUNT blocks from BLK to TO, in one request. */
static errcode_t read_blocks(struct bfo_reader *r, uint64_t blk, uint32_t count, void *to)
{
	struct iovec iov = { .iov_base = to, .iov_len = (size_t) count * r->vol->block_size };
	errcode_t err = r->direct ? bfo_volume_direct(r->ctx, r->vol, blk, count, &iov, 1) : EINVAL;

	r->reads++;
	r->blocks += count;
	return err == EINVAL ? bfo_volume_read(r->ctx, r->vol, blk, count, to) : err;
}

/* Where block AT of NODE wants to be read to; ELSEWHERE, if it does not care. */
static void *place_of(const struct bfo_sink *sink, const struct bfo_node *node, uint32_t at,
		      void *elsewhere)
{
	void *to = sink->place ? sink->place(sink->priv, node, at) : NULL;

	return to ? to : elsewhere;
}

/* A node by itself, as far as it can be read. */
static errcode_t read_node(struct bfo_reader *r, const struct bfo_node *node,
			   const struct bfo_sink *sink)
{
	uint32_t at, count, bad = 0;
	errcode_t err = 0;
	void *to;

	for (at = 0; at < node->len && !err; at += count ? count : bad) {
		count = node->len - at < r->most ? node->len - at : r->most;
		count = bfo_media_fit(r->vol, bfo_node_blk(node) + at, count, &bad);
		if (!count) {
			err = give_up(r, node, at, bad, sink,
				      bfo_media_why(r->vol, bfo_node_blk(node) + at));
			continue;
		}
		to = place_of(sink, node, at, r->merge);
		err = read_blocks(r, bfo_node_blk(node) + at, count, to);
		if (!err)
			err = sink->take(sink->priv, node, at, count, to);
		else if (bfo_media_is_error(err) && count == 1 && r->vol->device.fd < 0)
			err = lose_block(r, node, at, sink, err);
		else if (bfo_media_is_error(err))
			err = read_singly(r, node, at, count, sink, to);
	}
	return err;
}

/* One more piece of a scattered read, joined to the one before if they meet. */
static int add_piece(struct bfo_reader *r, int n, void *to, size_t bytes)
{
	struct iovec *last = n && n <= BFO_READ_PIECES ? &r->iov[n - 1] : NULL;

	if (last && (char *) last->iov_base + last->iov_len == to) {
		last->iov_len += bytes;
		return n;
	}
	if (n < BFO_READ_PIECES)
		r->iov[n] = (struct iovec) { .iov_base = to, .iov_len = bytes };
	return n + 1;
}

/*
 * Lists where RUN's blocks belong: gaps, and what has no place, in the merge buffer.  Returns the
 * number of pieces, 0 if they are too many or nodes overlap.
 */
static int list_pieces(struct bfo_reader *r, const struct bfo_node *nodes,
		       const struct bfo_read_run *run, const struct bfo_sink *sink)
{
	size_t bs = r->vol->block_size;
	uint64_t at = run->blk, blk;
	const struct bfo_node *node;
	int n = 0;

	for (node = nodes + run->first; node < nodes + run->last; node++) {
		blk = bfo_node_blk(node);
		if (blk < at || n > BFO_READ_PIECES)
			return 0;
		if (blk > at)
			n = add_piece(r, n, (char *) r->merge + (at - run->blk) * bs,
				      (blk - at) * bs);
		n = add_piece(r, n, place_of(sink, node, 0, (char *) r->merge +
					     (blk - run->blk) * bs), node->len * bs);
		at = blk + node->len;
	}
	return n <= BFO_READ_PIECES ? n : 0;
}

/* Straight to where the pieces belong; 0 if that cannot be done, -1 if it has failed. */
static int read_scattered(struct bfo_reader *r, const struct bfo_node *nodes,
			  const struct bfo_read_run *run, const struct bfo_sink *sink)
{
	int n = sink->place ? list_pieces(r, nodes, run, sink) : 0;
	errcode_t err = EINVAL;

	if (!n || !bfo_volume_can_scatter(r->vol, run->blk, run->len))
		return 0;
	if (r->direct && bfo_direct_wanted(&r->vol->device)) {
		if (run->len * r->vol->block_size / n < DIRECT_PIECE)
			return 0;
		err = bfo_volume_direct(r->ctx, r->vol, run->blk, run->len, r->iov, n);
		if (err != EINVAL)
			return err ? -1 : 1;
	}
	return bfo_volume_scatter(r->vol, run->blk, run->len, r->iov, n) ? 1 : -1;
}

/* The nodes of RUN, for which one request would not do. */
static errcode_t read_nodes(struct bfo_reader *r, const struct bfo_node *nodes,
			    const struct bfo_read_run *run, const struct bfo_sink *sink)
{
	errcode_t err = 0;
	size_t i;

	for (i = run->first; i < run->last && !err; i++)
		err = read_node(r, &nodes[i], sink);
	return err;
}

static errcode_t read_merged(struct bfo_reader *r, const struct bfo_node *nodes,
			     const struct bfo_read_run *run, const struct bfo_sink *sink)
{
	size_t bs = r->vol->block_size;
	int placed = read_scattered(r, nodes, run, sink);
	const struct bfo_node *node;
	errcode_t err = placed < 0 ? EIO : 0;
	void *data, *to;

	if (!placed) {
		err = read_blocks(r, run->blk, run->len, r->merge);
	} else {
		r->reads++;
		r->blocks += run->len;
	}
	if (bfo_media_is_error(err) || err == BFO_ET_JOURNAL_UNREAD)	/* perhaps in a gap */
		return read_nodes(r, nodes, run, sink);
	for (node = nodes + run->first; node < nodes + run->last && !err; node++) {
		data = (char *) r->merge + (bfo_node_blk(node) - run->blk) * bs;
		to = place_of(sink, node, 0, data);
		if (to != data && !placed)
			memcpy(to, data, node->len * bs);
		err = sink->take(sink->priv, node, 0, node->len, to);
	}
	return err;
}

errcode_t bfo_read_run(struct bfo_reader *r, const struct bfo_node *nodes,
		       const struct bfo_read_run *run, const struct bfo_sink *sink)
{
	return run->alone || run->last - run->first == 1 ?
	       read_node(r, &nodes[run->first], sink) : read_merged(r, nodes, run, sink);
}

errcode_t bfo_reader_run(struct bfo_reader *r, const struct bfo_node *nodes, size_t n,
			 const struct bfo_sink *sink)
{
	struct bfo_read_run run;
	errcode_t err;
	size_t i;

	for (i = 0; i < n; i = run.last) {
		run = bfo_read_run_next(r, nodes, n, i);
		err = bfo_read_run(r, nodes, &run, sink);
		if (err)
			return err;
	}
	return 0;
}

errcode_t bfo_take_in_place(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			    const void *data)
{
	(void) priv;
	(void) node;
	(void) at;
	(void) count;
	(void) data;			/* it is where it belongs */
	return 0;
}
