// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream_tree.c - trees from streams
 *
 *   TREE ── bare members ── catalog ──> names, inodes
 *                     '──── places ───> segments, parts
 *
 * Here it is opened, and its tree gathered; stream_state.h says where the rest is.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "base/input.h"
#include "intake/member_check.h"
#include "intake/spool.h"
#include "intake/stream_state.h"

#define PLACE_BYTES 4096U		/* a block of a stream that does not say */
#define TELL_EVERY 1024U		/* members */
#define QUOTA_MOST (256U << 20)		/* bytes of limits of a type */

/* Flags that ext4 keeps, and that only our own streams and archives tell. */
#define FLAGS_TOLD (EXT2_NOCOMPR_FL | FS_NOCOW_FL | EXT4_CASEFOLD_FL | EXT4_VERITY_FL | \
		    EXT4_ENCRYPT_FL)

errcode_t bfo_stream_failed(struct bfo_stream_source *s, errcode_t err)
{
	return err ? bfo_fail(s->in.source.ctx, err, "reading %s", s->name) : 0;
}

/* ---- the tree ---- */

/* The frame at hand has a piece of a file of limits.  (What that says, its reader checks.) */
static errcode_t take_quota(struct bfo_stream_source *s)
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
		return bfo_stream_failed(s, ENOMEM);
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
	struct bfo_stream_source *s = priv;
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
		return bfo_stream_failed(s, err);
	memcpy(buf->v + buf->n, f->data, f->head.bytes);
	buf->n += f->head.bytes;
	return 0;
}

static errcode_t finish_member(struct bfo_stream_source *s)
{
	errcode_t err = 0;

	if (s->row != BFO_NONE)
		err = bfo_intake_unwritten(&s->in, &s->unwritten, 1);
	s->unwritten.n = 0;
	return err;
}

/* What it has behind its end can be no further than byte END. */
static errcode_t check_reach(struct bfo_stream_source *s, uint64_t end)
{
	return end <= UINT32_MAX * (uint64_t) s->in.source.block_size ? 0 :
	       bfo_members_fail(&s->m, BFO_ET_STREAM_DAMAGED,
				"it reaches beyond what a file can have");
}

/*
 * A tree has the root first, and each directory before what is in it: so every other member has
 * brought one name, and nothing that was only implied.  (What --strip-components leaves is other.)
 */
static errcode_t check_place(struct bfo_stream_source *s)
{
	if (s->opt.strip || s->in.tree->names.n == s->m.count - 1)
		return 0;
	return bfo_members_fail(&s->m, BFO_ET_STREAM_DAMAGED, s->m.count == 1 ?
				"the first is not the root" :
				"it comes twice, or before its directory");
}

static errcode_t take_member(void *priv, const struct bfo_member *v)
{
	struct bfo_stream_source *s = priv;
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
		return err == ENOMEM ? bfo_stream_failed(s, err) : err;
	return check_place(s);
}

/* What comes is of a file, and of its first name. */
static errcode_t check_owner(struct bfo_stream_source *s)
{
	return s->opt.strip || (s->row != BFO_NONE && !s->member.is_link) ? 0 :
	       bfo_members_fail(&s->m, BFO_ET_STREAM_DAMAGED, "it is no file that has data");
}

static errcode_t take_part(void *priv, const struct bfo_piece *p)
{
	struct bfo_stream_source *s = priv;
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
	err = bfo_vec_push(&s->parts, (struct bfo_stream_part) { .byte = got.byte,
								 .data = s->data });
	if (err)
		return bfo_stream_failed(s, err);
	s->data += p->len;
	s->n_parts++;
	return got.blocks && s->row != BFO_NONE ?
	       bfo_intake_segment(&s->in, got.place, got.lblk, got.blocks, 0) : 0;
}

static errcode_t take_unwritten(void *priv, uint64_t at, uint64_t len)
{
	struct bfo_stream_source *s = priv;
	errcode_t err = check_owner(s);

	if (!err)
		err = check_reach(s, at + len);
	return err ? err : bfo_stream_failed(s, bfo_ranges_append(&s->unwritten, at, len));
}

/* What follows the last member is the digest of the tree. */
static errcode_t check_tree(struct bfo_stream_source *s)
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
	struct bfo_stream_source *s = priv;
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

static errcode_t gather(struct bfo_stream_source *s)
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
		err = bfo_stream_failed(s, bfo_vec_push(&s->parts, (struct bfo_stream_part) {
					.byte = s->placer.next * source->block_size,
					.data = s->data }));
	bfo_members_stop(&s->m);
	bfo_catalog_close(s->catalog);
	s->catalog = NULL;
	bfo_vec_free(&s->unwritten);
	return err;
}

/* The digest of all begins with that of the tree, and with where it begins. */
static void begin_digest(struct bfo_stream_source *s)
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
	struct bfo_stream_source *s = (struct bfo_stream_source *) source;
	uint32_t bs = s->frames.facts.block_size ? s->frames.facts.block_size : PLACE_BYTES;
	errcode_t err = bfo_intake_begin(&s->in, tree, bs);

	(void) claims;
	s->placer.block_size = bs;
	if (err)
		return bfo_stream_failed(s, err);
	err = gather(s);
	if (err)
		return err;
	if (s->frames.preamble.warn & ~BFO_STREAM_KNOWN_WARN)
		err = bfo_stream_failed(s, bfo_tree_found(tree, BFO_FOUND_STREAM, EXT2_ROOT_INO,
							  0));
	if (err)
		return err;
	source->unknown = s->frames.facts.unknown;
	source->stamp = get_le32(s->tree, 0);
	begin_digest(s);
	return s->opt.damaged ? bfo_stream_look(s, tree) : 0;
}

static void stream_close(struct bfo_source *source)
{
	struct bfo_stream_source *s = (struct bfo_stream_source *) source;

	bfo_quota_files_free(s->quota);
	bfo_stream_in_close(&s->frames);
	bfo_hasher_close(&s->hasher);
	bfo_intake_free(&s->in);
	bfo_vec_free(&s->parts);
	bfo_vec_free(&s->passed);
	bfo_vec_free(&s->found);
	bfo_vec_free(&s->bad);
	bfo_vec_free(&s->damage.spots);
	bfo_vec_free(&s->text);
	if (s->is_ours && s->fd >= 0)
		close(s->fd);
	free(s->tree_name);
	free(s->name);
	free(s);
}

static const struct bfo_source_ops stream_ops = {
	.gather = stream_gather, .inodes = bfo_intake_inodes, .read = bfo_stream_read,
	.settle = bfo_stream_settle, .mark = bfo_stream_next_frame, .close = stream_close,
};

/* ---- opening ---- */

static errcode_t spool(struct bfo_stream_source *s)
{
	int file;
	errcode_t err = bfo_spool(s->in.source.ctx, s->fd, s->name, &file);

	if (err)
		return err;
	if (s->is_ours)
		close(s->fd);
	s->fd = file;
	s->is_ours = 1;
	return lseek(s->fd, 0, SEEK_SET) || fstat(s->fd, &s->before)
		       ? bfo_stream_failed(s, errno) : 0;
}

static errcode_t open_file(struct bfo_stream_source *s)
{
	struct bfo_context *ctx = s->in.source.ctx;
	errcode_t err = 0;

	if (s->opt.path) {
		s->is_ours = 1;
		err = bfo_input_open(ctx, s->opt.path, 0, &s->fd);
	}
	if (err)
		return bfo_fail(ctx, err, "opening %s", s->name);
	if (s->fd < 0 || fstat(s->fd, &s->before))
		return bfo_fail(ctx, errno, "opening %s", s->name);
	if (S_ISDIR(s->before.st_mode))
		return bfo_fail(ctx, EISDIR, "opening %s", s->name);
	if (isatty(s->fd))
		return bfo_fail(ctx, BFO_ET_OPTION, "opening %s: it is a terminal", s->name);
	return (s->opt.spool || s->opt.damaged) && !bfo_stream_in_is_file(s->fd) ? spool(s) : 0;
}

errcode_t bfo_stream_open(struct bfo_context *ctx, const struct bfo_stream_options *opt,
			  struct bfo_source **source)
{
	const char *name = opt->name ? opt->name : opt->path;
	struct bfo_stream_source *s = calloc(1, sizeof(*s));
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
	s->in.source.zeroes = opt->damaged != BFO_MEDIA_STOP;
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
	return &((const struct bfo_stream_source *) source)->frames.facts;
}

const uint8_t *bfo_stream_digest(const struct bfo_source *source)
{
	return ((const struct bfo_stream_source *) source)->tree;
}

int bfo_stream_is_pipe(const struct bfo_source *source)
{
	return !((const struct bfo_stream_source *) source)->frames.is_file;
}

const struct bfo_stream_damage *bfo_stream_damage(const struct bfo_source *source)
{
	return &((const struct bfo_stream_source *) source)->damage;
}

const struct bfo_stream_preamble *bfo_stream_preamble(const struct bfo_source *source)
{
	return &((const struct bfo_stream_source *) source)->frames.preamble;
}

const uint8_t *bfo_stream_end_digest(const struct bfo_source *source)
{
	const struct bfo_stream_source *s = (const struct bfo_stream_source *) source;

	return s->has_digest ? s->digest : NULL;
}

errcode_t bfo_stream_refuse(struct bfo_source *source, const char *why)
{
	struct bfo_stream_source *s = (struct bfo_stream_source *) source;

	return bfo_stream_in_fail(&s->frames, BFO_ET_STREAM_DAMAGED, why);
}

errcode_t bfo_stream_next(struct bfo_source *source, enum bfo_stream_kind kind,
			  struct bfo_stream_frame *frame)
{
	struct bfo_stream_source *s = (struct bfo_stream_source *) source;
	errcode_t err = bfo_stream_in_next(&s->frames, frame);

	return err || frame->head.kind == kind ? err :
	       bfo_stream_refuse(source, "the tree is not followed by what should be there");
}

struct bfo_intake *bfo_stream_intake(struct bfo_source *source)
{
	return &((struct bfo_stream_source *) source)->in;
}
