// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * drain - empty the batch reader: all data of many files, without writing it anywhere
 *
 *	drain [-n] [-s] [-b FILES] [-m BYTES] [-g BYTES] IMAGE [LIST]
 *
 * Batchread(list<filename>, VolumeID) of the BFO paper (MSST 2019), on an unmounted filesystem, for
 * whoever wants to know what reading in batches costs and what each of its sizes is good for.
 *
 *	inode scan ──────────────┬── files ── batch ── nodes, sorted ── batch reader ── room
 *	name scan ── LIST, paths ┘              └───────── file by file ── content ───────┘
 *
 * Without LIST: all regular files, in the order in which they lie.  With it: those of its paths,
 * each ended by NUL, in batches of that order; directories are read only then.  A batch ends after
 * FILES files (0, the default: never), or when the room of BYTES is full, perhaps in the middle of
 * a file.  -g: gaps of up to BYTES are read over.  Defaults are 64 MiB and 256 KiB.  What a batch
 * has read is looked at file by file, each from its beginning to its end (-n: counted; -s: the sum
 * is the same for a copy, whose inodes have other numbers).
 *
 * The first line is readall's, of the same files: number, bytes, sum of contents (content.h).
 * The second: what the batch reader has asked for, metadata too: requests, bytes; and batches.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/pages.h"
#include "base/sort.h"
#include "content.h"
#include "gather/inode_check.h"
#include "gather/inode_scan.h"
#include "gather/inode_walk.h"
#include "gather/name_scan.h"
#include "gather/target.h"
#include "plan/lookup.h"
#include "tree/access.h"
#include "volume/open.h"

struct file {			/* sort key first */
	uint32_t blk_hi, blk_lo;
	bfo_row row;
	uint32_t unused;
};

/* Bytes of a file: a part of the room; LEN 0 only begins it. */
struct piece {
	bfo_row row;
	int begins;		/* the file */
	uint64_t offset;	/* in the file */
	size_t at, len;
};

struct drain {
	const char *image, *list;
	uint64_t batch;		/* files, 0: no limit */
	uint64_t memory;	/* bytes of room */
	uint32_t gap;		/* bytes */

	struct bfo_context ctx;
	struct bfo_volume *vol;
	struct bfo_reader reader;
	struct bfo_tree tree;
	struct bfo_target shape;
	struct bfo_plan plan;
	BFO_VEC(struct file) files;
	bfo_numbers inlines;	/* inode numbers of files whose content stands there */

	char *room;
	size_t size, used;	/* bytes of it */
	uint64_t begun;		/* files in the batch */
	bfo_order_list nodes;	/* to: place in the room */
	BFO_VEC(struct piece) pieces;
	uint64_t batches;

	struct content content;
	bfo_row open;		/* record of the file that content is in, or BFO_NONE */
};

/* ---- what has been read, file by file ---- */

static void end_file(struct drain *d)
{
	if (d->open == BFO_NONE)
		return;
	content_add_hole(&d->content, d->tree.inodes.v[d->open].size - d->content.at);
	content_end(&d->content);
	d->open = BFO_NONE;
}

static void look_at(struct drain *d, const struct piece *p)
{
	if (p->begins) {
		end_file(d);
		d->open = p->row;
		content_begin(&d->content, d->tree.inodes.v[p->row].ino);
	}
	content_add_hole(&d->content, p->offset - d->content.at);
	content_add(&d->content, d->room + p->at, p->len);
}

/* ---- a batch ---- */

static void *place(void *priv, const struct bfo_node *node, uint32_t at)
{
	struct drain *d = priv;

	return d->room + node->to + (size_t)at * d->vol->block_size;
}

/* Sink: it has been read to its place already. */
static errcode_t take(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
		      const void *data)
{
	(void)priv;
	(void)node;
	(void)at;
	(void)count;
	(void)data;
	return 0;
}

static errcode_t run_batch(struct drain *d)
{
	struct bfo_sink sink = { .take = take, .place = place, .priv = d };
	errcode_t err;
	size_t i;

	bfo_order_list_sort(&d->nodes);
	d->reader.direct = 1;		/* as e2bfo copy reads what one batch takes */
	err = bfo_reader_run(&d->reader, d->nodes.v, d->nodes.n, &sink);
	d->reader.direct = 0;
	for (i = 0; i < d->pieces.n && !err; i++)
		look_at(d, &d->pieces.v[i]);
	d->batches += d->nodes.n > 0;
	d->nodes.n = d->pieces.n = d->used = d->begun = 0;
	return err;
}

/* COUNT blocks from BLK on, which are at byte OFFSET of the file. */
static errcode_t add_blocks(struct drain *d, bfo_row row, uint64_t blk, uint32_t count,
			    uint64_t offset)
{
	uint64_t size = d->tree.inodes.v[row].size, bytes, room;
	uint32_t bs = d->vol->block_size, n;
	errcode_t err = 0;

	for (; count && !err; count -= n, blk += n, offset += bytes) {
		if (d->used == d->size)
			err = run_batch(d);
		room = (d->size - d->used) / bs;
		n = count < room ? count : room;
		bytes = (uint64_t)n * bs;
		if (!err)
			err = bfo_vec_push(&d->nodes, bfo_node_make(blk, n, 0, d->used));
		if (!err)
			err = bfo_vec_push(&d->pieces, (struct piece) { .row = row,
					   .offset = offset, .at = d->used,
					   .len = bytes < size - offset ? bytes : size - offset });
		d->used += bytes;
	}
	return err;
}

static errcode_t add_file(struct drain *d, bfo_row row)
{
	const struct bfo_inode *rec = &d->tree.inodes.v[row];
	uint32_t bs = d->vol->block_size, i, count;
	uint64_t end = (rec->size + bs - 1) / bs;
	errcode_t err;

	if (rec->state & BFO_INODE_INLINE)
		return bfo_vec_push(&d->inlines, rec->ino);
	err = bfo_vec_push(&d->pieces, (struct piece) { .row = row, .begins = 1 });
	for (i = 0; i < bfo_seg_count(&d->tree, rec) && !err; i++) {
		const struct bfo_seg *seg = bfo_seg_of(&d->tree, rec, i);

		if (bfo_seg_unwritten(seg) || seg->lblk >= end)
			continue;
		count = seg->len < end - seg->lblk ? seg->len : end - seg->lblk;
		err = add_blocks(d, row, seg->blk, count, (uint64_t)seg->lblk * bs);
	}
	if (!err && ++d->begun == d->batch)
		err = run_batch(d);
	return err;
}

static errcode_t read_files(struct drain *d)
{
	errcode_t err = 0;
	size_t i;

	d->size = d->memory / d->vol->block_size * d->vol->block_size;
	d->size = d->size ? d->size : d->vol->block_size;
	d->room = bfo_pages_alloc(d->size);
	if (!d->room)
		return bfo_fail(&d->ctx, ENOMEM, "making room for a batch");
	for (i = 0; i < d->files.n && !err; i++)
		err = add_file(d, d->files.v[i].row);
	if (!err)
		err = run_batch(d);
	if (!err)
		end_file(d);
	return err;
}

/* ---- what stands in inodes ---- */

static errcode_t take_inline(void *priv, uint32_t ino, const void *raw)
{
	struct drain *d = priv;
	uint32_t size = d->tree.inodes.v[bfo_tree_find(&d->tree, ino)].size;
	char *data = malloc(size + 1);

	if (!data)
		return ENOMEM;
	bfo_inode_inline_content(d->vol, raw, data, size);
	content_begin(&d->content, ino);
	content_add(&d->content, data, size);
	content_end(&d->content);
	free(data);
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Once each: a list that names such a file twice is not expected. */
static errcode_t read_inlines(struct drain *d)
{
	bfo_numbers *inos = &d->inlines;

	if (!inos->n)
		return 0;
	qsort(inos->v, inos->n, sizeof(*inos->v), by_number);
	return bfo_inode_walk(&d->reader, inos->v, inos->n, take_inline, NULL, d);
}

/* ---- which files, in which order ---- */

static errcode_t list_all(struct drain *d)
{
	errcode_t err = 0;
	uint64_t blk;
	bfo_row i;

	for (i = 0; i < d->tree.inodes.n && !err; i++) {
		const struct bfo_inode *rec = &d->tree.inodes.v[i];

		if (!S_ISREG(rec->mode) || rec->state & BFO_INODE_BAD)
			continue;
		blk = bfo_seg_count(&d->tree, rec) ? bfo_seg_blk(bfo_seg_of(&d->tree, rec, 0)) : 0;
		err = bfo_vec_push(&d->files, (struct file) { .blk_hi = blk >> 32, .blk_lo = blk,
				   .row = i });
	}
	bfo_sort(d->files.v, d->files.n, sizeof(*d->files.v), 3);
	return err;
}

static errcode_t list_path(struct drain *d, const char *path)
{
	struct bfo_lookup l = bfo_lookup_begin(path);
	errcode_t err = bfo_lookup_end(&d->plan, &l);
	bfo_row i;

	if (err || l.pos == BFO_NONE)
		return err;
	i = bfo_lookup_record(&d->plan, &d->tree.names.v[l.pos]);
	if (!S_ISREG(d->tree.inodes.v[i].mode))
		return bfo_fail(&d->ctx, EINVAL, "looking for %s: no regular file", path);
	return bfo_vec_push(&d->files, (struct file) { .row = i });
}

static errcode_t list_paths(struct drain *d)
{
	FILE *f = fopen(d->list, "r");
	errcode_t err = 0;
	char *path = NULL;
	size_t room = 0;

	if (!f)
		return bfo_fail(&d->ctx, errno, "opening %s", d->list);
	while (!err && getdelim(&path, &room, 0, f) >= 0)
		err = list_path(d, path);
	if (!err && ferror(f))
		err = bfo_fail(&d->ctx, EIO, "reading %s", d->list);
	free(path);
	fclose(f);
	return err;
}

static errcode_t find_files(struct drain *d)
{
	errcode_t err;

	if (!d->list)
		return list_all(d);
	err = bfo_name_scan(&d->reader, &d->tree);
	bfo_target_shape(d->vol, &d->shape);
	bfo_plan_init(&d->plan, &d->ctx, &d->tree, &d->shape);
	if (!err)
		err = bfo_plan_names(&d->plan);
	if (!err)
		err = list_paths(d);
	return err;
}

/* ---- the whole ---- */

static errcode_t run(struct drain *d)
{
	errcode_t err = bfo_volume_open_source(&d->ctx, d->image, 0, NULL, NULL, NULL, NULL,
					       &d->vol);

	if (!err)
		err = bfo_reader_init(&d->reader, &d->ctx, d->vol, d->gap);
	if (!err)
		err = bfo_inode_scan(&d->reader, &d->tree);
	if (!err)
		err = find_files(d);
	if (!err)
		err = read_files(d);
	return err ? err : read_inlines(d);
}

static void release(struct drain *d)
{
	bfo_pages_free(d->room, d->size);
	bfo_vec_free(&d->nodes);
	bfo_vec_free(&d->pieces);
	bfo_vec_free(&d->files);
	bfo_vec_free(&d->inlines);
	if (d->plan.tree)
		bfo_plan_free(&d->plan);
	bfo_target_free(&d->shape);
	bfo_tree_free(&d->tree);
	bfo_reader_free(&d->reader);
	bfo_volume_close(d->vol);
}

static int usage(void)
{
	fprintf(stderr, "usage: drain [-ns] [-b FILES] [-m BYTES] [-g BYTES] IMAGE [LIST]\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct drain d = { .memory = 64U << 20, .gap = 256U << 10, .open = BFO_NONE };
	errcode_t err;
	int option;

	while ((option = getopt(argc, argv, "nsb:m:g:")) != -1) {
		if (option == 'n')
			d.content.blind = 1;
		else if (option == 's')
			d.content.nameless = 1;
		else if (option == 'b')
			d.batch = strtoull(optarg, NULL, 10);
		else if (option == 'm')
			d.memory = strtoull(optarg, NULL, 10);
		else if (option == 'g')
			d.gap = strtoul(optarg, NULL, 10);
		else
			return usage();
	}
	if (argc - optind < 1 || argc - optind > 2)
		return usage();
	d.image = argv[optind];
	d.list = argv[optind + 1];
	initialize_ext2_error_table();
	initialize_bfo_error_table();
	err = run(&d);
	if (err) {
		fprintf(stderr, "drain: %s while %s\n", error_message(err), d.ctx.what);
	} else {
		content_print(&d.content);
		printf("requests %" PRIu64 " bytes %" PRIu64 " batches %" PRIu64 "\n",
		       d.reader.reads, d.reader.blocks * d.vol->block_size, d.batches);
	}
	release(&d);
	return err || fflush(stdout) ? 1 : 0;
}
