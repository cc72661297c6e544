// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream_data.c - the data of a stream
 *
 * A byte of a place is asked of the frame that has it: its part is mostly that of the byte before,
 * or the next one, else it is found by bisection.  The frame at hand stays until another one is
 * asked for.  What is asked for late is kept as it passes by.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "intake/stream_state.h"

#define PIECE (1U << 20)		/* bytes of a node that are delivered at once */
#define NEAR 4U				/* parts that are tried before all are searched */

/* Data FROM to END, which are in the frame at hand, went by: small ones are kept. */
static errcode_t keep_passed(struct bfo_stream_source *s, uint64_t from, uint64_t end)
{
	size_t i = bfo_vec_lower(&s->parts, data, from + 1);
	errcode_t err = 0;

	for (i -= i > 0; !err && i + 1 < s->parts.n && s->parts.v[i].data < end; i++) {
		uint64_t begin = s->parts.v[i].data, part_end = s->parts.v[i + 1].data;
		uint64_t low = begin > from ? begin : from, high = part_end < end ? part_end : end;

		if (part_end - begin > BFO_STREAM_SMALL || low >= high)
			continue;
		err = bfo_vec_reserve(&s->text, high - low);
		if (!err && low == begin)
			err = bfo_vec_push(&s->passed, (struct bfo_stream_passed) { .data = begin,
									 .at = s->text.n });
		if (err || !s->passed.n || s->passed.v[s->passed.n - 1].data != begin)
			continue;
		memcpy(s->text.v + s->text.n, s->frame.data + (low - s->frame.head.at), high - low);
		s->text.n += high - low;
	}
	return bfo_stream_failed(s, err);
}

static uint64_t frame_end(const struct bfo_stream_source *s)
{
	return s->frame.head.at + s->frame.head.bytes;
}

static errcode_t next_frame(struct bfo_stream_source *s)
{
	errcode_t err;

	err = bfo_stream_in_next(&s->frames, &s->frame);
	s->has_frame = !err && s->frame.head.kind == BFO_STREAM_DATA;
	if (err || !s->has_frame)
		return err;
	if (frame_end(s) > s->data)
		return bfo_stream_in_fail(&s->frames, BFO_ET_STREAM_DAMAGED,
					  "there are more data than were declared");
	if (s->frame.head.number == s->frames.preamble.first + s->hashed) {
		bfo_hasher_add(&s->hasher, s->frames.digest, sizeof(s->frames.digest));
		s->hashed++;
	}
	return 0;
}

/* The same of one that was looked at: what is asked for is there. */
static errcode_t want_found(struct bfo_stream_source *s, uint64_t at)
{
	const uint32_t number = at / BFO_STREAM_CHUNK;
	size_t i = bfo_vec_lower(&s->found, number, number);
	errcode_t err;

	if (i == s->found.n || s->found.v[i].number != number)
		return bfo_stream_in_fail(&s->frames, BFO_ET_STREAM_DAMAGED,
					  "what is needed is not there");
	err = bfo_stream_in_frame(&s->frames, s->found.v[i].byte, &s->frame);
	s->has_frame = !err;
	return err || (s->frame.head.kind == BFO_STREAM_DATA && s->frame.head.number == number &&
		       at < frame_end(s)) ? err :
	       bfo_fail(s->in.source.ctx, BFO_ET_CHANGED, "reading %s", s->name);
}

/* The frame at hand becomes the one with byte AT of all data. */
static errcode_t want_frame(struct bfo_stream_source *s, uint64_t at)
{
	errcode_t err = 0;

	if (s->has_frame && at >= s->frame.head.at && at < frame_end(s))
		return 0;
	if (s->opt.damaged)
		return want_found(s, at);
	if (at < (uint64_t) s->frames.preamble.first * BFO_STREAM_CHUNK)
		return bfo_fail(s->in.source.ctx, BFO_ET_CHANGED, "reading %s: it goes on with "
				"frame %u, and an earlier one is needed: send it from the beginning",
				s->name, s->frames.preamble.first);
	if (s->frames.is_file && at / BFO_STREAM_CHUNK != s->frames.data_number)
		err = bfo_stream_in_seek(&s->frames, at);
	do {
		if (!err)
			err = next_frame(s);
		if (!err && !s->has_frame)
			err = bfo_stream_in_fail(&s->frames, BFO_ET_STREAM_DAMAGED,
						 "there are fewer data than were declared");
	} while (!err && at >= frame_end(s));
	return err;
}

/* LEN bytes from AT on that went by. */
static errcode_t take_passed(struct bfo_stream_source *s, uint64_t at, size_t len, char *to)
{
	size_t i = bfo_vec_lower(&s->passed, data, at + 1);
	const struct bfo_stream_passed *p = i ? &s->passed.v[i - 1] : NULL;
	size_t end = i < s->passed.n ? s->passed.v[i].at : s->text.n;

	if (!p || at - p->data + len > end - p->at)
		return bfo_fail(s->in.source.ctx, ESPIPE, "reading %s: a part of it is needed a "
				"second time, and a pipe gives it once; --spool keeps it", s->name);
	memcpy(to, s->text.v + p->at + (at - p->data), len);
	return 0;
}

/* Of a pipe: what lies before AT will not come again. */
static errcode_t pass(struct bfo_stream_source *s, uint64_t at)
{
	errcode_t err = 0;

	while (!err && s->gone < at) {
		uint64_t end;

		err = want_frame(s, s->gone);
		if (err)
			break;
		end = frame_end(s) < at ? frame_end(s) : at;
		err = keep_passed(s, s->gone, end);
		s->gone = end;
	}
	return err;
}

/* LEN bytes from AT on, of all data. */
static errcode_t read_data(struct bfo_stream_source *s, uint64_t at, uint64_t len, char *to)
{
	errcode_t err = 0;
	uint64_t n;

	if (!s->frames.is_file && at < s->gone)
		return take_passed(s, at, len, to);
	if (!s->frames.is_file)
		err = pass(s, at);
	for (; !err && len; at += n, to += n, len -= n) {
		err = want_frame(s, at);
		if (err)
			break;
		n = frame_end(s) - at < len ? frame_end(s) - at : len;
		memcpy(to, s->frame.data + (at - s->frame.head.at), n);
		s->gone = at + n > s->gone ? at + n : s->gone;
	}
	return err;
}

/* The last part that does not begin behind BYTE of the places, or the first one of all. */
static size_t part_of(struct bfo_stream_source *s, uint64_t byte)
{
	const struct bfo_stream_part *p = s->parts.v + s->part;
	size_t most = s->part + NEAR;

	for (; s->part + 1 < s->parts.n && s->part < most && p->byte <= byte; s->part++, p++)
		if (p[1].byte > byte)
			return s->part;
	s->part = bfo_vec_lower(&s->parts, byte, byte + 1);
	return s->part -= s->part > 0;
}

/* Bytes FIRST to END, counted in places; zeroes where no part is. */
static errcode_t fill_places(struct bfo_stream_source *s, uint64_t first, uint64_t end, char *to)
{
	size_t i = part_of(s, first);
	uint64_t at = first;
	errcode_t err = 0;

	for (; !err && i + 1 < s->parts.n && s->parts.v[i].byte < end; i++) {
		const struct bfo_stream_part *p = &s->parts.v[i];
		uint64_t part_end = p->byte + (p[1].data - p->data);
		uint64_t from = p->byte > first ? p->byte : first;
		uint64_t until = part_end < end ? part_end : end;

		if (from >= until)
			continue;
		memset(to + (at - first), 0, from - at);
		err = read_data(s, p->data + (from - p->byte), until - from, to + (from - first));
		at = until;
	}
	memset(to + (at - first), 0, end - at);
	return err;
}

/* True if the places from BLK on, of which *COUNT become as many as are alike, are bad. */
static int is_bad(const struct bfo_stream_source *s, uint64_t blk, uint32_t *count)
{
	const struct bfo_range *r = bfo_ranges_from(&s->bad, blk);
	uint64_t until = UINT64_MAX;
	int bad = r && r->start <= blk;

	if (r)
		until = bad ? r->start + r->len : r->start;
	if (until - blk < *count)
		*count = until - blk;
	return bad;
}

/* COUNT blocks from block AT of NODE on, all of which are bad or none. */
static errcode_t read_blocks(struct bfo_stream_source *s, const struct bfo_node *node, uint32_t at,
			     uint32_t count, int bad, const struct bfo_sink *sink)
{
	struct bfo_source *source = &s->in.source;
	uint64_t bs = source->block_size, blk = bfo_node_blk(node) + at;
	errcode_t err = 0;
	char *to;

	if (bad && sink->lost)
		return sink->lost(sink->priv, node, at, count);
	to = bfo_intake_place(&s->in, node, at, count, sink);
	if (!to)
		return bfo_stream_failed(s, ENOMEM);
	if (bad)
		memset(to, 0, count * bs);
	else
		err = fill_places(s, blk * bs, (blk + count) * bs, to);
	source->requests++;
	source->blocks += count;
	return err ? err : sink->take(sink->priv, node, at, count, to);
}

static errcode_t read_node(struct bfo_stream_source *s, const struct bfo_node *node,
			   const struct bfo_sink *sink)
{
	uint32_t most = PIECE / s->in.source.block_size, at, count;
	errcode_t err = 0;
	int bad;

	for (at = 0; at < node->len && !err; at += count) {
		count = node->len - at < most ? node->len - at : most;
		bad = is_bad(s, bfo_node_blk(node) + at, &count);
		err = read_blocks(s, node, at, count, bad, sink);
	}
	return err;
}

errcode_t bfo_stream_read(struct bfo_source *source, const struct bfo_node *nodes, size_t n,
			  const struct bfo_sink *sink)
{
	struct bfo_stream_source *s = (struct bfo_stream_source *) source;
	errcode_t err = bfo_intake_read_memory(&s->in, nodes, &n, sink);
	size_t i;

	for (i = 0; i < n && !err; i++)
		err = read_node(s, &nodes[i], sink);
	return err;
}

/* ---- its end ---- */

errcode_t bfo_stream_check_end(struct bfo_stream_source *s)
{
	struct bfo_sums sums;

	if (s->frame.head.kind != BFO_STREAM_END)
		return bfo_stream_in_fail(&s->frames, BFO_ET_STREAM_DAMAGED,
					  "it does not end as it should");
	bfo_hasher_end(&s->hasher, &sums);
	s->has_digest = s->frame.head.bytes >= sizeof(sums.sha256) &&
			!memcmp(s->frame.data, sums.sha256, sizeof(sums.sha256));
	memcpy(s->digest, sums.sha256, sizeof(s->digest));
	return s->has_digest ? 0 :
	       bfo_stream_in_fail(&s->frames, BFO_ET_STREAM_DAMAGED,
				  "the data are not what their digest says");
}

static errcode_t check_file(struct bfo_stream_source *s)
{
	struct bfo_context *ctx = s->in.source.ctx;
	struct stat now;

	if (fstat(s->fd, &now))
		return bfo_fail(ctx, errno, "reading %s", s->name);
	return now.st_size == s->before.st_size &&
	       now.st_mtim.tv_sec == s->before.st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == s->before.st_mtim.tv_nsec ? 0 :
	       bfo_fail(ctx, BFO_ET_CHANGED, "reading %s", s->name);
}

/* Frames that nothing asked for, in a file. */
static errcode_t read_on(struct bfo_stream_source *s)
{
	uint64_t at = ((uint64_t) s->frames.preamble.first + s->hashed) * BFO_STREAM_CHUNK;
	errcode_t err = 0;

	for (; !err && at < s->data; at += BFO_STREAM_CHUNK)
		err = want_frame(s, at);
	return err;
}

/*
 * Of a file some of which was left out, no digest of all can be told; one that may be damaged was
 * looked at before.
 */
errcode_t bfo_stream_settle(struct bfo_source *source)
{
	struct bfo_stream_source *s = (struct bfo_stream_source *) source;
	errcode_t err = s->frames.is_file ? check_file(s) : pass(s, s->data);

	if (err || s->opt.damaged)
		return err;
	if (s->frames.is_file && !s->opt.path)
		err = read_on(s);
	if (err || (s->frames.is_file &&
		    s->frames.preamble.first + s->hashed < (s->data + BFO_STREAM_CHUNK - 1) /
		    BFO_STREAM_CHUNK))
		return err;
	if (s->frames.is_file)
		err = bfo_stream_in_seek(&s->frames, s->data + BFO_STREAM_CHUNK);
	if (!err && !(s->has_frame == 0 && s->frame.head.kind == BFO_STREAM_END))
		err = next_frame(s);
	if (!err)
		err = bfo_stream_check_end(s);
	if (!err && !s->is_ours)
		bfo_stream_in_leave(&s->frames);
	return err;
}

/* The part before PLACE may reach beyond it: its frame, at the latest. */
uint32_t bfo_stream_next_frame(struct bfo_source *source, uint64_t place)
{
	const struct bfo_stream_source *s = (const struct bfo_stream_source *) source;
	uint64_t byte = place > s->placer.next ? UINT64_MAX : place * source->block_size;
	size_t i = bfo_vec_lower(&s->parts, byte, byte);
	uint64_t data = i < s->parts.n ? s->parts.v[i].data : s->data;

	if (i && i < s->parts.n && s->parts.v[i].byte != byte) {
		uint64_t ahead = s->parts.v[i].byte - byte;	/* at most so much of it is left */

		data -= ahead < data ? ahead : data;
	}
	return data / BFO_STREAM_CHUNK;
}
