// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * send.c - a tree and its data as a stream
 *
 *   items ── walk ── members, parts ──┬── counts, digest ── FACTS
 *                                     '── TREE frames, held (send_held.h) ── TREE_END
 *   data, as they come ── frames of 1 MiB, whoever's they are ── DATA ... ── END
 *
 * Frames are packed and hashed by threads (packed.h), and get their heads as they leave.  Walks are
 * in the order of the stem, by names of the first link.  A tree whose frames are too large to be
 * held is walked over a second time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "base/pace.h"
#include "export/send.h"
#include "export/send_held.h"
#include "export/send_level.h"
#include "export/send_member.h"
#include "plan/runs.h"
#include "wire/frames.h"

/* The level is thought over after so much. */
#define LOOK_BYTES (8U << 20)
#define LOOK_SECONDS 0.1

#define PACE_PIECE (64U << 10)		/* bytes that are written at once where that is paced */

struct send {
	struct bfo_outlet outlet;
	struct bfo_send_options opt;
	struct bfo_output out;
	struct bfo_packed *packed;
	struct bfo_frame_writer tree;
	struct bfo_hasher hasher;
	struct bfo_send_member maker;
	uint64_t lost;			/* attributes that are not sent */
	struct bfo_pace pace;
	struct bfo_source *source;
	struct bfo_items *items;

	int is_counting;		/* nothing is sent yet */
	struct bfo_send_held held;	/* TREE frames that come of it */
	struct bfo_stream_facts facts;
	uint8_t tree_digest[BFO_STREAM_DIGEST];
	uint64_t skip_to;		/* byte of all data that the stream begins with, */
	uint64_t from;			/* and the block of the stem that has it; */
	uint64_t at;			/* byte of all data that comes next, with that block */

	/* what has left */
	uint32_t number, data_number;
	uint64_t tree_at, data_at;
	struct bfo_send_level level;
	struct bfo_send_look look;	/* since the level was thought over, */
	double looked;			/* which was then (clock.h); 0: not yet */
	uint8_t end_digest[BFO_STREAM_DIGEST];
};

static struct bfo_context *ctx_of(struct send *s)
{
	return s->outlet.ctx;
}

static errcode_t no_memory(struct send *s, errcode_t err)
{
	return err ? bfo_fail(ctx_of(s), err, "sending %s", s->opt.name) : 0;
}

/* ---- frames that leave ---- */

static void think_over(struct send *s, struct bfo_context *ctx)
{
	const struct bfo_timer *timer = bfo_timer_of(ctx);
	const double now = timer->now(timer->priv);

	s->look.seconds = now - s->looked;
	if (s->look.bytes < LOOK_BYTES || s->look.seconds < LOOK_SECONDS)
		return;
	s->look.waited = bfo_packed_waited(s->packed);
	if (s->looked)
		bfo_send_level_look(&s->level, &s->look);
	memset(&s->look, 0, sizeof(s->look));
	s->looked = now;
}

/* What was waited for leaves at once: gathered, it would leave together. */
static errcode_t write_paced(struct send *s, struct bfo_context *ctx, const char *data, size_t len)
{
	errcode_t err = 0;
	size_t n;

	if (!s->opt.bwlimit)
		return bfo_output_write(ctx, &s->out, data, len);
	for (; !err && len; data += n, len -= n) {
		n = len < PACE_PIECE ? len : PACE_PIECE;
		bfo_pace_take(&s->pace, n);
		err = bfo_cancelled(ctx) ? bfo_fail(ctx, BFO_ET_CANCELLED, "sending")
					 : bfo_output_write(ctx, &s->out, data, n);
	}
	return err ? err : bfo_output_flush(ctx, &s->out);
}

static uint32_t number_of(struct send *s, enum bfo_stream_kind kind)
{
	return kind == BFO_STREAM_DATA ? s->data_number++ : s->number++;
}

static uint64_t *place_of(struct send *s, enum bfo_stream_kind kind)
{
	return kind == BFO_STREAM_DATA ? &s->data_at : kind == BFO_STREAM_TREE ? &s->tree_at : NULL;
}

static errcode_t write_frame(struct send *s, struct bfo_context *ctx,
			     const struct bfo_stream_head *h, const void *stored)
{
	uint8_t head[BFO_STREAM_HEAD];
	errcode_t err;

	bfo_stream_put_head(h, head);
	err = write_paced(s, ctx, (const char *) head, sizeof(head));
	return err ? err : write_paced(s, ctx, stored, h->stored);
}

/* As write_frame(), of data.  What time went by while this thread had nothing to do is noted. */
static errcode_t write_data(struct send *s, struct bfo_context *ctx,
			    const struct bfo_stream_head *h, const void *stored)
{
	const struct bfo_timer *timer = bfo_timer_of(ctx);
	const double began = timer->now(timer->priv), worked = bfo_thread_clock();
	errcode_t err = write_frame(s, ctx, h, stored);

	s->look.blocked += timer->now(timer->priv) - began - (bfo_thread_clock() - worked);
	s->look.bytes += h->bytes;
	think_over(s, ctx);
	return err;
}

/* H is the next that leaves. */
static void number_frame(struct send *s, struct bfo_stream_head *h)
{
	uint64_t *at = place_of(s, h->kind);

	h->number = number_of(s, h->kind);
	if (bfo_stream_is_marked(h->kind))
		h->tree = bfo_stream_mark(s->tree_digest);
	h->at = at ? *at : 0;
	if (at)
		*at += h->bytes;
}

/* For the threads: a frame is done. */
static errcode_t put_frame(void *priv, struct bfo_context *ctx, const struct bfo_packed_chunk *c)
{
	struct send *s = priv;
	struct bfo_stream_head h = { .kind = c->tag, .is_packed = c->is_packed, .bytes = c->len,
				     .stored = c->stored_len, .crc = c->crc };

	if (s->is_counting) {
		bfo_send_hold(&s->held, &h, c->stored);
		return 0;
	}
	number_frame(s, &h);
	if (h.kind != BFO_STREAM_DATA)
		return write_frame(s, ctx, &h, c->stored);
	bfo_hasher_add(&s->hasher, c->digest, sizeof(c->digest));
	return s->opt.is_auto ? write_data(s, ctx, &h, c->stored)
			      : write_frame(s, ctx, &h, c->stored);
}

/* LEN bytes at DATA are one frame of KIND. */
static errcode_t send_frame(struct send *s, enum bfo_stream_kind kind, const void *data, size_t len)
{
	errcode_t err = bfo_packed_cut(ctx_of(s), s->packed);

	bfo_packed_tag(s->packed, kind);
	if (!err)
		err = bfo_packed_write(ctx_of(s), s->packed, data, len);
	return err ? err : bfo_packed_cut(ctx_of(s), s->packed);
}

/* ---- the tree ---- */

/* Frames of members: counted, and held; or sent. */
static errcode_t take_tree(void *priv, const void *data, size_t len)
{
	struct send *s = priv;

	if (s->is_counting) {
		s->facts.tree += len;
		bfo_hasher_add(&s->hasher, data, len);
		if (s->held.is_over)
			return 0;
	}
	return bfo_packed_write(ctx_of(s), s->packed, data, len);
}

static errcode_t put_parts(struct send *s, const struct bfo_item *item, uint64_t end)
{
	const struct bfo_part *part;
	errcode_t err = 0;
	uint64_t len;

	for (part = item->parts; !err && part < item->parts + item->n_parts; part++) {
		len = bfo_send_part(part, end);
		if (part->is_unwritten)
			err = bfo_frame_put_unwritten(&s->tree, part->from, part->len);
		else if (len)
			err = bfo_frame_put_extent(&s->tree, part->from, len);
		s->facts.parts += s->is_counting && len;
		s->facts.data += s->is_counting ? len : 0;
	}
	return err;
}

/* Where in the stem byte skip_to of all data is, if it is in ITEM, whose first is byte BEGIN. */
static void note_from(struct send *s, const struct bfo_item *item, uint64_t begin)
{
	const struct bfo_plan *plan = s->items->plan;
	const struct bfo_inode *rec = &plan->tree->inodes.v[item->row];

	const uint64_t bs = plan->target->block_size;
	uint64_t blocks;

	if (s->skip_to < begin || s->skip_to >= s->facts.data)
		return;
	blocks = (s->skip_to - begin) / bs;
	s->from = rec->stem + blocks;
	s->at = begin + blocks * bs;
}

static errcode_t put_item(struct send *s, const struct bfo_item *item)
{
	const struct bfo_plan *plan = s->items->plan;
	const int has_data = S_ISREG(item->attrs.mode) && !item->first;
	uint64_t begin = s->facts.data, end = 0;
	struct bfo_member m;
	errcode_t err;

	if (has_data)
		end = bfo_runs_data_end(plan, &plan->tree->inodes.v[item->row]);
	err = bfo_send_member(&s->maker, item, end, &m);
	if (!err)
		err = bfo_frame_put_member(&s->tree, &m, s->maker.xattrs.v);
	s->facts.members += s->is_counting;
	if (!err && has_data)
		err = put_parts(s, item, end);
	if (has_data && s->is_counting)
		note_from(s, item, begin);
	return err == BFO_ET_OVERFLOW ?
	       bfo_fail(ctx_of(s), err, "sending /%.*s: its attributes are too large",
			(int) item->path_len, item->path) : err;
}

/* All members go through s->tree. */
static errcode_t walk(struct send *s)
{
	struct bfo_serial_step step;
	struct bfo_serial walk;
	struct bfo_item item;
	errcode_t err = bfo_serial_begin(&walk, s->items->plan);

	walk.has_stand_ins = 1;
	while (!err) {
		err = bfo_serial_next(&walk, &step);
		if (err || step.kind == BFO_SERIAL_END)
			break;
		if (step.kind == BFO_SERIAL_LEAVE)
			continue;
		err = bfo_items_make(s->items, &walk, &step, &item);
		if (!err)
			err = put_item(s, &item);
		if (!err && bfo_cancelled(ctx_of(s)))
			err = bfo_fail(ctx_of(s), BFO_ET_CANCELLED, "sending %s", s->opt.name);
	}
	bfo_serial_free(&walk);
	if (!err)
		err = bfo_frame_put_end(&s->tree, 0, 0);
	if (!err)
		err = bfo_frame_flush(&s->tree);
	return err == ENOMEM ? no_memory(s, err) : err;
}

/* Counts everything, makes the digest of the tree, and its frames, if there is room. */
static errcode_t count(struct send *s)
{
	uint8_t bytes[BFO_STREAM_FACTS_BYTES];
	struct bfo_sums sums;
	errcode_t err;

	s->is_counting = 1;
	bfo_packed_tag(s->packed, BFO_STREAM_TREE);
	err = walk(s);
	if (!err)
		err = bfo_packed_end(ctx_of(s), s->packed);
	s->is_counting = 0;
	s->lost = s->maker.lost;
	if (err)
		return err;
	bfo_stream_put_facts(&s->facts, bytes);
	bfo_hasher_add(&s->hasher, bytes, sizeof(bytes));
	bfo_hasher_end(&s->hasher, &sums);
	memcpy(s->tree_digest, sums.sha256, sizeof(s->tree_digest));
	return 0;
}

static errcode_t check_token(struct send *s)
{
	const struct bfo_stream_token *t = s->opt.resume;

	if (!t)
		return 0;
	if (memcmp(t->tree, s->tree_digest, sizeof(t->tree)))
		return bfo_fail(ctx_of(s), BFO_ET_CHANGED, "going on with a stream of %s: names or "
				"attributes are not what they were, or another token belongs to "
				"it; without --resume it begins anew, when 'e2bfo abort' has given "
				"up what the target has", s->source->name);
	if (t->next > s->facts.data / BFO_STREAM_CHUNK + 1)
		return bfo_fail(ctx_of(s), EINVAL, "going on with a stream of %s: it does not have "
				"so many frames as the token says", s->source->name);
	return 0;
}

/* The limits of each type, in pieces that are full frames but for the last. */
static errcode_t send_quota(struct send *s)
{
	char *bytes = malloc(BFO_STREAM_CHUNK);
	errcode_t err = bytes ? 0 : no_memory(s, ENOMEM);
	uint64_t at, n;
	int type;

	for (type = 0; type < BFO_QUOTA_FILES; type++) {
		const struct bfo_quota_file *f = &s->opt.quota[type];

		for (at = 0; !err && f->ino && at < f->size; at += n) {
			n = f->size - at < BFO_STREAM_CHUNK - 4 ? f->size - at
								: BFO_STREAM_CHUNK - 4;
			put_le32(bytes, 0, type);
			memcpy(bytes + 4, (const char *) f->data + at, n);
			err = send_frame(s, BFO_STREAM_QUOTA, bytes, 4 + n);
		}
	}
	free(bytes);
	return err;
}

static errcode_t send_head(struct send *s)
{
	struct bfo_stream_preamble p = { .major = BFO_STREAM_MAJOR };
	uint8_t preamble[BFO_STREAM_PREAMBLE], facts[BFO_STREAM_FACTS_BYTES];
	errcode_t err;

	p.first = s->data_number;
	p.warn = s->opt.quota ? BFO_STREAM_HAS_QUOTA : 0;
	bfo_stream_put_preamble(&p, preamble);
	bfo_stream_put_facts(&s->facts, facts);
	err = write_paced(s, ctx_of(s), (const char *) preamble, sizeof(preamble));
	if (!err)
		err = send_frame(s, BFO_STREAM_FACTS, facts, sizeof(facts));
	return err || !s->opt.quota ? err : send_quota(s);
}

/* The digest of the stream is that of the tree's, of where it begins, and of the frames'. */
static void begin_digest(struct send *s)
{
	uint8_t first[4];

	put_le32(first, 0, s->data_number);
	bfo_hasher_add(&s->hasher, s->tree_digest, sizeof(s->tree_digest));
	bfo_hasher_add(&s->hasher, first, sizeof(first));
}

errcode_t bfo_send_count(struct bfo_outlet *outlet, struct bfo_items *items, uint64_t *from)
{
	struct send *s = outlet->priv;
	errcode_t err;

	outlet->ctx = items->plan->ctx;
	s->items = items;
	s->source = items->source;
	s->facts.block_size = items->plan->target->block_size;
	s->facts.unknown = s->maker.unknown = items->source->unknown;
	s->data_number = s->opt.resume ? s->opt.resume->next : 0;
	s->skip_to = s->data_at = (uint64_t) s->data_number * BFO_STREAM_CHUNK;
	s->from = items->plan->stem_len;
	err = count(s);
	*from = s->skip_to ? s->from : 0;
	return err ? err : check_token(s);
}

static errcode_t walk_again(struct send *s)
{
	bfo_packed_tag(s->packed, BFO_STREAM_TREE);
	return walk(s);
}

/* The frames that are held leave. */
static errcode_t send_held(struct send *s)
{
	const char *stored = s->held.stored.v;
	errcode_t err = bfo_packed_end(ctx_of(s), s->packed);
	size_t i;

	for (i = 0; i < s->held.heads.n && !err; i++) {
		struct bfo_stream_head h = s->held.heads.v[i];

		number_frame(s, &h);
		err = write_frame(s, ctx_of(s), &h, stored);
		stored += h.stored;
	}
	bfo_send_held_free(&s->held);
	return err;
}

/* All that comes before data. */
static errcode_t send_tree(void *priv)
{
	struct send *s = priv;
	errcode_t err = send_head(s);

	if (err)
		return err;
	begin_digest(s);
	err = s->held.is_over ? walk_again(s) : send_held(s);
	if (!err)
		err = send_frame(s, BFO_STREAM_TREE_END, s->tree_digest, sizeof(s->tree_digest));
	bfo_packed_tag(s->packed, BFO_STREAM_DATA);
	return err;
}

errcode_t bfo_send_kept(struct bfo_outlet *outlet, const void *bytes, size_t len)
{
	struct send *s = outlet->priv;
	errcode_t err = send_tree(s);

	bfo_packed_tag(s->packed, BFO_STREAM_KEPT);
	if (!err)
		err = bfo_packed_write(ctx_of(s), s->packed, bytes, len);
	if (!err)
		err = bfo_packed_end(ctx_of(s), s->packed);
	return err ? err : bfo_output_end(ctx_of(s), &s->out);
}

/* ---- data ---- */

/*
 * What begins in the middle of a stream begins with a block of the stem; of that, what the frames
 * before have had is left out.
 */
static errcode_t send_data(void *priv, uint64_t offset, const void *data, size_t len)
{
	struct send *s = priv;
	uint64_t skip = s->at < s->skip_to ? s->skip_to - s->at : 0;

	(void) offset;
	skip = skip < len ? skip : len;
	s->at += len;
	if (s->opt.is_auto)
		bfo_packed_set_level(s->packed, bfo_send_level(&s->level));
	return bfo_packed_write(ctx_of(s), s->packed, (const char *) data + skip, len - skip);
}

static errcode_t send_end(void *priv)
{
	struct send *s = priv;
	struct bfo_sums sums;
	errcode_t err = bfo_packed_end(ctx_of(s), s->packed);

	if (!err && s->data_at != s->facts.data && s->skip_to < s->facts.data)
		err = bfo_fail(ctx_of(s), BFO_ET_CHANGED, "sending %s: so many bytes of data as "
			       "were announced did not come", s->source->name);
	if (err)
		return err;
	bfo_hasher_end(&s->hasher, &sums);
	memcpy(s->end_digest, sums.sha256, sizeof(s->end_digest));
	err = send_frame(s, BFO_STREAM_END, s->end_digest, sizeof(s->end_digest));
	if (!err)
		err = bfo_packed_end(ctx_of(s), s->packed);
	return err ? err : bfo_output_end(ctx_of(s), &s->out);
}

/* ---- opening ---- */

struct bfo_send_notes bfo_send_notes(const struct bfo_outlet *outlet)
{
	const struct send *s = outlet->priv;
	struct bfo_send_notes n = { .written = s->out.written, .members = s->facts.members,
				    .data = s->facts.data, .lost = s->lost };

	memcpy(n.tree, s->tree_digest, sizeof(n.tree));
	memcpy(n.digest, s->end_digest, sizeof(n.digest));
	return n;
}

void bfo_send_close(struct bfo_outlet *outlet)
{
	struct send *s = outlet ? outlet->priv : NULL;

	if (!s)
		return;
	bfo_packed_free(s->packed);
	bfo_hasher_close(&s->hasher);
	bfo_output_free(&s->out);
	bfo_vec_free(&s->tree.buf);
	bfo_send_member_free(&s->maker);
	bfo_send_held_free(&s->held);
	free(s);
}

static errcode_t begin(struct send *s, struct bfo_context *ctx)
{
	const struct bfo_packed_options how = {
		.chunk = BFO_STREAM_CHUNK, .level = s->opt.level, .is_framed = 1,
		.digested = BFO_STREAM_DATA,
		.put = put_frame, .priv = s, .name = s->opt.name,
	};
	errcode_t err = bfo_output_open(&s->out, s->opt.fd, s->opt.name);

	if (!err)
		err = bfo_hasher_open(&s->hasher, BFO_SUM_SHA256);
	if (err)
		return bfo_fail(ctx, err, "sending %s", s->opt.name);
	bfo_send_level_begin(&s->level, s->opt.level);
	if (s->opt.bwlimit)
		bfo_pace_init(&s->pace, s->opt.bwlimit, bfo_timer_of(ctx), ctx->cancel);
	return bfo_packed_begin(ctx, &how, &s->packed);
}

errcode_t bfo_send_open(struct bfo_context *ctx, const struct bfo_send_options *opt,
			struct bfo_outlet **outlet)
{
	struct send *s = calloc(1, sizeof(*s));
	errcode_t err;

	*outlet = NULL;
	if (!s)
		return bfo_fail(ctx, ENOMEM, "sending %s", opt->name);
	s->opt = *opt;
	s->outlet = (struct bfo_outlet) { .begin = send_tree, .data = send_data, .end = send_end,
					  .priv = s, .ctx = ctx };
	s->tree = (struct bfo_frame_writer) { .fd = -1, .is_bare = 1, .drain = take_tree,
					      .priv = s };
	s->held.most = opt->hold;
	s->facts.can_resume = opt->can_resume;
	if (opt->like) {
		s->facts.has_super = 1;
		s->facts.super = *opt->like;
	}
	err = begin(s, ctx);
	if (err)
		bfo_send_close(&s->outlet);
	else
		*outlet = &s->outlet;
	return err;
}
