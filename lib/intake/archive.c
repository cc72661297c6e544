// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * archive.c - trees from tar and cpio archives
 *
 *               .── member ──> catalog ──────────> names, inodes
 *   first pass ─┤                                                 .── plain_tar ──> preadv(2)
 *               '── part ────> places ───────────> segments ──────┤
 *                                                                 '── second_pass ──> pipe
 *   only pass   ── part ────> where the data stay (gather/arrival.h)
 *
 * A tar without an end mark may have lost its last members, as all that is known of them stood
 * there: it is refused.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/input.h"
#include "intake/archive.h"
#include "intake/catalog.h"
#include "intake/member_check.h"
#include "intake/plain_tar.h"
#include "intake/second_pass.h"
#include "intake/spool.h"
#include "wire/stream.h"

#define PLACE_BYTES 4096U		/* a block of what is not addressed */
#define TELL_EVERY 1024U		/* members */

/* Flags that ext4 keeps, and that only our own archives tell. */
#define FLAGS_TOLD (EXT2_NOCOMPR_FL | FS_NOCOW_FL | EXT4_CASEFOLD_FL | EXT4_VERITY_FL | \
		    EXT4_ENCRYPT_FL)

#define TOLD_BY_SOME (BFO_UNKNOWN_ATIME | BFO_UNKNOWN_CTIME | BFO_UNKNOWN_CRTIME | \
		      BFO_UNKNOWN_FLAGS)

struct archive {
	struct bfo_intake in;		/* first: it begins with the source */
	struct bfo_archive_options opt;	/* its strings: only while it is opened */
	char *name;
	int fd, is_ours;
	struct stat before;
	struct bfo_parse parse;
	int is_plain;
	uint64_t largest;		/* bytes of its largest file, */
	uint64_t borders;		/* of all its parts, put together by "or" */
	struct bfo_plain_tar plain;
	struct bfo_second_pass second;

	/* while it is gathered: */
	struct bfo_members m;
	struct bfo_catalog *catalog;
	bfo_row row;			/* of the member at hand; BFO_NONE: nobody wants its data */
	struct bfo_member member;	/* its numbers; data behind its end are not wanted */
	int has_places;
	bfo_tar_extents extents;
	bfo_ranges unwritten;		/* of it, bytes */
	uint64_t end;			/* byte of the archive behind its data, */
	int in_record;			/* which stand in a record, that has an end of its own */
	bfo_chars small;		/* its content, if that is small, with zeroes behind it, */
	int has_small;			/* if some of it came */
	/* where data go that come once; NULL: they do not */
	const struct bfo_arrival *to;
};

/* ---- the first pass ---- */

/* All parts of the member at hand have come. */
static errcode_t finish_member(struct archive *a)
{
	errcode_t err = 0;

	if (a->is_plain && a->row != BFO_NONE)
		err = bfo_plain_tar_place(&a->plain, &a->in, &a->extents);
	if (!a->is_plain && a->has_small && a->row != BFO_NONE)
		err = bfo_intake_content(&a->in, a->small.v, a->member.attrs.size);
	if (a->to && a->has_places && a->row != BFO_NONE)
		err = bfo_intake_arrived(&a->in, a->to);
	if (!err && a->row != BFO_NONE)
		err = bfo_intake_unwritten(&a->in, &a->unwritten,
					   a->to ? a->to->cluster_blocks : 1);
	a->extents.n = a->unwritten.n = 0;
	if (a->has_small)
		memset(a->small.v, 0, a->small.n);
	a->has_small = 0;
	return err;
}

/* What at least one member tells is known. */
static void note_told(struct archive *a, const struct bfo_member *v)
{
	static const struct { uint32_t tells, unknown; } rows[] = {
		{ BFO_TELLS_GENERATION, BFO_UNKNOWN_GENERATION },
		{ BFO_TELLS_VERSION, BFO_UNKNOWN_VERSION },
		{ BFO_TELLS_PROJECT, BFO_UNKNOWN_PROJECT },
		{ BFO_TELLS_FLAGS, BFO_UNKNOWN_FLAGS },
		{ BFO_TELLS_HOLES, BFO_UNKNOWN_HOLES },
	};
	uint32_t told = v->attrs.flags ? BFO_UNKNOWN_FLAGS : 0;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		told |= v->tells & rows[i].tells ? rows[i].unknown : 0;
	if (v->tells & BFO_TELLS_FLAGS)
		a->in.flags_told = FLAGS_TOLD;
	if (v->times & 1 << BFO_ATIME)
		told |= BFO_UNKNOWN_ATIME;
	if (v->times & 1 << BFO_CTIME)
		told |= BFO_UNKNOWN_CTIME;
	if (v->times & 1 << BFO_CRTIME)
		told |= BFO_UNKNOWN_CRTIME;
	a->in.source.unknown &= ~told;
}

/* Data of the member at hand will not come again. */
static errcode_t announce(struct archive *a)
{
	if (a->member.attrs.flags & EXT4_VERITY_FL &&
	    a->member.home_block_size > a->to->verity_blocks)
		a->member.data_end = bfo_member_body_end(&a->member);
	a->has_places = a->member.data_end > a->to->small;
	return a->row != BFO_NONE && a->has_places
		       ? a->to->begin(a->to->priv, a->member.data_end) : 0;
}

static int has_data(const struct bfo_member *v)
{
	return S_ISREG(v->attrs.mode) && !v->is_link && v->data_end;
}

/* Where the next header is, behind the data of the member at hand. */
static uint64_t next_header(const struct archive *a)
{
	return (a->end + a->in_record + BFO_TAR_BLOCK - 1) / BFO_TAR_BLOCK * BFO_TAR_BLOCK;
}

/* What the member at hand has behind its end can be no further than byte END. */
static errcode_t check_reach(struct archive *a, uint64_t end)
{
	uint64_t most = UINT32_MAX * (uint64_t) (a->to ? a->to->block_size : PLACE_BYTES);

	return end <= most ? 0 : bfo_members_fail(&a->m, BFO_ET_DAMAGED,
						  "it reaches beyond what a file can have");
}

static errcode_t take_member(void *priv, const struct bfo_member *v)
{
	struct archive *a = priv;
	struct bfo_source *s = &a->in.source;
	errcode_t err = finish_member(a);

	a->largest = v->data_end > a->largest ? v->data_end : a->largest;
	if (!err && a->is_plain && (v->header < a->end || v->data <= v->header))
		err = bfo_members_fail(&a->m, BFO_ET_DAMAGED,
				       "it begins within the data of the member before");
	if (!err && a->is_plain && has_data(&a->member) && v->header != next_header(a))
		err = bfo_members_fail(&a->m, BFO_ET_DAMAGED,
				       "the member before has more data than its map says");
	if (!err && v->data_end > v->attrs.size)
		err = check_reach(a, v->data_end);
	if (err)
		return err;
	a->member = *v;
	a->end = v->data;
	a->in_record = 0;
	note_told(a, v);
	if (!(a->m.count % TELL_EVERY))
		bfo_progress_report(s->ctx, BFO_STAGE_INODES, a->m.count, 0, 0);
	err = bfo_catalog_add(a->catalog, &a->m, v, &a->row);
	if (!err && a->to)
		err = announce(a);
	else if (!err && !a->is_plain)
		a->has_places = bfo_second_pass_note(&a->second, v, &err);
	return err == ENOMEM ? bfo_fail(s->ctx, err, "reading %s", s->name) : err;
}

/* Of a tar that is addressed: where it says that data are has to be in the file. */
static errcode_t take_extent(struct archive *a, const struct bfo_piece *part)
{
	struct bfo_tar_extent x = { .at = part->at, .len = part->len,
				    .byte = part->place ? part->place : a->end };
	errcode_t err;

	if (x.byte < a->end)
		return bfo_members_fail(&a->m, BFO_ET_DAMAGED,
					"its data begin within what is before them");
	if (x.byte > a->plain.size || x.len > a->plain.size - x.byte)
		return bfo_members_fail(&a->m, BFO_ET_DAMAGED,
					"the archive ends within its data; it is truncated");
	a->end = x.byte + x.len;
	a->in_record = part->place > 0;
	err = bfo_vec_push(&a->extents, x);
	return err ? bfo_fail(a->in.source.ctx, err, "reading %s", a->in.source.name) : 0;
}

/* Where a part begins and ends, as far as that counts: not at the end of the file. */
static void note_borders(struct archive *a, uint64_t at, uint64_t len)
{
	if (a->member.tells & BFO_TELLS_HOLES)
		a->borders |= at | (at + len == a->member.attrs.size ? 0 : at + len);
}

static errcode_t take_unwritten(void *priv, uint64_t at, uint64_t len)
{
	struct archive *a = priv;
	errcode_t err = check_reach(a, at + len);

	if (err)
		return err;
	a->largest = at + len > a->largest ? at + len : a->largest;
	note_borders(a, at, len);
	err = bfo_ranges_append(&a->unwritten, at, len);
	return err ? bfo_fail(a->in.source.ctx, err, "reading %s", a->in.source.name) : 0;
}

static errcode_t take_part(void *priv, const struct bfo_piece *part)
{
	struct archive *a = priv;
	uint64_t at = part->at, len = part->len;
	const void *data = part->data;
	struct bfo_placed got;

	note_borders(a, at, len);
	if (a->is_plain)
		return take_extent(a, part);
	if (a->to)
		bfo_pace_take(a->in.source.ctx->pace, len);
	if (a->to && (a->row == BFO_NONE || at >= a->member.data_end))
		return 0;
	if (a->to && a->has_places && data)
		return a->to->part(a->to->priv, at, data, len);
	if (a->has_places && !a->to) {
		got = bfo_second_pass_note_part(&a->second, at, len);
		return a->row == BFO_NONE || !got.blocks
			       ? 0
			       : bfo_intake_segment(&a->in, got.place, got.lblk, got.blocks, 0);
	}
	if (!data || at > a->small.n || len > a->small.n - at)
		return bfo_members_fail(&a->m, BFO_ET_DAMAGED, "data that were not asked for");
	memcpy(a->small.v + at, data, len);
	a->has_small = 1;
	return 0;
}

static errcode_t take_end(void *priv, uint64_t mark, uint64_t byte)
{
	struct archive *a = priv;
	struct bfo_source *s = &a->in.source;
	errcode_t err = finish_member(a);

	if (err || a->parse.cpio)
		return err;
	if (a->is_plain && mark < a->end)
		return bfo_members_fail(&a->m, BFO_ET_DAMAGED, "the archive ends within its data");
	if (a->is_plain && has_data(&a->member) && mark != next_header(a))
		return bfo_members_fail(&a->m, BFO_ET_DAMAGED,
				       "it has more data than its map says");
	if (byte < mark + BFO_TAR_BLOCK)
		return bfo_fail(s->ctx, BFO_ET_DAMAGED,
				"reading what follows member %s, at byte %llu of %s: there is no end "
				"mark; it may be truncated",
				a->m.path, (unsigned long long) mark, s->name);
	return 0;
}

static errcode_t first_pass(struct archive *a)
{
	struct bfo_members_sink sink = { .member = take_member, .part = take_part,
					 .unwritten = take_unwritten, .end = take_end,
					 .priv = a };
	struct bfo_source *s = &a->in.source;
	errcode_t err;

	err = bfo_catalog_open(&a->catalog, &a->in, a->opt.strip, a->opt.now);
	if (!err)
		err = a->opt.begin(&a->m, s->ctx, s->name, &a->parse);
	if (!err)
		err = bfo_members_walk(&a->m, &sink);
	if (!err)
		err = bfo_catalog_end(a->catalog);
	bfo_members_stop(&a->m);
	bfo_catalog_close(a->catalog);
	a->catalog = NULL;
	bfo_vec_free(&a->extents);
	bfo_vec_free(&a->unwritten);
	return err;
}

/* ---- the source ---- */

/* Begins TREE with blocks of BLOCK_SIZE bytes; contents up to SMALL bytes stay in memory. */
static errcode_t begin(struct archive *a, struct bfo_tree *tree, uint32_t block_size,
		       uint32_t small)
{
	struct bfo_source *s = &a->in.source;
	errcode_t err = bfo_intake_begin(&a->in, tree, block_size);

	if (!err)
		err = bfo_vec_reserve(&a->small, small + 1);	/* never a null array */
	if (err)
		return bfo_fail(s->ctx, err, "reading %s", s->name);
	a->small.n = small;
	memset(a->small.v, 0, small);
	a->row = BFO_NONE;
	s->unknown = BFO_UNKNOWN_GENERATION | BFO_UNKNOWN_VERSION | BFO_UNKNOWN_PROJECT |
		     BFO_UNKNOWN_HOLES | TOLD_BY_SOME;
	return 0;
}

static errcode_t gather_by(struct archive *a, struct bfo_tree *tree, uint32_t block_size)
{
	errcode_t err = begin(a, tree, block_size, BFO_ARCHIVE_SMALL);

	bfo_second_pass_begin(&a->second, &a->parse, a->opt.begin, block_size);
	return err ? err : first_pass(a);
}

/* Nothing of a first pass is left. */
static void forget(struct archive *a, struct bfo_tree *tree)
{
	struct bfo_source s = a->in.source;
	int keep_map_blocks = tree->keep_map_blocks;

	bfo_intake_free(&a->in);
	a->in = (struct bfo_intake) { .source = s };
	bfo_second_pass_free(&a->second);
	bfo_plain_tar_free(&a->plain);
	a->plain.placer = (struct bfo_placer) { .next = 0 };
	a->end = a->borders = a->largest = 0;
	a->member = (struct bfo_member) { .path = NULL };
	bfo_tree_free(tree);
	tree->keep_map_blocks = keep_map_blocks;
}

/*
 * Blocks that can count its largest file.  Where they can, and it tells of holes, all of these
 * begin and end at whole ones.
 */
static uint32_t wanted_blocks(const struct archive *a)
{
	int is_large = a->largest > UINT32_MAX * (uint64_t) BFO_TAR_BLOCK;
	uint32_t bs = a->is_plain && !is_large ? BFO_TAR_BLOCK : PLACE_BYTES;

	while (bs > BFO_TAR_BLOCK && a->borders % bs)
		bs /= 2;
	while (bs < PLACE_BYTES && a->largest > UINT32_MAX * (uint64_t) bs)
		bs *= 2;
	return bs;
}

/* (There is nothing that two files could claim.) */
static errcode_t archive_gather(struct bfo_source *s, struct bfo_tree *tree, int claims)
{
	struct archive *a = (struct archive *) s;
	uint32_t bs = wanted_blocks(a), again;
	errcode_t err = gather_by(a, tree, bs);

	(void) claims;
	again = wanted_blocks(a);
	if (again == bs || (err && !a->is_plain))
		return err;
	forget(a, tree);
	return gather_by(a, tree, again);
}

static errcode_t archive_arrive(struct bfo_source *s, struct bfo_tree *tree,
				const struct bfo_arrival *to)
{
	struct archive *a = (struct archive *) s;
	errcode_t err = begin(a, tree, to->block_size, to->small);

	a->to = to;
	if (!err)
		err = first_pass(a);
	a->to = NULL;
	return err;
}

static errcode_t archive_read(struct bfo_source *s, const struct bfo_node *nodes, size_t n,
			      const struct bfo_sink *sink)
{
	struct archive *a = (struct archive *) s;
	errcode_t err = bfo_intake_read_memory(&a->in, nodes, &n, sink);

	if (err || !n)
		return err;
	assert(s->access != BFO_READ_ARRIVING);
	return a->is_plain ? bfo_plain_tar_read(&a->plain, &a->in, nodes, n, sink)
			   : bfo_second_pass_read(&a->second, &a->in, nodes, n, sink);
}

static int is_same(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static errcode_t archive_settle(struct bfo_source *s)
{
	struct archive *a = (struct archive *) s;
	struct stat now;

	if (s->access == BFO_READ_ARRIVING)
		return 0;
	if (fstat(a->fd, &now))
		return bfo_fail(s->ctx, errno, "reading %s", s->name);
	if (now.st_size != a->before.st_size || !is_same(&now.st_mtim, &a->before.st_mtim) ||
	    !is_same(&now.st_ctim, &a->before.st_ctim))
		return bfo_fail(s->ctx, BFO_ET_CHANGED, "reading %s", s->name);
	return 0;
}

static void archive_close(struct bfo_source *s)
{
	struct archive *a = (struct archive *) s;

	bfo_second_pass_free(&a->second);
	bfo_plain_tar_free(&a->plain);
	bfo_intake_free(&a->in);
	bfo_vec_free(&a->small);
	if (a->is_ours && a->fd >= 0)
		close(a->fd);
	free(a->name);
	free(a);
}

static const struct bfo_source_ops archive_ops = {
	.gather = archive_gather, .arrive = archive_arrive, .inodes = bfo_intake_inodes,
	.read = archive_read,
	.settle = archive_settle, .close = archive_close,
};

/* ---- opening ---- */

/* What comes out of a->fd goes to a file, which takes its place. */
static errcode_t spool(struct archive *a)
{
	struct bfo_source *s = &a->in.source;
	int file;
	errcode_t err = bfo_spool(s->ctx, a->fd, s->name, &file);

	if (err)
		return err;
	if (a->is_ours)
		close(a->fd);
	a->fd = file;
	a->is_ours = 1;
	return fstat(a->fd, &a->before) ? bfo_fail(s->ctx, errno, "opening %s", s->name) : 0;
}

/* True if it can be read anywhere, from its first byte on. */
static int is_file(const struct archive *a)
{
	return (S_ISREG(a->before.st_mode) || S_ISBLK(a->before.st_mode)) &&
	       (a->opt.path || !lseek(a->fd, 0, SEEK_CUR));
}

static errcode_t open_file(struct archive *a)
{
	const struct bfo_archive_options *opt = &a->opt;
	struct bfo_source *s = &a->in.source;
	errcode_t err = 0;

	if (opt->path) {
		a->is_ours = 1;
		err = bfo_input_open(s->ctx, opt->path, 0, &a->fd);
	}
	if (err)
		return bfo_fail(s->ctx, err, "opening %s", s->name);
	if (a->fd < 0 || fstat(a->fd, &a->before))
		return bfo_fail(s->ctx, errno, "opening %s", s->name);
	if (S_ISDIR(a->before.st_mode))
		return bfo_fail(s->ctx, EISDIR, "opening %s", s->name);
	if (isatty(a->fd))
		return bfo_fail(s->ctx, BFO_ET_OPTION, "opening %s: it is a terminal", s->name);
	if (is_file(a))
		return 0;
	if (opt->spool)
		return spool(a);
	s->access = BFO_READ_ARRIVING;
	return opt->arrives ? 0 : bfo_fail(s->ctx, ESPIPE, "opening %s", s->name);
}

/* Nobody can look ahead: what it is, its parser will find out. */
static void choose_stream(struct archive *a)
{
	a->parse = (struct bfo_parse) {
		.in = a->fd, .filters = 1, .tar = a->opt.kind != BFO_ARCHIVE_CPIO,
		.cpio = a->opt.kind != BFO_ARCHIVE_TAR, .data = BFO_PARSE_ALL,
	};
}

static int is_stream(const struct archive *a)
{
	char magic[BFO_STREAM_MAGIC_BYTES];

	return pread(a->fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	       !memcmp(magic, BFO_STREAM_MAGIC, sizeof(magic));
}

/* What it is, and so how it is read. */
static errcode_t choose(struct archive *a)
{
	enum bfo_archive_kind found = bfo_archive_probe(a->fd);
	enum bfo_archive_kind kind = a->opt.kind ? a->opt.kind : found;
	struct bfo_source *s = &a->in.source;
	int is_compressed = found == BFO_ARCHIVE_COMPRESSED;
	off_t size = lseek(a->fd, 0, SEEK_END);

	if (kind == BFO_ARCHIVE_NONE)
		return bfo_fail(s->ctx, BFO_ET_NOT_ARCHIVE, "opening %s%s", s->name,
				is_stream(a) ? ": it is a stream; 'stream:' before its name says so"
					     : "");
	if (size < 0 || lseek(a->fd, 0, SEEK_SET))
		return bfo_fail(s->ctx, errno, "opening %s", s->name);
	a->parse = (struct bfo_parse) {
		.in = a->fd, .is_file = 1, .filters = is_compressed, .small = BFO_ARCHIVE_SMALL,
		.tar = kind != BFO_ARCHIVE_CPIO, .cpio = kind != BFO_ARCHIVE_TAR,
		.data = BFO_PARSE_EXTENTS,
	};
	a->is_plain = kind == BFO_ARCHIVE_TAR && !is_compressed;
	if (a->is_plain)
		a->parse.data = BFO_PARSE_PLACES;
	a->plain.fd = a->fd;
	a->plain.size = size;
	s->access = a->is_plain ? BFO_READ_ANYWHERE : BFO_READ_ASCENDING;
	return 0;
}

errcode_t bfo_archive_open(struct bfo_context *ctx, const struct bfo_archive_options *opt,
			   struct bfo_source **source)
{
	const char *name = opt->name ? opt->name : opt->path;
	struct archive *a = calloc(1, sizeof(*a));
	errcode_t err = 0;

	*source = NULL;
	if (a)
		a->name = strdup(name);
	if (!a || !a->name) {
		free(a);
		return bfo_fail(ctx, ENOMEM, "opening %s", name);
	}
	/* (One file, which the kernel reads ahead: short ways back and forth cost nothing.) */
	a->in.source = (struct bfo_source) { .ops = &archive_ops, .ctx = ctx, .name = a->name,
					     .is_at_hand = 1 };
	a->opt = *opt;
	if (!a->opt.begin)
		a->opt.begin = bfo_members_start;
	a->fd = opt->path ? -1 : opt->fd;
	if (!bfo_parse_is_built())
		err = bfo_fail(ctx, BFO_ET_NO_LIBARCHIVE, "opening %s", name);
	if (!err)
		err = open_file(a);
	if (!err && a->in.source.access == BFO_READ_ARRIVING)
		choose_stream(a);
	else if (!err)
		err = choose(a);
	if (err) {
		archive_close(&a->in.source);
		return err;
	}
	*source = &a->in.source;
	return 0;
}
