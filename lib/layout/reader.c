// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reader.c - what a stock kernel asks of the device when somebody reads whole files
 */
#include <errno.h>
#include <stdlib.h>

#include "layout/reader.h"
#include "tree/access.h"

#define AHEAD 32U		/* inode_readahead_blks */

/* A run of blocks that is going to be a request: all in one read(2). */
struct run {
	uint64_t blk, len;
	uint64_t call;
};

static uint64_t table_blocks(const struct bfo_tables *t)
{
	return ((uint64_t) t->group_inodes + t->block_inodes - 1) / t->block_inodes;
}

errcode_t bfo_tables_add_dirs(struct bfo_tables *tables, const struct bfo_tree *t)
{
	const struct bfo_inode *rec;
	const struct bfo_seg *s;
	errcode_t err = 0;
	bfo_row i, k;

	for (i = 0; i < t->inodes.n; i++) {
		rec = &t->inodes.v[i];
		if (!S_ISDIR(rec->mode) || rec->state & BFO_INODE_BAD)
			continue;
		for (k = 0; k < bfo_seg_count(t, rec) && !err; k++) {
			s = bfo_seg_of(t, rec, k);
			err = bfo_vec_push(&tables->dirs, (struct bfo_dir_run) {
					   .row = i, .len = s->len, .blk = bfo_seg_blk(s) });
		}
	}
	return err;
}

void bfo_tables_free(struct bfo_tables *tables)
{
	bfo_vec_free(&tables->groups);
	bfo_vec_free(&tables->dirs);
}

errcode_t bfo_file_reader_init(struct bfo_file_reader *r, const struct bfo_tree *t,
			       const struct bfo_tables *tables, uint32_t bytes)
{
	*r = (struct bfo_file_reader) { .t = t, .tables = tables, .bytes = bytes };
	if (!tables)
		return 0;
	r->cached = calloc(tables->groups.n * table_blocks(tables) / 8 + 1, 1);
	return r->cached ? 0 : ENOMEM;
}

void bfo_file_reader_free(struct bfo_file_reader *r)
{
	free(r->cached);
	r->cached = NULL;
}

static void ask(const struct bfo_file_reader *r, struct bfo_cost *c, uint64_t blk, uint64_t len)
{
	if (len)
		bfo_cost_add(c, blk * r->t->block_size, len * r->t->block_size, 1);
}

/* ---- inodes ---- */

/* Reads blocks [FIRST, LAST] of the table of group G that are not cached. */
static void read_table(struct bfo_file_reader *r, uint32_t g, uint64_t first, uint64_t last)
{
	uint64_t base = g * table_blocks(r->tables), table = r->tables->groups.v[g].blk;
	uint64_t i, begin = first;

	for (i = first; i <= last; i++) {
		if (!(r->cached[(base + i) / 8] & 1 << (base + i) % 8))
			continue;
		ask(r, &r->all, table + begin, i - begin);
		begin = i + 1;
	}
	ask(r, &r->all, table + begin, last + 1 - begin);
	for (i = first; i <= last; i++)
		r->cached[(base + i) / 8] |= 1 << (base + i) % 8;
}

/* As __ext4_get_inode_loc() does: blocks around it, by their numbers on the volume. */
static void read_inode(struct bfo_file_reader *r, uint32_t ino)
{
	const struct bfo_tables *tables = r->tables;
	uint32_t g = (ino - 1) / tables->group_inodes;
	uint64_t at = (ino - 1) % tables->group_inodes / tables->block_inodes, first, last, bit;
	const struct bfo_table *table;

	if (g >= tables->groups.n)
		return;
	table = &tables->groups.v[g];
	bit = g * table_blocks(tables) + at;
	if (r->cached[bit / 8] & 1 << bit % 8)
		return;
	first = (table->blk + at) / AHEAD * AHEAD;
	first = first > table->blk ? first - table->blk : 0;
	last = first + AHEAD;
	if (last > table->used / tables->block_inodes)
		last = table->used / tables->block_inodes;
	if (last >= table_blocks(tables))
		last = table_blocks(tables) - 1;
	read_table(r, g, first, last > at ? last : at);
}

/* ---- what stands in blocks ---- */

static void read_map(struct bfo_file_reader *r, uint32_t ino)
{
	const struct bfo_tree *t = r->t;
	size_t i;

	for (i = bfo_vec_lower(&t->map_blocks, ino, ino);
	     i < t->map_blocks.n && t->map_blocks.v[i].ino == ino; i++)
		ask(r, &r->all, t->map_blocks.v[i].blk, 1);
}

static void read_directory(struct bfo_file_reader *r, bfo_row row)
{
	uint64_t bs = r->t->block_size;
	const struct bfo_dir_run *d;
	size_t i;

	for (i = bfo_vec_lower(&r->tables->dirs, row, row); i < r->tables->dirs.n; i++) {
		d = &r->tables->dirs.v[i];
		if (d->row != row)
			break;
		bfo_cost_add(&r->all, d->blk * bs, bs, d->len);
	}
}

static void flush(struct bfo_file_reader *r, struct run *run)
{
	ask(r, &r->data, run->blk, run->len);
	ask(r, &r->all, run->blk, run->len);
	run->len = 0;
}

/* LEN blocks from BLK, all in one read(2), the CALL-th. */
static void add_piece(struct bfo_file_reader *r, struct run *run, uint64_t call, uint64_t blk,
		      uint64_t len)
{
	if (run->len && run->call == call && run->blk + run->len == blk) {
		run->len += len;
		return;
	}
	flush(r, run);
	*run = (struct run) { .blk = blk, .len = len, .call = call };
}

/* COUNT whole calls, CALL_BLOCKS each. */
static void add_calls(struct bfo_file_reader *r, struct run *run, uint64_t blk,
		      uint64_t call_blocks, uint64_t count)
{
	uint64_t bs = r->t->block_size;

	flush(r, run);
	bfo_cost_add(&r->data, blk * bs, call_blocks * bs, count);
	bfo_cost_add(&r->all, blk * bs, call_blocks * bs, count);
}

static void read_seg(struct bfo_file_reader *r, struct run *run, const struct bfo_seg *s,
		     uint64_t end)
{
	uint64_t per = r->bytes > r->t->block_size ? r->bytes / r->t->block_size : 1;
	uint64_t lblk = s->lblk, blk = bfo_seg_blk(s), stop = lblk + s->len, n;

	if (stop > end)
		stop = end;
	for (; lblk < stop; lblk += n, blk += n) {
		if (lblk % per == 0 && stop - lblk >= per) {
			n = (stop - lblk) / per * per;
			add_calls(r, run, blk, per, n / per);
			continue;
		}
		n = per - lblk % per;
		if (n > stop - lblk)
			n = stop - lblk;
		add_piece(r, run, lblk / per, blk, n);
	}
}

static void read_file(struct bfo_file_reader *r, const struct bfo_inode *rec)
{
	uint64_t end = rec->size / r->t->block_size + !!(rec->size % r->t->block_size);
	struct run run = { .len = 0 };
	uint32_t i;

	for (i = 0; i < bfo_seg_count(r->t, rec); i++)
		if (!bfo_seg_unwritten(bfo_seg_of(r->t, rec, i)))
			read_seg(r, &run, bfo_seg_of(r->t, rec, i), end);
	flush(r, &run);
}

void bfo_file_reader_read(struct bfo_file_reader *r, bfo_row row)
{
	const struct bfo_inode *rec = &r->t->inodes.v[row];

	if (r->tables) {
		read_inode(r, rec->ino);
		read_map(r, rec->ino);
		read_directory(r, row);
	}
	if (S_ISREG(rec->mode))
		read_file(r, rec);
}
