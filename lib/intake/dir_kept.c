// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dir_kept.c - a tree that an earlier run has kept, whose contents are still in their directory
 *
 *   file ── stream_tree ──> tree, raw inodes, targets of links
 *     '──── KEPT ─────────> where the directory and each file was, and their times
 *
 * The file is a stream up to the end of its tree, so the reader of streams reads it.
 * Nothing in it is trusted: names are those of one component, and a file is read only if it is the
 * one that was there (dir_read.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "intake/dir_state.h"
#include "intake/stream_tree.h"
#include "tree/access.h"

struct bfo_intake *bfo_dir_intake(struct bfo_dir *d)
{
	return d->kept ? bfo_stream_intake(d->kept) : &d->in;
}

errcode_t bfo_dir_kept_open(struct bfo_dir *d)
{
	const struct bfo_stream_options how = { .path = d->opt.kept };

	if (!d->opt.kept)
		return 0;
	d->kept_path = strdup(d->opt.kept);
	d->job = strdup(d->opt.job);
	if (!d->kept_path || !d->job)
		return bfo_fail(d->in.source.ctx, ENOMEM, "opening %s", d->opt.kept);
	d->opt.kept = d->kept_path;
	d->opt.job = d->job;
	return bfo_stream_open(d->in.source.ctx, &how, &d->kept);
}

/* All KEPT bytes there have to be: the text, and so many records. */
static errcode_t take_bytes(struct bfo_dir *d, size_t records, bfo_chars *bytes)
{
	struct bfo_stream_frame f;
	size_t whole = BFO_STREAM_KEPT_HEAD;
	errcode_t err = 0;

	while (!err && bytes->n < whole) {
		err = bfo_stream_next(d->kept, BFO_STREAM_KEPT, &f);
		if (!err)
			err = bfo_vec_reserve(bytes, f.head.bytes);
		if (err)
			break;
		memcpy(bytes->v + bytes->n, f.data, f.head.bytes);
		bytes->n += f.head.bytes;
		if (bytes->n < BFO_STREAM_KEPT_HEAD)
			return bfo_stream_refuse(d->kept, "what it was made with is cut");
		whole = BFO_STREAM_KEPT_HEAD + (size_t) get_le32(bytes->v, 0) +
			records * BFO_STREAM_KEPT_BYTES;
	}
	return err || bytes->n == whole ? err :
	       bfo_stream_refuse(d->kept, "it has more files than its tree");
}

static errcode_t check_job(struct bfo_dir *d, const bfo_chars *bytes)
{
	uint32_t len = get_le32(bytes->v, 0);

	return len == strlen(d->opt.job) &&
	       !memcmp(bytes->v + BFO_STREAM_KEPT_HEAD, d->opt.job, len) ? 0 :
	       bfo_fail(d->in.source.ctx, BFO_ET_OPTION, "opening %s: it was made "
				      "with other options, which say what is sent: give the same "
				      "again", d->opt.kept);
}

/* Number of the device in d->devices: *INDEX, which is that of the inode before. */
static errcode_t number_device(struct bfo_dir *d, const struct bfo_stream_kept *k, uint32_t *index)
{
	uint32_t i = *index;

	if (i < d->devices.n && d->devices.v[i].major == k->major &&
	    d->devices.v[i].minor == k->minor)
		return 0;
	for (i = 0; i < d->devices.n; i++)
		if (d->devices.v[i].major == k->major && d->devices.v[i].minor == k->minor)
			break;
	*index = i;
	return i < d->devices.n ? 0 :
	       bfo_vec_push(&d->devices, (struct bfo_dir_device) { .major = k->major,
								   .minor = k->minor });
}

static errcode_t take_records(struct bfo_dir *d, const uint8_t *at, size_t n)
{
	struct bfo_stream_kept k;
	uint32_t device = 0;
	errcode_t err = 0;

	for (; !err && n--; at += BFO_STREAM_KEPT_BYTES) {
		bfo_stream_get_kept(at, &k);
		err = number_device(d, &k, &device);
		if (!err)
			err = bfo_vec_push(&d->inodes, (struct bfo_dir_inode) {
				.ino = k.ino, .start = k.ino, .stamp = k.stamp, .device = device });
	}
	return err;
}

/* It is opened below its directory by this name. */
static int is_component(const char *name, size_t len)
{
	return len && len < BFO_DIR_NAME_BYTES && !memchr(name, '/', len) &&
	       !memchr(name, 0, len) && !(len == 1 && *name == '.') &&
	       !(len == 2 && !memcmp(name, "..", 2));
}

/* By the name that comes first, each is opened. */
static errcode_t take_names(struct bfo_dir *d)
{
	const struct bfo_tree *t = d->in.tree;
	size_t i;

	for (i = 0; i < t->names.n; i++) {
		const struct bfo_name *n = &t->names.v[i];
		bfo_row row = bfo_intake_row(bfo_name_number(t, n));
		const char *text = bfo_name_text(t, n);

		if (!is_component(text, bfo_name_len(n)))
			return bfo_stream_refuse(d->kept, "a name in it is none of a file");
		if (d->inodes.v[row].name)
			continue;
		d->inodes.v[row].name = (uint64_t) (text - t->text.v) << 8 | bfo_name_len(n);
		d->inodes.v[row].parent = n->dir;
	}
	return 0;
}

/* Segments begin where they do in their file, as a walk leaves them. */
static void unplace(struct bfo_dir *d)
{
	struct bfo_tree *t = d->in.tree;
	bfo_row row;

	for (row = 0; row < t->inodes.n; row++) {
		const struct bfo_inode *rec = &t->inodes.v[row];
		struct bfo_seg *seg = bfo_seg_of(t, rec, 0);
		uint32_t i, n = S_ISREG(rec->mode) ? bfo_seg_count(t, rec) : 0;

		for (i = 0; i < n; i++)
			seg[i].blk = seg[i].lblk | (seg[i].blk & BFO_SEG_UNWRITTEN);
	}
}

/* The first record is that of the directory, whatever of it was sent. */
static errcode_t check_root(struct bfo_dir *d, const uint8_t *record)
{
	struct bfo_stream_kept k;
	struct statx st;

	bfo_stream_get_kept(record, &k);
	if (statx(d->root, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st))
		return bfo_fail(d->in.source.ctx, errno, "reading %s", d->path);
	return st.stx_ino == k.ino && st.stx_dev_major == k.major && st.stx_dev_minor == k.minor
		       ? 0 :
	       bfo_fail(d->in.source.ctx, BFO_ET_CHANGED, "opening %s: it is not the directory "
			"that %s is of", d->path, d->opt.kept);
}

errcode_t bfo_dir_kept_gather(struct bfo_dir *d, struct bfo_tree *tree)
{
	errcode_t err = d->kept->ops->gather(d->kept, tree, 0);
	bfo_chars bytes = { 0 };
	const uint8_t *at;

	if (err)
		return err;
	d->in.tree = tree;
	d->in.source.block_size = tree->block_size;
	d->in.source.inode_size = d->kept->inode_size;
	d->in.source.unknown = d->kept->unknown;
	d->in.source.stamp = d->kept->stamp;
	err = take_bytes(d, tree->inodes.n + 1, &bytes);
	if (!err)
		err = check_job(d, &bytes);
	if (!err) {
		at = (uint8_t *) bytes.v + BFO_STREAM_KEPT_HEAD + get_le32(bytes.v, 0);
		err = check_root(d, at);
		if (!err)
			err = take_records(d, at + BFO_STREAM_KEPT_BYTES, tree->inodes.n);
	}
	if (!err)
		err = take_names(d);
	if (!err)
		unplace(d);
	bfo_vec_free(&bytes);
	return err;
}

struct bfo_stream_kept bfo_dir_place(const struct bfo_source *source, bfo_row row)
{
	const struct bfo_dir *d = (const struct bfo_dir *) source;
	const struct bfo_dir_inode *mine;

	if (row >= d->inodes.n)		/* what was made on the way: it has no contents */
		return (struct bfo_stream_kept) { .ino = 0 };
	mine = &d->inodes.v[row];
	return (struct bfo_stream_kept) { .ino = mine->ino, .stamp = mine->stamp,
					  .major = d->devices.v[mine->device].major,
					  .minor = d->devices.v[mine->device].minor };
}
