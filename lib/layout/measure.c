// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * measure.c - how a file tree lies on its volume
 *
 * Orders are compared without files that have several names: where such a file stands, only one of
 * its directories can have in order.  They count in everything else.
 */
#include <string.h>
#include <ext2fs/ext2_fs.h>

#include "layout/measure.h"
#include "tree/access.h"

#define ENTRY_HEADER 8U		/* of a directory entry, before its name */
#define DOTS_BYTES 24U		/* "." and ".." */

uint32_t bfo_layout_fragments(const struct bfo_tree *t, const struct bfo_inode *rec)
{
	const struct bfo_seg *s = bfo_seg_of(t, rec, 0);
	uint32_t count = bfo_seg_count(t, rec), i, n = 0;

	for (i = 0; i < count; i++)
		n += !i || bfo_seg_blk(&s[i]) != bfo_seg_blk(&s[i - 1]) + s[i - 1].len;
	return n;
}

uint64_t bfo_layout_first_block(const struct bfo_tree *t, const struct bfo_inode *rec)
{
	if (S_ISDIR(rec->mode) || !bfo_seg_count(t, rec))
		return 0;
	return bfo_seg_blk(bfo_seg_of(t, rec, 0));
}

static uint64_t blocks_of(const struct bfo_tree *t, const struct bfo_inode *rec)
{
	uint32_t count = bfo_seg_count(t, rec), i;
	uint64_t n = 0;

	for (i = 0; i < count; i++)
		n += bfo_seg_of(t, rec, i)->len;
	return n;
}

/* Returns how many fragments. */
static uint32_t count_file(const struct bfo_tree *t, const struct bfo_inode *rec,
			   struct bfo_pieces *p)
{
	uint32_t fragments = bfo_layout_fragments(t, rec);

	p->files++;
	p->blocks += blocks_of(t, rec);
	p->contiguous += fragments == 1;
	if (fragments)
		bfo_histogram_add(&p->fragments, fragments);
	return fragments;
}

/* An inline directory has no room but what its inode has left. */
static void count_fill(const struct bfo_tree *t, const struct bfo_inode *dir, struct bfo_fill *f)
{
	uint32_t i, hashes = bfo_dir_has_hashes(dir->flags) ? BFO_HASH_BYTES : 0;
	struct bfo_slice s = bfo_dir_names(t, dir);

	if (dir->state & BFO_INODE_INLINE)
		return;
	f->room += dir->size;
	f->used += DOTS_BYTES;
	for (i = s.first; i < s.end; i++)
		f->used += (ENTRY_HEADER + bfo_name_len(&t->names.v[i]) + 3) / 4 * 4 + hashes;
}

/* Of two with as many fragments, the one that was met first stays before. */
static void note_worst(struct bfo_layout *l, bfo_row row, uint32_t fragments)
{
	struct bfo_fragmented *w = l->worst;
	uint32_t at = l->n_worst;

	if (fragments < 2)
		return;
	while (at && w[at - 1].fragments < fragments)
		at--;
	if (at == BFO_LAYOUT_WORST)
		return;
	if (l->n_worst < BFO_LAYOUT_WORST)
		l->n_worst++;
	memmove(&w[at + 1], &w[at], (l->n_worst - 1 - at) * sizeof(*w));
	w[at] = (struct bfo_fragmented) { .row = row, .fragments = fragments,
					  .blocks = blocks_of(l->t, &l->t->inodes.v[row]) };
}

static void count_items(struct bfo_layout *l)
{
	const struct bfo_inode *rec;
	size_t i;

	for (i = 0; i < l->items.n; i++) {
		rec = &l->t->inodes.v[l->items.v[i]];
		if (S_ISDIR(rec->mode)) {
			l->directories++;
			count_fill(l->t, rec, &l->fill);
		} else if (S_ISREG(rec->mode)) {
			note_worst(l, l->items.v[i], count_file(l->t, rec, &l->pieces));
		} else {
			l->others++;
		}
	}
}

/* True for what can stand in one order alone. */
static int has_place(const struct bfo_inode *rec)
{
	return S_ISDIR(rec->mode) || rec->links_read <= 1;
}

/* Adds the place of REC's data, if it has any. */
static errcode_t add_data(struct bfo_steps *s, const struct bfo_tree *t,
			  const struct bfo_inode *rec)
{
	uint64_t blk = S_ISREG(rec->mode) && has_place(rec) ? bfo_layout_first_block(t, rec) : 0;

	return blk ? bfo_steps_add(s, blk) : 0;
}

static errcode_t compare_orders(struct bfo_layout *l)
{
	const struct bfo_tree *t = l->t;
	struct bfo_steps steps = { 0 };
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < l->items.n && !err; i++)
		if (has_place(&t->inodes.v[l->items.v[i]]))
			err = bfo_steps_add(&steps, t->inodes.v[l->items.v[i]].ino);
	l->inodes = bfo_steps_end(&steps);
	steps = (struct bfo_steps) { 0 };
	for (i = 0; i < t->inodes.n && !err; i++)		/* these ascend by number */
		if (t->inodes.v[i].state & BFO_INODE_PLACED)
			err = add_data(&steps, t, &t->inodes.v[i]);
	l->data = bfo_steps_end(&steps);
	return err;
}

static errcode_t read_all(struct bfo_layout *l, const bfo_rows *items, enum bfo_walk_order order)
{
	struct bfo_file_reader r;
	errcode_t err = bfo_file_reader_init(&r, l->t, l->tables, l->read_bytes);
	size_t i;

	for (i = 0; i < items->n && !err; i++)
		bfo_file_reader_read(&r, items->v[i]);
	l->cost_data[order] = r.data;
	l->cost_all[order] = r.all;
	bfo_file_reader_free(&r);
	return err;
}

errcode_t bfo_layout_measure(struct bfo_layout *l, const uint32_t *roots, size_t n)
{
	errcode_t err = bfo_walk(l->t, roots, n, BFO_WALK_READDIR, &l->items);
	bfo_rows other = { 0 };
	int order;

	if (err)
		return err;
	count_items(l);
	err = compare_orders(l);
	if (!err)
		err = read_all(l, &l->items, BFO_WALK_READDIR);
	for (order = BFO_WALK_NAME; order < BFO_WALK_ORDERS && !err; order++) {
		other.n = 0;
		err = bfo_walk(l->t, roots, n, order, &other);
		if (!err)
			err = read_all(l, &other, order);
	}
	bfo_vec_free(&other);
	return err;
}

void bfo_layout_free(struct bfo_layout *l)
{
	bfo_vec_free(&l->items);
}

/* ---- one directory ---- */

/* The record of what has its only place in the directory, or NULL. */
static const struct bfo_inode *placed(const struct bfo_tree *t, uint32_t position)
{
	const struct bfo_inode *rec = &t->inodes.v[bfo_name_row(t, &t->names.v[position])];

	return rec->state & BFO_INODE_BAD || !has_place(rec) ? NULL : rec;
}

static errcode_t compare_names(const struct bfo_tree *t, const bfo_numbers *names,
			       enum bfo_walk_order order, struct bfo_layout_dir *d)
{
	struct bfo_steps steps = { 0 };
	const struct bfo_inode *rec;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < names->n && !err; i++) {
		rec = placed(t, names->v[i]);
		if (rec)
			err = order == BFO_WALK_INODE ? add_data(&steps, t, rec)
						      : bfo_steps_add(&steps, rec->ino);
	}
	if (order == BFO_WALK_INODE)
		d->data = bfo_steps_end(&steps);
	else
		d->inodes = bfo_steps_end(&steps);
	return err;
}

static errcode_t read_names(const struct bfo_layout *l, const bfo_numbers *names,
			    struct bfo_cost *cost)
{
	struct bfo_file_reader r;
	const struct bfo_inode *rec;
	errcode_t err = bfo_file_reader_init(&r, l->t, NULL, l->read_bytes);
	size_t i;

	for (i = 0; i < names->n && !err; i++) {
		rec = placed(l->t, names->v[i]);
		if (rec)
			bfo_file_reader_read(&r, rec - l->t->inodes.v);
	}
	*cost = r.data;
	bfo_file_reader_free(&r);
	return err;
}

errcode_t bfo_layout_measure_dir(const struct bfo_layout *l, bfo_row row,
				 struct bfo_layout_dir *d)
{
	const struct bfo_tree *t = l->t;
	const struct bfo_inode *dir = &t->inodes.v[row], *rec;
	struct bfo_slice s = bfo_dir_names(t, dir);
	bfo_numbers names = { 0 };
	errcode_t err = 0;
	uint32_t i;
	int order;

	*d = (struct bfo_layout_dir) { .row = row, .names = s.end - s.first };
	count_fill(t, dir, &d->fill);
	for (i = s.first; i < s.end; i++) {
		rec = placed(t, i);
		if (rec && S_ISREG(rec->mode))
			count_file(t, rec, &d->pieces);
	}
	for (order = 0; order < BFO_WALK_ORDERS && !err; order++) {
		names.n = 0;
		err = bfo_walk_names(t, row, order, &names);
		if (!err && order != BFO_WALK_NAME)
			err = compare_names(t, &names, order, d);
		if (!err)
			err = read_names(l, &names, &d->cost[order]);
	}
	bfo_vec_free(&names);
	return err;
}
