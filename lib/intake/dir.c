// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dir.c - a tree from a directory of a mounted filesystem
 *
 *   walk ──> inodes, names; segments that begin at 0 in each file
 *   metadata ──> what a file says of them
 *   place ──> files sorted by where they begin on their device; each gets a row of places
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "intake/dir_state.h"
#include "tree/access.h"

#define BLOCK_MIN 1024U
#define BLOCK_MAX 4096U

/* ---- places ---- */

/* A file with data.  What FIEMAP tells nothing about comes first, by its inode's number. */
struct located {
	uint32_t class;			/* device << 1 | FIEMAP told where */
	uint32_t hi, lo;		/* that, or the inode's number */
	bfo_row row;
};

typedef BFO_VEC(struct located) located_files;

static errcode_t list_files(const struct bfo_dir *d, located_files *files)
{
	const struct bfo_tree *t = d->in.tree;
	errcode_t err = 0;
	bfo_row row;

	for (row = 0; row < t->inodes.n && !err; row++) {
		const struct bfo_dir_inode *mine = &d->inodes.v[row];

		if (S_ISREG(t->inodes.v[row].mode) && bfo_seg_count(t, &t->inodes.v[row]))
			err = bfo_vec_push(files, (struct located) { .row = row,
					   .class = mine->device << 1 | mine->is_placed,
					   .hi = mine->start >> 32, .lo = mine->start });
	}
	return err;
}

/* The segments of ROW begin at logical blocks so far: now at places from START on, up to *END. */
static void place_file(struct bfo_dir *d, bfo_row row, uint64_t start, uint64_t *end)
{
	const struct bfo_inode *rec = &d->in.tree->inodes.v[row];
	struct bfo_seg *seg = bfo_seg_of(d->in.tree, rec, 0);
	struct bfo_seg *last = seg + bfo_seg_count(d->in.tree, rec);

	d->inodes.v[row].start = start;
	for (; seg < last; seg++) {
		seg->blk += start;
		*end = start + seg->lblk + seg->len;
	}
}

static errcode_t place_files(struct bfo_dir *d)
{
	located_files files = { 0 };
	uint64_t start = 0;
	errcode_t err = list_files(d, &files);
	size_t i;

	if (!err)
		err = bfo_vec_reserve(&d->places, files.n);
	if (!err)
		bfo_sort(files.v, files.n, sizeof(*files.v), sizeof(*files.v) / sizeof(uint32_t));
	for (i = 0; i < files.n && !err; i++) {
		if (start >= BFO_PLACE_MEMORY - UINT32_MAX)
			err = BFO_ET_OVERFLOW;
		place_file(d, files.v[i].row, start, &start);
		d->places.v[d->places.n++] = files.v[i].row;
	}
	bfo_vec_free(&files);
	return err;
}

/* ---- the source ---- */

#define TOLD_BY_SOME (BFO_UNKNOWN_CRTIME | BFO_UNKNOWN_GENERATION | BFO_UNKNOWN_FLAGS | \
		      BFO_UNKNOWN_PROJECT)

/* Nothing of it is looked at but the root; what is read later tells whether it has changed. */
static errcode_t gather_kept(struct bfo_dir *d, struct bfo_tree *tree)
{
	struct bfo_context *ctx = d->in.source.ctx;
	errcode_t err = bfo_dir_kept_gather(d, tree);

	if (!err)
		err = place_files(d);
	return err && !*ctx->what ? bfo_fail(ctx, err, "reading %s", d->opt.kept) : err;
}

static errcode_t gather(struct bfo_source *s, struct bfo_tree *tree, int claims)
{
	struct bfo_dir *d = (struct bfo_dir *) s;
	errcode_t err;

	(void) claims;			/* of what is mounted, its kernel takes care */
	bfo_what_clear(s->ctx);
	if (d->kept)
		return gather_kept(d, tree);
	err = bfo_intake_begin(&d->in, tree, s->block_size);
	if (!err)
		err = bfo_dir_walk(d);
	if (!err && d->metadata >= 0)
		err = bfo_dir_metadata(d);
	if (!err)
		err = place_files(d);
	if (!err)
		err = bfo_intake_end(&d->in);
	if (!err)
		bfo_dir_look(d);
	free(d->links);
	d->links = NULL;
	bfo_vec_free(&d->unwritten);
	s->unknown = BFO_UNKNOWN_VERSION | BFO_UNKNOWN_LINK_ATIME | TOLD_BY_SOME;
	if (d->notes.touched)		/* whoever has read it before has changed them */
		s->unknown |= BFO_UNKNOWN_ATIME;
	s->unknown &= ~d->told;
	if (err && !*s->ctx->what)
		bfo_fail(s->ctx, err, "reading %s", d->path);
	return err;
}

/* What has changed is among the findings already. */
static errcode_t settle(struct bfo_source *s)
{
	(void) s;
	return 0;
}

static void close_source(struct bfo_source *s)
{
	struct bfo_dir *d = (struct bfo_dir *) s;

	if (d->kept)
		d->kept->ops->close(d->kept);
	free(d->kept_path);
	free(d->job);
	bfo_intake_free(&d->in);
	bfo_dir_fds_free(d);
	bfo_vec_free(&d->inodes);
	bfo_vec_free(&d->devices);
	bfo_vec_free(&d->places);
	bfo_vec_free(&d->set);
	bfo_vec_free(&d->values);
	bfo_vec_free(&d->unwritten);
	free(d->links);
	free(d->buffer);
	if (d->root >= 0)
		close(d->root);
	if (d->metadata >= 0)
		close(d->metadata);
	free(d->path);
	free(d->metadata_path);
	free(d);
}

static errcode_t inodes(struct bfo_source *s, const uint32_t *inos, size_t n, bfo_take_inode take,
			bfo_lose_inodes lose, void *priv)
{
	struct bfo_intake *in = bfo_dir_intake((struct bfo_dir *) s);

	return bfo_intake_inodes(&in->source, inos, n, take, lose, priv);
}

static const struct bfo_source_ops ops = {
	.gather = gather, .inodes = inodes, .read = bfo_dir_read, .settle = settle,
	.close = close_source,
};

static uint32_t block_size_of(int fd)
{
	uint32_t size = BLOCK_MIN;
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return BLOCK_MAX;
	while (size < BLOCK_MAX && size < (uint64_t) fs.f_bsize)
		size *= 2;
	return size;
}

static errcode_t open_root(struct bfo_dir *d)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC;

	d->root = open(d->path, flags | O_NOATIME);
	if (d->root < 0 && errno == EPERM)
		d->root = open(d->path, flags);
	if (d->root < 0)
		return errno == ENOTDIR ? BFO_ET_NOT_DIR : errno;
	d->in.source.block_size = d->opt.block_size ? d->opt.block_size : block_size_of(d->root);
	return 0;
}

static errcode_t open_metadata(struct bfo_context *ctx, struct bfo_dir *d)
{
	const char *path = d->opt.metadata;

	if (!path)
		return 0;
	d->metadata_path = strdup(path);
	d->opt.metadata = d->metadata_path;
	if (d->metadata_path)
		d->metadata = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return d->metadata >= 0 ? 0 :
	       bfo_fail(ctx, d->metadata_path ? errno : ENOMEM, "opening %s", path);
}

errcode_t bfo_dir_open(struct bfo_context *ctx, const struct bfo_dir_options *opt,
		       struct bfo_source **source)
{
	struct bfo_dir *d = calloc(1, sizeof(*d));
	errcode_t err = 0;

	if (!d)
		return bfo_fail(ctx, ENOMEM, "opening %s", opt->path);
	d->root = d->metadata = -1;
	d->opt = *opt;
	d->path = strdup(opt->path);
	d->buffer = malloc(BFO_DIR_BUFFER);
	d->in.source = (struct bfo_source) { .ops = &ops, .ctx = ctx, .name = d->path,
					     .access = BFO_READ_ANYWHERE, .zeroes = opt->zeroes };
	if (!d->path || !d->buffer)
		err = ENOMEM;
	if (!err)
		err = bfo_dir_fds_init(d);
	if (!err)
		err = open_root(d);
	if (err)
		bfo_fail(ctx, err, "opening %s", opt->path);
	else
		err = open_metadata(ctx, d);
	if (!err)
		err = bfo_dir_kept_open(d);
	if (err) {
		close_source(&d->in.source);
		return err;
	}
	d->opt.path = d->path;
	*source = &d->in.source;
	return 0;
}

struct bfo_dir_notes bfo_dir_notes(const struct bfo_source *source)
{
	const struct bfo_dir *d = (const struct bfo_dir *) source;
	const struct bfo_tree *t = d->in.tree;
	struct bfo_dir_notes notes = d->notes;
	struct statvfs st;
	size_t i;

	for (i = 0; t && i < d->in.shelf.n; i++)
		notes.links += S_ISLNK(t->inodes.v[i].mode);
	if (!fstatvfs(d->root, &st) && st.f_flag & (ST_NOATIME | ST_RDONLY))
		notes.touched = notes.links = 0;
	notes.out_of_time = d->in.out_of_time;
	return notes;
}
