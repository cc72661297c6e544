// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * picture.c - a layout in few numbers, however large it is
 */
#include <string.h>

#include "layout/picture.h"
#include "tree/access.h"

/* ---- plots ---- */

typedef void (*point_sink)(struct bfo_plot *p, uint64_t x, uint64_t y);

static void measure(struct bfo_plot *p, uint64_t x, uint64_t y)
{
	if (!p->points++) {
		p->x_min = p->x_max = x;
		p->y_min = p->y_max = y;
	}
	p->x_min = x < p->x_min ? x : p->x_min;
	p->x_max = x > p->x_max ? x : p->x_max;
	p->y_min = y < p->y_min ? y : p->y_min;
	p->y_max = y > p->y_max ? y : p->y_max;
}

/* The cell of V among BFO_PLOT_SIDE from MIN to MAX. */
static uint32_t cell_of(uint64_t v, uint64_t min, uint64_t max)
{
	return max == min ? 0 : (double) (v - min) / (max - min) * (BFO_PLOT_SIDE - 1) + 0.5;
}

static void count(struct bfo_plot *p, uint64_t x, uint64_t y)
{
	uint32_t *cell = &p->cell[cell_of(y, p->y_min, p->y_max)][cell_of(x, p->x_min, p->x_max)];

	if (++*cell > p->most)
		p->most = *cell;
}

static void each_inode(const struct bfo_layout *l, struct bfo_plot *p, point_sink sink)
{
	size_t i;

	for (i = 0; i < l->items.n; i++)
		sink(p, i, l->t->inodes.v[l->items.v[i]].ino);
}

static void each_block(const struct bfo_layout *l, struct bfo_plot *p, point_sink sink)
{
	const struct bfo_inode *rec;
	uint64_t blk;
	size_t i;

	for (i = 0; i < l->items.n; i++) {
		rec = &l->t->inodes.v[l->items.v[i]];
		blk = S_ISREG(rec->mode) ? bfo_layout_first_block(l->t, rec) : 0;
		if (blk)
			sink(p, rec->ino, blk);
	}
}

void bfo_plot_inodes(const struct bfo_layout *l, struct bfo_plot *p)
{
	memset(p, 0, sizeof(*p));
	each_inode(l, p, measure);
	each_inode(l, p, count);
}

void bfo_plot_data(const struct bfo_layout *l, struct bfo_plot *p)
{
	memset(p, 0, sizeof(*p));
	each_block(l, p, measure);
	each_block(l, p, count);
}

/* ---- the block map ---- */

static void paint(struct bfo_block_map *m, uint64_t blk, uint64_t len, enum bfo_block_use use)
{
	uint64_t cell, n;

	for (; len && blk < m->blocks; blk += n, len -= n) {
		cell = blk / m->cell_blocks;
		n = (cell + 1) * m->cell_blocks - blk;
		n = n < len ? n : len;
		m->cell[cell][use] += n;
	}
}

static void paint_file(struct bfo_block_map *m, const struct bfo_tree *t,
		       const struct bfo_inode *rec)
{
	enum bfo_block_use use = bfo_layout_fragments(t, rec) > 1 ? BFO_USE_FRAGMENTED
								  : BFO_USE_CONTIGUOUS;
	uint32_t i;

	for (i = 0; i < bfo_seg_count(t, rec); i++)
		paint(m, bfo_seg_blk(bfo_seg_of(t, rec, i)), bfo_seg_of(t, rec, i)->len, use);
}

/* What is left belongs to nobody who was asked. */
static void paint_rest(struct bfo_block_map *m)
{
	uint64_t size, sum;
	uint32_t i;
	int use;

	for (i = 0; i < m->cells; i++) {
		size = m->blocks - i * m->cell_blocks;
		size = size < m->cell_blocks ? size : m->cell_blocks;
		for (sum = 0, use = 0; use < BFO_USE_OTHER; use++)
			sum += m->cell[i][use];
		m->cell[i][BFO_USE_OTHER] = sum < size ? size - sum : 0;
	}
}

void bfo_block_map(const struct bfo_layout *l, const bfo_ranges *free, uint64_t blocks,
		   struct bfo_block_map *m)
{
	const struct bfo_inode *rec;
	const struct bfo_dir_run *d;
	size_t i;

	memset(m, 0, sizeof(*m));
	m->blocks = blocks;
	m->cell_blocks = (blocks + BFO_MAP_CELLS - 1) / BFO_MAP_CELLS;
	m->cells = (blocks + m->cell_blocks - 1) / m->cell_blocks;
	for (i = 0; i < free->n; i++)
		paint(m, free->v[i].start, free->v[i].len, BFO_USE_FREE);
	for (i = 0; i < l->items.n; i++) {
		rec = &l->t->inodes.v[l->items.v[i]];
		if (!S_ISDIR(rec->mode))
			paint_file(m, l->t, rec);
	}
	for (i = 0; i < l->tables->dirs.n; i++) {
		d = &l->tables->dirs.v[i];
		if (l->t->inodes.v[d->row].state & BFO_INODE_PLACED)
			paint(m, d->blk, d->len, BFO_USE_DIRECTORY);
	}
	paint_rest(m);
}
