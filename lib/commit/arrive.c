// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * arrive.c - data of a source that come once, into a target's free blocks
 *
 *   parts     |aaaaa|aaa|   (hole)   |aa|        |b|bbbbb|    of any length, at any byte
 *   buffer    |aaaa|aaaa|aa..|bbbb|bb..|         whole blocks, front to back; "." is zero
 *   writes    ──────── one range ────── ...      in the same order
 *
 * Blocks get their places as they are filled (rooms.h): a piece of the file, whole clusters, at a
 * time.  A block of a file may lie further into its cluster than the data before: then the
 * cluster's other blocks are left as they are, and belong to the file all the same.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "commit/arrive.h"
#include "commit/reread.h"
#include "commit/rooms.h"
#include "commit/writer.h"
#include "move/pipe.h"
#include "plan/inline.h"
#include "plan/loss.h"

#define MEMORY (32ULL << 20)		/* bytes: of both buffers; more would not be faster */
#define LARGE_BYTES (16ULL << 20)	/* of a free range: no seek back for a longer one */

/* What the file at hand has got, but not yet filled. */
struct piece {
	uint64_t lblk, blk, len;	/* blocks; whole clusters */
};

struct bfo_arrive {
	struct bfo_arrival where;
	struct bfo_context *ctx;
	const struct bfo_target *target;
	struct bfo_writer w;
	struct bfo_drain drain;
	struct bfo_pipe pipe;		/* whose unit is a block */
	struct bfo_rooms rooms;
	struct bfo_buffer *buffer;	/* that is being filled; NULL: there is none yet */

	/* the file at hand */
	uint64_t size, byte;		/* bytes: all; behind the part that came last */
	uint64_t end;			/* blocks before this one are in buffers, or holes */
	char *last;			/* the block before, in its buffer, if it has data */
	struct piece piece;
	BFO_VEC(struct bfo_seg) segs;

	struct bfo_arrive_stats stats;
	uint64_t blocks;		/* in buffers so far */
};

/* ---- buffers ---- */

/* Room for at least one block in the buffer. */
static errcode_t make_room(struct bfo_arrive *a)
{
	errcode_t err;

	if (a->buffer && a->buffer->used < a->pipe.capacity)
		return 0;
	if (a->buffer)
		bfo_pipe_publish(&a->pipe, a->buffer);
	a->buffer = NULL;
	bfo_progress_report(a->ctx, BFO_STAGE_ARRIVAL, a->stats.bytes, 0, a->stats.files);
	if (bfo_cancelled(a->ctx))
		return bfo_fail(a->ctx, BFO_ET_CANCELLED, "taking in data");
	err = bfo_pipe_begin(&a->pipe, &a->buffer);
	if (err)
		a->buffer = NULL;
	return err;
}

/* A piece of the file from block LBLK on, with room for WANT blocks if there is. */
static errcode_t take_piece(struct bfo_arrive *a, uint64_t lblk, uint64_t want)
{
	uint64_t ratio = a->target->cluster_blocks, into = lblk % ratio;
	errcode_t err;

	a->piece.lblk = lblk - into;
	err = bfo_rooms_take(&a->rooms, into + want, &a->piece.blk, &a->piece.len);
	if (err)
		a->piece.len = 0;
	return err ? bfo_fail(a->ctx, err, "taking in data: the target's free blocks are full "
			      "after %llu bytes", (unsigned long long) a->stats.bytes) : 0;
}

/* Blocks LBLK and following of the file, *LEN of them, lie at BLK and following. */
static errcode_t add_segment(struct bfo_arrive *a, uint64_t lblk, uint64_t blk, uint32_t len)
{
	struct bfo_seg *last = a->segs.n ? &a->segs.v[a->segs.n - 1] : NULL;

	if (last && last->lblk + (uint64_t) last->len == lblk &&
	    bfo_seg_blk(last) + last->len == blk) {
		last->len += len;
		return 0;
	}
	return bfo_vec_push(&a->segs, (struct bfo_seg) { .blk = blk | BFO_SEG_KEPT, .lblk = lblk,
			    .len = len });
}

/* Room for block LBLK and those behind it, *COUNT at most: at *TO, for *COUNT of them. */
static errcode_t add_blocks(struct bfo_arrive *a, uint64_t lblk, char **to, uint32_t *count)
{
	struct piece *p = &a->piece;
	uint64_t blk, left;
	errcode_t err = make_room(a);

	if (!err && (!p->len || lblk - p->lblk >= p->len))
		err = take_piece(a, lblk, *count);
	if (err)
		return err;
	blk = p->blk + (lblk - p->lblk);
	left = p->len - (lblk - p->lblk);
	if (*count > left)
		*count = left;
	if (*count > a->pipe.capacity - a->buffer->used)
		*count = a->pipe.capacity - a->buffer->used;
	*to = a->buffer->buf + (size_t) a->buffer->used * a->pipe.unit;
	err = bfo_pipe_add_write(&a->pipe, a->buffer, a->buffer->used, blk, *count,
				 a->blocks + *count);
	if (!err)
		err = add_segment(a, lblk, blk, *count);
	a->buffer->used += *count;
	a->blocks += *count;
	a->end = lblk + *count;
	a->last = *to + (size_t) (*count - 1) * a->pipe.unit;
	return err;
}

/* ---- files ---- */

static errcode_t arrival_begin(void *priv, uint64_t size)
{
	struct bfo_arrive *a = priv;
	uint64_t bs = a->where.block_size;
	errcode_t err;

	a->size = size;
	a->byte = a->end = a->piece.len = 0;
	a->last = NULL;
	a->segs.n = 0;
	a->stats.files++;
	err = bfo_rooms_seek(&a->rooms, size / bs + !!(size % bs));
	return err ? bfo_fail(a->ctx, err, "taking in data") : 0;
}

/* What of LEN bytes at DATA, from byte AT on, stands in new blocks: *DONE bytes. */
static errcode_t fill_blocks(struct bfo_arrive *a, uint64_t at, const char *data, size_t len,
			     size_t *done)
{
	size_t bs = a->where.block_size, before = at % bs, most = a->pipe.capacity * bs, room;
	uint32_t count;
	errcode_t err;
	char *to;

	if (len > most - before)
		len = most - before;
	count = (before + len + bs - 1) / bs;
	err = add_blocks(a, at / bs, &to, &count);
	if (err)
		return err;
	room = count * bs;
	*done = len < room - before ? len : room - before;
	memset(to, 0, before);
	memcpy(to + before, data, *done);
	memset(to + before + *done, 0, room - before - *done);
	return 0;
}

static errcode_t arrival_part(void *priv, uint64_t at, const void *data, size_t len)
{
	struct bfo_arrive *a = priv;
	size_t bs = a->where.block_size, done;
	const char *from = data;
	errcode_t err = 0;

	if (at < a->byte || at > a->size || len > a->size - at)
		return bfo_fail(a->ctx, BFO_ET_DAMAGED,
				"taking in data: parts of a file that do not "
				"follow each other, or lie behind its end");
	for (; len && !err; at += done, from += done, len -= done) {
		done = bs - at % bs;
		if (at / bs < a->end) {		/* the rest of a block that has data */
			done = done < len ? done : len;
			memcpy(a->last + at % bs, from, done);
		} else {
			done = 0;
			err = fill_blocks(a, at, from, len, &done);
		}
		a->stats.bytes += done;
		a->byte = at + done;
	}
	return err;
}

static errcode_t arrival_end(void *priv, const struct bfo_seg **segs, size_t *n)
{
	struct bfo_arrive *a = priv;

	*segs = a->segs.v;
	*n = a->segs.n;
	return 0;
}

/* ---- the whole ---- */

static void free_arrive(struct bfo_arrive *a)
{
	bfo_writer_close(&a->w);	/* has no undo file that could fail */
	bfo_rooms_free(&a->rooms);
	bfo_vec_free(&a->segs);
	free(a);
}

/* With the pipe last: it undoes itself when it fails. */
static errcode_t open_parts(struct bfo_arrive *a, struct bfo_volume *vol,
			    const struct bfo_arrive_options *opt)
{
	uint64_t memory = opt->memory < MEMORY ? opt->memory : MEMORY;
	errcode_t err = bfo_writer_open(&a->w, a->ctx, vol, NULL);

	a->w.keep_sums = opt->verify;
	a->drain = bfo_writer_drain(&a->w, 0);
	bfo_direct_choose(&vol->device, opt->direct);
	if (!err)
		err = bfo_rooms_init(&a->rooms, &a->target->free_blocks, a->target->cluster_blocks,
				     LARGE_BYTES / vol->block_size);
	if (!err)
		err = bfo_pipe_open(&a->pipe, &a->drain, vol->block_size, memory, UINT64_MAX, NULL);
	return err ? bfo_fail(a->ctx, err, "starting to take in data") : 0;
}

errcode_t bfo_arrive_open(struct bfo_arrive **out, struct bfo_context *ctx, struct bfo_volume *vol,
			  const struct bfo_target *target, const struct bfo_arrive_options *opt)
{
	struct bfo_arrive *a = calloc(1, sizeof(*a));
	errcode_t err;

	*out = NULL;
	if (!a)
		return bfo_fail(ctx, ENOMEM, "starting to take in data");
	a->ctx = ctx;
	a->target = target;
	a->where = (struct bfo_arrival) { .block_size = vol->block_size,
					  .cluster_blocks = target->cluster_blocks,
					  .small = bfo_inline_most(target),
					  .verity_blocks = bfo_loss_verity_blocks(target),
					  .begin = arrival_begin, .part = arrival_part,
					  .end = arrival_end, .priv = a };
	err = open_parts(a, vol, opt);
	if (err)
		free_arrive(a);
	else
		*out = a;
	return err;
}

const struct bfo_arrival *bfo_arrive_where(const struct bfo_arrive *a)
{
	return &a->where;
}

errcode_t bfo_arrive_close(struct bfo_arrive *a, errcode_t err, struct bfo_arrive_stats *stats)
{
	if (!a)
		return err;
	if (!err && a->buffer)
		bfo_pipe_publish(&a->pipe, a->buffer);
	err = bfo_pipe_close(&a->pipe, err);
	if (!err && a->w.keep_sums)
		err = bfo_writer_flush(&a->w);
	if (!err && a->w.keep_sums)
		err = bfo_reread(&a->w);
	a->stats.requests = a->w.requests;
	a->stats.blocks = a->w.blocks;
	if (stats)
		*stats = a->stats;
	free_arrive(a);
	return err;
}
