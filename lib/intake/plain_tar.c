// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plain_tar.c - data of a tar file, read where they lie
 *
 *   header | data.... 0 | header | data 0 | header | data.........
 *            node 1                node 2            node 3		one preadv(2)
 *
 * Nodes that are near each other are read at once, and headers between them thrown away.  What
 * stands in a member's last block behind its data need not be zeros, so they are made: `ends` tells
 * where.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/pace.h"
#include "intake/plain_tar.h"

#define GAP 64U				/* blocks that are read to no end */
#define REQUEST 8192U			/* blocks of a request: 4 MiB */
#define PIECES 512U			/* of a request, with as many gaps: IOV_MAX */

/* ---- places ---- */

static int is_even(const bfo_tar_extents *x)
{
	size_t i;

	for (i = 0; i < x->n; i++)
		if ((x->v[i].byte | x->v[i].at) % BFO_TAR_BLOCK ||
		    (i + 1 < x->n && x->v[i].len % BFO_TAR_BLOCK))
			return 0;
	return 1;
}

static errcode_t no_memory(const struct bfo_intake *in, errcode_t err)
{
	return err ? bfo_fail(in->source.ctx, err, "reading %s", in->source.name) : 0;
}

static errcode_t place_odd(struct bfo_plain_tar *p, struct bfo_intake *in, const bfo_tar_extents *x)
{
	errcode_t err = 0;
	size_t i;

	p->placer.block_size = in->source.block_size;
	bfo_placer_begin(&p->placer);
	for (i = 0; i < x->n && !err; i++) {
		struct bfo_placed got = bfo_placer_put(&p->placer, x->v[i].at, x->v[i].len);
		struct bfo_odd_part part = { .byte = got.byte, .at = x->v[i].byte,
					     .len = x->v[i].len };

		err = no_memory(in, bfo_vec_push(&p->odd, part));
		if (!err && got.blocks)
			err = bfo_intake_segment(in, BFO_PLACE_ODD + got.place, got.lblk,
						 got.blocks, 0);
	}
	return err;
}

errcode_t bfo_plain_tar_place(struct bfo_plain_tar *p, struct bfo_intake *in,
			      const bfo_tar_extents *x)
{
	uint64_t end = 0;
	errcode_t err = 0;
	size_t i;

	if (in->source.block_size != BFO_TAR_BLOCK || !is_even(x))
		return place_odd(p, in, x);
	for (i = 0; i < x->n && !err; end = x->v[i].byte + x->v[i].len, i++)
		err = bfo_intake_segment(in, x->v[i].byte / BFO_TAR_BLOCK,
					 x->v[i].at / BFO_TAR_BLOCK,
					 (x->v[i].len + BFO_TAR_BLOCK - 1) / BFO_TAR_BLOCK, 0);
	if (!err && end % BFO_TAR_BLOCK)
		err = no_memory(in, bfo_vec_push(&p->ends, end));
	return err;
}

/* ---- reading ---- */

/* Reads what IOV asks for, from byte AT on: all of it.  IOV is spoilt. */
static errcode_t read_all(struct bfo_plain_tar *p, struct bfo_source *s, uint64_t at,
			  struct iovec *iov, int n)
{
	ssize_t got;

	while (n) {
		got = preadv(p->fd, iov, n, at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return bfo_source_failed(s, at / s->block_size);
		if (!got)
			return bfo_fail(s->ctx, BFO_ET_CHANGED,
					"reading %s, which was longer before", s->name);
		at += got;
		for (; n && (size_t) got >= iov->iov_len; n--)
			got -= iov++->iov_len;
		if (n) {
			iov->iov_base = (char *) iov->iov_base + got;
			iov->iov_len -= got;
		}
	}
	s->requests++;
	return 0;
}

/* COUNT blocks of a node, from its block AT on, go to `to`. */
struct piece {
	const struct bfo_node *node;
	uint32_t at, count;
	char *to;
};

struct request {
	struct bfo_plain_tar *p;
	struct bfo_intake *in;
	const struct bfo_sink *sink;
	uint64_t start, end;		/* blocks */
	struct piece pieces[PIECES];
	struct iovec iov[2 * PIECES];
	unsigned int n, iovs;
};

/* NODE from its block AT on, as much as the request takes: how many blocks, or 0. */
static uint32_t add(struct request *r, const struct bfo_node *node, uint32_t at)
{
	uint64_t blk = bfo_node_blk(node) + at, room;
	char *room_at, *to;
	uint32_t count;

	if (!r->n)
		r->start = r->end = blk;
	if (r->n == PIECES || blk - r->end > GAP || blk < r->end || blk - r->start >= REQUEST)
		return 0;
	room = REQUEST - (blk - r->start);
	count = node->len - at < room ? node->len - at : room;
	room_at = r->p->room.v + (blk - r->start) * BFO_TAR_BLOCK;
	if (blk > r->end)
		r->iov[r->iovs++] = (struct iovec) {
			.iov_base = r->p->room.v + (r->end - r->start) * BFO_TAR_BLOCK,
			.iov_len = (blk - r->end) * BFO_TAR_BLOCK };
	to = r->sink->place ? r->sink->place(r->sink->priv, node, at) : NULL;
	r->pieces[r->n] = (struct piece) { .node = node, .at = at, .count = count,
					   .to = to ? to : room_at };
	r->iov[r->iovs++] = (struct iovec) { .iov_base = r->pieces[r->n].to,
					     .iov_len = (size_t) count * BFO_TAR_BLOCK };
	r->n++;
	r->end = blk + count;
	return count;
}

/* Zeros behind data that end within PIECE. */
static void clear_tails(const struct bfo_plain_tar *p, const struct piece *piece)
{
	uint64_t first = (bfo_node_blk(piece->node) + piece->at) * BFO_TAR_BLOCK;
	uint64_t len = (uint64_t) piece->count * BFO_TAR_BLOCK;
	size_t i;

	for (i = bfo_vec_lower_number(&p->ends, first); i < p->ends.n && p->ends.v[i] < first + len;
	     i++)
		memset(piece->to + (p->ends.v[i] - first), 0,
		       BFO_TAR_BLOCK - p->ends.v[i] % BFO_TAR_BLOCK);
}

static errcode_t run(struct request *r)
{
	struct bfo_source *s = &r->in->source;
	errcode_t err;
	unsigned int i;

	bfo_pace_take(s->ctx->pace, (r->end - r->start) * BFO_TAR_BLOCK);
	err = read_all(r->p, s, r->start * BFO_TAR_BLOCK, r->iov, r->iovs);
	s->blocks += r->end - r->start;
	for (i = 0; i < r->n && !err; i++) {
		const struct piece *v = &r->pieces[i];

		clear_tails(r->p, v);
		err = r->sink->take(r->sink->priv, v->node, v->at, v->count, v->to);
	}
	r->n = r->iovs = 0;
	return err;
}

static errcode_t read_even(struct request *r, const struct bfo_node *nodes, size_t n)
{
	struct bfo_context *ctx = r->in->source.ctx;
	errcode_t err = 0;
	uint32_t at, got;
	size_t i;

	for (i = 0; i < n && !err; i++) {
		for (at = 0; at < nodes[i].len && !err; at += got) {
			got = add(r, &nodes[i], at);
			if (got)
				continue;
			err = run(r);
			if (!err && bfo_cancelled(ctx))
				err = bfo_fail(ctx, BFO_ET_CANCELLED, "reading %s",
					       r->in->source.name);
		}
	}
	return err || !r->n ? err : run(r);
}

/* ---- odd places ---- */

/* Reads bytes FIRST to END, counted in odd places, to TO: zeros, but for what parts have. */
static errcode_t read_odd(struct bfo_plain_tar *p, struct bfo_source *s, uint64_t first,
			  uint64_t end, char *to)
{
	size_t i = bfo_vec_lower(&p->odd, byte, first);
	errcode_t err = 0;

	memset(to, 0, end - first);
	if (i && p->odd.v[i - 1].byte + p->odd.v[i - 1].len > first)
		i--;
	for (; i < p->odd.n && p->odd.v[i].byte < end && !err; i++) {
		const struct bfo_odd_part *part = &p->odd.v[i];
		uint64_t from = part->byte > first ? part->byte : first;
		uint64_t until = part->byte + part->len < end ? part->byte + part->len : end;
		struct iovec iov = { .iov_base = to + (from - first), .iov_len = until - from };

		err = read_all(p, s, part->at + (from - part->byte), &iov, 1);
	}
	return err;
}

static errcode_t read_odd_node(struct bfo_plain_tar *p, struct bfo_intake *in,
			       const struct bfo_node *node, const struct bfo_sink *sink)
{
	uint64_t blk = bfo_node_blk(node) - BFO_PLACE_ODD, bs = in->source.block_size;
	uint32_t most = REQUEST * BFO_TAR_BLOCK / bs;
	struct bfo_source *s = &in->source;
	errcode_t err = 0;
	uint32_t at, count;

	for (at = 0; at < node->len && !err; at += count) {
		char *to;

		count = node->len - at < most ? node->len - at : most;
		to = bfo_intake_place(in, node, at, count, sink);
		if (!to)
			return no_memory(in, ENOMEM);
		bfo_pace_take(s->ctx->pace, count * bs);
		err = read_odd(p, s, (blk + at) * bs, (blk + at + count) * bs, to);
		s->blocks += count;
		if (!err)
			err = sink->take(sink->priv, node, at, count, to);
	}
	return err;
}

errcode_t bfo_plain_tar_read(struct bfo_plain_tar *p, struct bfo_intake *in,
			     const struct bfo_node *nodes, size_t n, const struct bfo_sink *sink)
{
	struct request *r = malloc(sizeof(*r));
	size_t even = n;
	errcode_t err = r ? bfo_vec_reserve(&p->room, REQUEST * BFO_TAR_BLOCK) : ENOMEM;

	if (err) {
		free(r);
		return no_memory(in, err);
	}
	while (even && bfo_node_blk(&nodes[even - 1]) >= BFO_PLACE_ODD)
		even--;
	r->p = p;
	r->in = in;
	r->sink = sink;
	r->n = r->iovs = 0;
	err = read_even(r, nodes, even);
	for (; even < n && !err; even++)
		err = read_odd_node(p, in, &nodes[even], sink);
	free(r);
	return err;
}

void bfo_plain_tar_free(struct bfo_plain_tar *p)
{
	bfo_vec_free(&p->ends);
	bfo_vec_free(&p->odd);
	bfo_vec_free(&p->room);
}
