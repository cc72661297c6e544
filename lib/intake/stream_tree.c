// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream_tree.c - trees from streams
 *
 *   TREE ── bare members ── catalog ──> names, inodes
 *                     '──── places ───> segments, parts
 *
 *   parts    |--a--|      |----b----|  |-c-|     bytes, counted in places
 *   data     |--a--|----b----|-c-|               bytes of the stream, without what lies between
 *
 * So a byte of a place is found by bisection, and asked of the frame that has it.  The frame at
 * hand stays until another one is asked for.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "gather/quota_read.h"
#include "intake/catalog.h"
#include "intake/member_check.h"
#include "intake/placer.h"
#include "intake/spool.h"
#include "intake/stream_tree.h"

#define PIECE (1U << 20)		/* bytes of a node that are delivered at once */
#define PLACE_BYTES 4096U		/* a block of a stream that does not say */
#define TELL_EVERY 1024U		/* members */
#define QUOTA_MOST (256U << 20)		/* bytes of limits of a type */

/* Flags that ext4 keeps, and that only our own streams and archives tell. */
#define FLAGS_TOLD (EXT2_NOCOMPR_FL | FS_NOCOW_FL | EXT4_CASEFOLD_FL | EXT4_VERITY_FL | \
		    EXT4_ENCRYPT_FL)

/* A run of data. */
struct part {
	uint64_t byte;			/* counted in places */
	uint64_t data;			/* counted in data of the stream */
};

/* Data that went by, and may be asked for later. */
struct passed {
	uint64_t data;			/* where they begin */
	size_t at;			/* in `text` */
};

struct stream {
	struct bfo_intake in;		/* first: it begins with the source */
	struct bfo_stream_options opt;
	char *name, *tree_name;		/* tree_name: of its tree, for messages */
	int fd, is_ours;
	struct stat before;
	struct bfo_stream_in frames;
	struct bfo_placer placer;
	BFO_VEC(struct part) parts;	/* ascending; behind the last one, their end */
	uint8_t tree[BFO_STREAM_DIGEST];	/* as it was computed here */
	struct bfo_quota_file quota[BFO_QUOTA_FILES];

	/* while it is gathered: */
	struct bfo_hasher hasher;	/* of the tree; then of all */
	struct bfo_members m;
	struct bfo_catalog *catalog;
	bfo_row row;			/* of the member at hand */
	struct bfo_member member;
	bfo_ranges unwritten;
	uint64_t tree_bytes, n_parts;
	uint64_t data;			/* bytes of all parts */

	/* data: */
	struct bfo_stream_frame frame;	/* at hand, if its kind is DATA */
	int has_frame;
	uint64_t hashed;		/* frames that are in the digest: all up to one */
	uint64_t gone;			/* of a pipe: data before that have been passed or read */
	BFO_VEC(struct passed) passed;
	bfo_chars text;
};

static errcode_t no_memory(struct stream *s, errcode_t err)
{
	return err ? bfo_fail(s->in.source.ctx, err, "reading %s", s->name) : 0;
}

/* ---- the tree ---- */

/* The frame at hand has a piece of a file of limits.  (What that says, its reader checks.) */
static errcode_t take_quota(struct stream *s)
{
	const struct bfo_stream_frame *f = &s->frame;
	uint32_t type = f->head.bytes > 4 ? get_le32(f->data, 0) : BFO_QUOTA_FILES;
	uint32_t n = f->head.bytes - 4;
	struct bfo_quota_file *file;
	void *more;

	if (type >= BFO_QUOTA_FILES || s->tree_bytes || s->quota[type].size > QUOTA_MOST)
		return bfo_stream_in_fail(&s->frames, BFO_ET_STREAM_DAMAGED,
					  "limits of quota that are none");
	file = &s->quota[type];
	more = realloc(file->data, file->size + n);
	if (!more)
		return no_memory(s, ENOMEM);
	file->data = more;
	memcpy((char *) more + file->size, f->data + 4, n);
	file->size += n;
	file->ino = EXT4_USR_QUOTA_INO + type;
	s->in.source.quota = s->quota;
	return 0;
}

/* For members: what comes next of the tree. */
static errcode_t fill(void *priv, bfo_chars *buf)
{
	struct stream *s = priv;
	struct bfo_stream_frame *f = &s->frame;
	errcode_t err = bfo_stream_in_next(&s->frames, f);

	while (!err && f->head.kind == BFO_STREAM_QUOTA) {
		err = take_quota(s);
		if (!err)
			err = bfo_stream_in_next(&s->frames, f);
	}
	if (err)
		return err;
	if (f->head.kind != BFO_STREAM_TREE || !f->head.bytes || f->head.at != s->tree_bytes ||
	    f->head.bytes > s->frames.facts.tree - s->tree_bytes)
		return bfo_stream_in_fail(&s->frames, BFO_ET_STREAM_DAMAGED,
					  "the tree ends too early");
	s->tree_bytes += f->head.bytes;
	bfo_hasher_add(&s->hasher, f->data, f->head.bytes);
	err = bfo_vec_reserve(buf, f->head.bytes);
	if (err)
		return no_memory(s, err);
	memcpy(buf->v + buf->n, f->data, f->head.bytes);
	buf->n += f->head.bytes;
	return 0;
}

static errcode_t finish_member(struct stream *s)
{
	errcode_t err = 0;

	if (s->row != BFO_NONE)
		err = bfo_intake_unwritten(&s->in, &s->unwritten, 1);
	s->unwritten.n = 0;
	return err;
}

/* What it has behind its end can be no further than byte END. */
static errcode_t check_reach(struct stream *s, uint64_t end)
{
	return end <= UINT32_MAX * (uint64_t) s->in.source.block_size ? 0 :
	       bfo_members_fail(&s->m, BFO_ET_STREAM_DAMAGED,
				"it reaches beyond what a file can have");
}

/*
 * A tree has the root first, and each directory before what is in it: so every other member has
 * brought one name, and nothing that was only implied.  (What --strip-components leaves is other.)
 */
static errcode_t check_place(struct stream *s)
{
	if (s->opt.strip || s->in.tree->names.n == s->m.count - 1)
		return 0;
	return bfo_members_fail(&s->m, BFO_ET_STREAM_DAMAGED, s->m.count == 1 ?
				"the first is not the root" :
				"it comes twice, or before its directory");
}

static errcode_t take_member(void *priv, const struct bfo_member *v)
{
	struct stream *s = priv;
	struct bfo_source *source = &s->in.source;
	errcode_t err = finish_member(s);

	if (!err)
		err = check_reach(s, v->data_end);
	if (!err && v->is_link && v->attrs.size)
		err = bfo_members_fail(&s->m, BFO_ET_STREAM_DAMAGED, "a hard link with a size");
	if (!err && s->m.count > s->frames.facts.members)
		err = bfo_members_fail(&s->m, BFO_ET_STREAM_DAMAGED,
				       "there are more than were declared");
	if (err)
		return err;
	s->member = *v;
	if (v->tells & BFO_TELLS_FLAGS)
		s->in.flags_told = FLAGS_TOLD;
	if (!(s->m.count % TELL_EVERY))
		bfo_progress_report(source->ctx, BFO_STAGE_INODES, s->m.count,
				    s->frames.facts.members, 0);
	bfo_placer_begin(&s->placer);
	err = bfo_catalog_add(s->catalog, &s->m, v, &s->row);
	if (err)
		return err == ENOMEM ? no_memory(s, err) : err;
	return check_place(s);
}

/* What comes is of a file, and of its first name. */
static errcode_t check_owner(struct stream *s)
{
	return s->opt.strip || (s->row != BFO_NONE && !s->member.is_link) ? 0 :
	       bfo_members_fail(&s->m, BFO_ET_STREAM_DAMAGED, "it is no file that has data");
}

static errcode_t take_part(void *priv, const struct bfo_piece *p)
{
	struct stream *s = priv;
	struct bfo_placed got;
	errcode_t err;

	if (p->len > s->frames.facts.data - s->data || s->n_parts == s->frames.facts.parts)
		return bfo_members_fail(&s->m, BFO_ET_STREAM_DAMAGED,
					"there are more data than were declared");
	err = check_owner(s);
	if (err)
		return err;
	if (s->frames.facts.block_size && p->at % s->frames.facts.block_size)
		return bfo_members_fail(&s->m, BFO_ET_STREAM_DAMAGED,
					"a part begins within a block");
	got = bfo_placer_put(&s->placer, p->at, p->len);
	err = bfo_vec_push(&s->parts, (struct part) { .byte = got.byte, .data = s->data });
	if (err)
		return no_memory(s, err);
	s->data += p->len;
	s->n_parts++;
	return got.blocks && s->row != BFO_NONE ?
	       bfo_intake_segment(&s->in, got.place, got.lblk, got.blocks, 0) : 0;
}

static errcode_t take_unwritten(void *priv, uint64_t at, uint64_t len)
{
	struct stream *s = priv;
	errcode_t err = check_owner(s);

	if (!err)
		err = check_reach(s, at + len);
	return err ? err : no_memory(s, bfo_ranges_append(&s->unwritten, at, len));
}

/* What follows the last member is the digest of the tree. */
static errcode_t check_tree(struct stream *s)
{
	const struct bfo_stream_facts *facts = &s->frames.facts;
	struct bfo_stream_frame *f = &s->frame;
	errcode_t err = bfo_stream_in_next(&s->frames, f);
	struct bfo_sums sums;

	if (err)
		return err;
	bfo_hasher_add(&s->hasher, s->frames.facts_bytes, sizeof(s->frames.facts_bytes));
	bfo_hasher_end(&s->hasher, &sums);
	memcpy(s->tree, sums.sha256, sizeof(s->tree));
	if (f->head.kind != BFO_STREAM_TREE_END)
		return bfo_stream_in_fail(&s->frames, BFO_ET_STREAM_DAMAGED,
					  "the tree does not end");
	if (f->head.bytes < sizeof(s->tree) || memcmp(f->data, s->tree, sizeof(s->tree)))
		return bfo_stream_in_fail(&s->frames, BFO_ET_STREAM_DAMAGED,
					  "the tree is not what its digest says");
	return s->tree_bytes == facts->tree && s->m.count == facts->members &&
	       s->data == facts->data && s->n_parts == facts->parts ? 0 :
	       bfo_stream_in_fail(&s->frames, BFO_ET_STREAM_DAMAGED,
				  "there is less than was declared");
}

static errcode_t take_end(void *priv, uint64_t mark, uint64_t byte)
{
	struct stream *s = priv;
	errcode_t err = finish_member(s);

	(void) mark;
	(void) byte;
	if (!err && !s->m.count)
		err = bfo_members_fail(&s->m, BFO_ET_STREAM_DAMAGED, "there is no root");
	if (!err && !bfo_frames_are_over(&s->m.frames))
		err = bfo_members_fail(&s->m, BFO_ET_STREAM_DAMAGED,
				       "something follows the last one");
	return err ? err : check_tree(s);
}

static errcode_t gather(struct stream *s)
{
	const struct bfo_members_sink sink = { .member = take_member, .part = take_part,
					       .unwritten = take_unwritten, .end = take_end,
					       .priv = s };
	struct bfo_source *source = &s->in.source;
	errcode_t err = bfo_catalog_open(&s->catalog, &s->in, s->opt.strip, s->opt.now);

	bfo_members_from(&s->m, source->ctx, s->tree_name, fill, s);
	s->row = BFO_NONE;
	if (!err)
		err = bfo_members_walk(&s->m, &sink);
	if (!err)
		err = bfo_catalog_end(s->catalog);
	if (!err)
		err = no_memory(s, bfo_vec_push(&s->parts, (struct part) {
					.byte = s->placer.next * source->block_size,
					.data = s->data }));
	bfo_members_stop(&s->m);
	bfo_catalog_close(s->catalog);
	s->catalog = NULL;
	bfo_vec_free(&s->unwritten);
	return err;
}

/* The digest of all begins with that of the tree, and with where it begins. */
static void begin_digest(struct stream *s)
{
	uint8_t first[4];

	put_le32(first, 0, s->frames.preamble.first);
	bfo_hasher_add(&s->hasher, s->tree, sizeof(s->tree));
	bfo_hasher_add(&s->hasher, first, sizeof(first));
	s->gone = (uint64_t) s->frames.preamble.first * BFO_STREAM_CHUNK;
}

/* (There is nothing that two files could claim.) */
static errcode_t stream_gather(struct bfo_source *source, struct bfo_tree *tree, int claims)
{
	struct stream *s = (struct stream *) source;
	uint32_t bs = s->frames.facts.block_size ? s->frames.facts.block_size : PLACE_BYTES;
	errcode_t err = bfo_intake_begin(&s->in, tree, bs);

	(void) claims;
	s->placer.block_size = bs;
	if (err)
		return no_memory(s, err);
	err = gather(s);
	if (err)
		return err;
	if (s->frames.preamble.warn & ~BFO_STREAM_KNOWN_WARN)
		err = no_memory(s, bfo_tree_found(tree, BFO_FOUND_STREAM, EXT2_ROOT_INO, 0));
	if (err)
		return err;
	source->unknown = s->frames.facts.unknown;
	source->stamp = get_le32(s->tree, 0);
	begin_digest(s);
	return 0;
}

/* ---- data ---- */

/* Data FROM to END, which are in the frame at hand, went by: small ones are kept. */
static errcode_t keep_passed(struct stream *s, uint64_t from, uint64_t end)
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
			err = bfo_vec_push(&s->passed, (struct passed) { .data = begin,
									 .at = s->text.n });
		if (err || !s->passed.n || s->passed.v[s->passed.n - 1].data != begin)
			continue;
		memcpy(s->text.v + s->text.n, s->frame.data + (low - s->frame.head.at), high - low);
		s->text.n += high - low;
	}
	return no_memory(s, err);
}

static uint64_t frame_end(const struct stream *s)
{
	return s->frame.head.at + s->frame.head.bytes;
}

static errcode_t next_frame(struct stream *s)
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

/* The frame at hand becomes the one with byte AT of all data. */
static errcode_t want_frame(struct stream *s, uint64_t at)
{
	errcode_t err = 0;

	if (s->has_frame && at >= s->frame.head.at && at < frame_end(s))
		return 0;
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
static errcode_t take_passed(struct stream *s, uint64_t at, size_t len, char *to)
{
	size_t i = bfo_vec_lower(&s->passed, data, at + 1);
	const struct passed *p = i ? &s->passed.v[i - 1] : NULL;
	size_t end = i < s->passed.n ? s->passed.v[i].at : s->text.n;

	if (!p || at - p->data + len > end - p->at)
		return bfo_fail(s->in.source.ctx, EPIPE, "reading %s: what has gone by is needed "
				"again", s->name);
	memcpy(to, s->text.v + p->at + (at - p->data), len);
	return 0;
}

/* Of a pipe: what lies before AT will not come again. */
static errcode_t pass(struct stream *s, uint64_t at)
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
static errcode_t read_data(struct stream *s, uint64_t at, uint64_t len, char *to)
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

/* Bytes FIRST to END, counted in places. */
static errcode_t fill_places(struct stream *s, uint64_t first, uint64_t end, char *to)
{
	size_t i = bfo_vec_lower(&s->parts, byte, first + 1);
	errcode_t err = 0;

	memset(to, 0, end - first);
	for (i -= i > 0; !err && i + 1 < s->parts.n && s->parts.v[i].byte < end; i++) {
		const struct part *p = &s->parts.v[i];
		uint64_t part_end = p->byte + (p[1].data - p->data);
		uint64_t from = p->byte > first ? p->byte : first;
		uint64_t until = part_end < end ? part_end : end;

		if (from < until)
			err = read_data(s, p->data + (from - p->byte), until - from,
					to + (from - first));
	}
	return err;
}

static errcode_t read_node(struct stream *s, const struct bfo_node *node,
			   const struct bfo_sink *sink)
{
	struct bfo_source *source = &s->in.source;
	uint64_t bs = source->block_size, blk = bfo_node_blk(node);
	uint32_t at, count;
	errcode_t err = 0;

	for (at = 0; at < node->len && !err; at += count) {
		char *to;

		count = node->len - at < PIECE / bs ? node->len - at : PIECE / bs;
		to = bfo_intake_place(&s->in, node, at, count, sink);
		if (!to)
			return no_memory(s, ENOMEM);
		bfo_pace_take(source->ctx->pace, count * bs);
		err = fill_places(s, (blk + at) * bs, (blk + at + count) * bs, to);
		source->requests++;
		source->blocks += count;
		if (!err)
			err = sink->take(sink->priv, node, at, count, to);
	}
	return err;
}

static errcode_t stream_read(struct bfo_source *source, const struct bfo_node *nodes, size_t n,
			     const struct bfo_sink *sink)
{
	struct stream *s = (struct stream *) source;
	errcode_t err = bfo_intake_read_memory(&s->in, nodes, &n, sink);
	size_t i;

	for (i = 0; i < n && !err; i++)
		err = read_node(s, &nodes[i], sink);
	return err;
}

/* ---- its end ---- */

/* The frame at hand has to be END, with the digest of all. */
static errcode_t check_end(struct stream *s)
{
	struct bfo_sums sums;

	if (s->frame.head.kind != BFO_STREAM_END)
		return bfo_stream_in_fail(&s->frames, BFO_ET_STREAM_DAMAGED,
					  "it does not end as it should");
	bfo_hasher_end(&s->hasher, &sums);
	return s->frame.head.bytes >= sizeof(sums.sha256) &&
	       !memcmp(s->frame.data, sums.sha256, sizeof(sums.sha256)) ? 0 :
	       bfo_stream_in_fail(&s->frames, BFO_ET_STREAM_DAMAGED,
				  "the data are not what their digest says");
}

static errcode_t check_file(struct stream *s)
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
static errcode_t read_on(struct stream *s)
{
	uint64_t at = ((uint64_t) s->frames.preamble.first + s->hashed) * BFO_STREAM_CHUNK;
	errcode_t err = 0;

	for (; !err && at < s->data; at += BFO_STREAM_CHUNK)
		err = want_frame(s, at);
	return err;
}

/* Of a file some of which was left out, no digest of all can be told. */
static errcode_t stream_settle(struct bfo_source *source)
{
	struct stream *s = (struct stream *) source;
	errcode_t err = s->frames.is_file ? check_file(s) : pass(s, s->data);

	if (!err && s->frames.is_file && !s->opt.path)
		err = read_on(s);
	if (err || (s->frames.is_file &&
		    s->frames.preamble.first + s->hashed < (s->data + BFO_STREAM_CHUNK - 1) /
		    BFO_STREAM_CHUNK))
		return err;
	if (s->frames.is_file)
		err = bfo_stream_in_seek(&s->frames, s->data + BFO_STREAM_CHUNK);
	if (!err && !(s->has_frame == 0 && s->frame.head.kind == BFO_STREAM_END))
		err = next_frame(s);
	return err ? err : check_end(s);
}

/* The part before PLACE may reach beyond it: its frame, at the latest. */
static uint32_t stream_mark(struct bfo_source *source, uint64_t place)
{
	const struct stream *s = (const struct stream *) source;
	uint64_t byte = place > s->placer.next ? UINT64_MAX : place * source->block_size;
	size_t i = bfo_vec_lower(&s->parts, byte, byte);
	uint64_t data = i < s->parts.n ? s->parts.v[i].data : s->data;

	if (i && i < s->parts.n && s->parts.v[i].byte != byte) {
		uint64_t ahead = s->parts.v[i].byte - byte;	/* at most so much of it is left */

		data -= ahead < data ? ahead : data;
	}
	return data / BFO_STREAM_CHUNK;
}

static void stream_close(struct bfo_source *source)
{
	struct stream *s = (struct stream *) source;

	bfo_quota_files_free(s->quota);
	bfo_stream_in_close(&s->frames);
	bfo_hasher_close(&s->hasher);
	bfo_intake_free(&s->in);
	bfo_vec_free(&s->parts);
	bfo_vec_free(&s->passed);
	bfo_vec_free(&s->text);
	if (s->is_ours && s->fd >= 0)
		close(s->fd);
	free(s->tree_name);
	free(s->name);
	free(s);
}

static const struct bfo_source_ops stream_ops = {
	.gather = stream_gather, .inodes = bfo_intake_inodes, .read = stream_read,
	.settle = stream_settle, .mark = stream_mark, .close = stream_close,
};

/* ---- opening ---- */

static errcode_t spool(struct stream *s)
{
	int file;
	errcode_t err = bfo_spool(s->in.source.ctx, s->fd, s->name, &file);

	if (err)
		return err;
	if (s->is_ours)
		close(s->fd);
	s->fd = file;
	s->is_ours = 1;
	return lseek(s->fd, 0, SEEK_SET) || fstat(s->fd, &s->before) ? no_memory(s, errno) : 0;
}

static errcode_t open_file(struct stream *s)
{
	struct bfo_context *ctx = s->in.source.ctx;

	if (s->opt.path) {
		s->is_ours = 1;
		s->fd = open(s->opt.path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	}
	if (s->fd < 0 || fstat(s->fd, &s->before))
		return bfo_fail(ctx, errno, "opening %s", s->name);
	if (S_ISDIR(s->before.st_mode))
		return bfo_fail(ctx, EISDIR, "opening %s", s->name);
	if (isatty(s->fd))
		return bfo_fail(ctx, EINVAL, "opening %s: it is a terminal", s->name);
	return s->opt.spool && !S_ISREG(s->before.st_mode) && !S_ISBLK(s->before.st_mode)
		       ? spool(s) : 0;
}

errcode_t bfo_stream_open(struct bfo_context *ctx, const struct bfo_stream_options *opt,
			  struct bfo_source **source)
{
	const char *name = opt->name ? opt->name : opt->path;
	struct stream *s = calloc(1, sizeof(*s));
	errcode_t err;

	*source = NULL;
	if (s)
		s->name = strdup(name);
	if (s && asprintf(&s->tree_name, "the tree of %s", name) < 0)
		s->tree_name = NULL;
	if (!s || !s->name || !s->tree_name) {
		if (s)
			free(s->name);
		free(s);
		return bfo_fail(ctx, ENOMEM, "opening %s", name);
	}
	s->in.source = (struct bfo_source) { .ops = &stream_ops, .ctx = ctx, .name = s->name,
					     .access = BFO_READ_ASCENDING, .is_at_hand = 1 };
	s->opt = *opt;
	s->fd = opt->path ? -1 : opt->fd;
	err = open_file(s);
	if (!err)
		err = bfo_hasher_open(&s->hasher, BFO_SUM_SHA256);
	if (!err)
		err = bfo_stream_in_open(&s->frames, ctx, s->name, s->fd);
	if (err) {
		stream_close(&s->in.source);
		return err;
	}
	*source = &s->in.source;
	return 0;
}

const struct bfo_stream_facts *bfo_stream_facts(const struct bfo_source *source)
{
	return &((const struct stream *) source)->frames.facts;
}

const uint8_t *bfo_stream_digest(const struct bfo_source *source)
{
	return ((const struct stream *) source)->tree;
}

int bfo_stream_is_pipe(const struct bfo_source *source)
{
	return !((const struct stream *) source)->frames.is_file;
}

errcode_t bfo_stream_refuse(struct bfo_source *source, const char *why)
{
	return bfo_stream_in_fail(&((struct stream *) source)->frames, BFO_ET_STREAM_DAMAGED, why);
}

errcode_t bfo_stream_next(struct bfo_source *source, enum bfo_stream_kind kind,
			  struct bfo_stream_frame *frame)
{
	struct stream *s = (struct stream *) source;
	errcode_t err = bfo_stream_in_next(&s->frames, frame);

	return err || frame->head.kind == kind ? err :
	       bfo_stream_refuse(source, "the tree is not followed by what should be there");
}

struct bfo_intake *bfo_stream_intake(struct bfo_source *source)
{
	return &((struct stream *) source)->in;
}
