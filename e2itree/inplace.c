// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inplace.c - passes 3 and 4, where few names changed: trees are changed where they stand
 *
 * The changes are made in memory first (itree/match.h), so that what they would cost is known to
 * the block.  Where that is less than writing the container anew, they become one transaction.
 * Both cost what the model of the device (layout/cost.h) says of
 *
 *   in place   a log of all that changes, and each run of blocks in its place
 *   anew       the container, in one piece, and a transaction of some blocks of metadata
 *
 * What is read counts for neither: it was, in pass 1.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "commit/itrees_change.h"
#include "commit/itrees_write.h"
#include "commit/txlog.h"
#include "itree/match.h"
#include "layout/cost.h"
#include "volume/inode_map.h"
#include "e2itree.h"

#define REQUEST_BYTES (4U << 20)	/* of what is written in one piece */
#define LEFT_BLOCKS 64U			/* a container of less than that is never too empty */

struct place {
	uint64_t blk;
};

struct inplace {
	struct job *j;
	struct bfo_txlog log;
	bfo_container_catalogue dirs;	/* as it is to be */
	bfo_itrees_blocks blocks;	/* that change */
	BFO_VEC(struct itree_dir) order;	/* trees that stay, by `first` */
	struct bfo_sorted next;		/* of the names */
	int more, is_taken;		/* there is a next one; it was handed out */
	uint32_t dir;			/* whose names are wanted */
	uint64_t changed;		/* trees */
	int is_over;			/* it cannot be done, or is not worth it */
};

BFO_SORT_BY(by_first, struct itree_dir, first)
BFO_SORT_BY(by_blk, struct place, blk)

/* ---- can it be done? ---- */

static int is_possible(const struct job *j)
{
	size_t i;

	if (j->has_old <= 0 || !j->takes_over || j->renews || j->opt.force ||
	    j->opt.in_place == INPLACE_NEVER)
		return 0;
	for (i = 0; i < j->dirs.n; i++) {
		const struct dir *d = &j->dirs.v[i];
		const struct tree *t = job_tree(j, d->ino);

		/* checksums are seeded by the generation */
		if (d->fate == FATE_BUILD &&
		    (!t || t->damage || t->dir.generation != d->generation))
			return 0;
	}
	return 1;
}

/* The trees that stay; 0 if most of the container would be left to nobody. */
static errcode_t list_trees_that_stay(struct inplace *k)
{
	const struct job *j = k->j;
	uint64_t used = 0;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < j->dirs.n && !err; i++) {
		const struct tree *t = job_tree(j, j->dirs.v[i].ino);

		if (!t || (j->dirs.v[i].fate != FATE_KEEP && j->dirs.v[i].fate != FATE_BUILD))
			continue;
		used += t->dir.blocks;
		err = bfo_vec_push(&k->order, t->dir);
	}
	if (k->order.n)
		qsort(k->order.v, k->order.n, sizeof(*k->order.v), by_first);
	k->is_over = !used || (used < j->old.header.blocks / 2 &&
			       j->old.header.blocks > LEFT_BLOCKS);
	return err;
}

/* Blocks that tree DIR can have: up to the one behind it. */
static uint32_t room_of(const struct inplace *k, const struct itree_dir *dir)
{
	size_t i = bfo_vec_lower(&k->order, first, dir->first + 1);

	return (i < k->order.n ? k->order.v[i].first : k->j->old.header.blocks) - dir->first;
}

/* ---- what changes ---- */

static errcode_t next_entry(void *priv, struct itree_entry *e, int *more)
{
	struct inplace *k = priv;
	errcode_t err = 0;

	if (k->is_taken)
		err = bfo_extsort_next(k->j->names, &k->next, &k->more);
	while (!err && k->more && k->next.key[0] < k->dir)
		err = bfo_extsort_next(k->j->names, &k->next, &k->more);
	*more = k->is_taken = !err && k->more && k->next.key[0] == k->dir;
	if (*more)
		*e = bfo_itree_name(&k->next);
	return err ? err : job_count_name(k->j);
}

/* The blocks that D has changed are K's. */
static errcode_t take_blocks(struct inplace *k, struct itree_draft *d)
{
	errcode_t err = 0;
	uint32_t blk;

	for (blk = 0; blk < d->room && !err; blk++) {
		if (!d->blocks[blk].is_changed)
			continue;
		err = bfo_vec_push(&k->blocks, (struct bfo_itrees_block) {
				   d->t.dir.first + blk, d->blocks[blk].data });
		if (!err)
			d->blocks[blk].data = NULL;
	}
	return err;
}

/* Tree DIR becomes what its directory lists; in memory. */
static errcode_t change_tree(struct inplace *k, struct itree_dir *dir)
{
	struct job *j = k->j;
	uint64_t most = j->opt.in_place == INPLACE_ALWAYS ? 0 : j->old.header.blocks;
	struct bfo_container_tree store;
	struct itree_draft d = { 0 };
	errcode_t err = bfo_container_tree_open(&store, &j->old, dir);

	if (!err)
		err = itree_draft_open(&d, &store.store, j->old.header.seed, dir, room_of(k, dir));
	d.most_changed = most;
	d.most_memory = j->opt.memory / 4;
	k->dir = dir->ino;
	if (!err)
		err = itree_draft_match(&d, next_entry, k);
	k->is_over = d.is_over || (most && k->blocks.n + d.changed > most);
	if (!err && !k->is_over)
		err = take_blocks(k, &d);
	*dir = d.t.dir;
	j->came += d.came;
	j->went += d.went;
	itree_draft_close(&d);
	bfo_container_tree_free(&store);
	return err;
}

static errcode_t change_trees(struct inplace *k)
{
	errcode_t err = bfo_extsort_next(k->j->names, &k->next, &k->more);
	size_t i;

	for (i = 0; i < k->j->dirs.n && !err && !k->is_over; i++) {
		const struct dir *d = &k->j->dirs.v[i];
		struct itree_dir t;

		if (d->fate != FATE_KEEP && d->fate != FATE_BUILD)
			continue;
		t = job_tree(k->j, d->ino)->dir;
		if (d->fate == FATE_BUILD) {
			err = change_tree(k, &t);
			k->changed++;
		}
		t.version = d->version;
		t.ctime = d->ctime;
		t.ctime_nsec = d->ctime_nsec;
		if (!err)
			err = bfo_vec_push(&k->dirs, t);
	}
	return err;
}

/* ---- what it costs ---- */

/* LEN bytes at byte START, in one piece. */
static void add_piece(struct bfo_cost *cost, uint64_t start, uint64_t len)
{
	uint64_t part;

	for (; len; start += part, len -= part) {
		part = len < REQUEST_BYTES ? len : REQUEST_BYTES;
		bfo_cost_add(cost, start, part, 1);
	}
}

/* A transaction of the N blocks in V, which it sorts. */
static uint64_t cost_of(const struct inplace *k, struct bfo_cost *cost, struct place *v, size_t n)
{
	uint64_t bs = k->j->vol->block_size;
	size_t i, end;

	add_piece(cost, bfo_map_find(&k->log.journal.runs, k->log.journal.first) * bs,
		  bfo_txlog_need(&k->log, n) * bs);
	qsort(v, n, sizeof(*v), by_blk);
	for (i = 0; i < n; i = end) {
		for (end = i + 1; end < n && v[end].blk == v[end - 1].blk + 1; end++)
			;
		bfo_cost_add(cost, v[i].blk * bs, (end - i) * bs, 1);
	}
	return (bfo_volume_seeks(k->j->vol) ? bfo_cost_disk(cost) : bfo_cost_ssd(cost)) * 1e6;
}

/* The container is written in one piece somewhere; some metadata change. */
static uint64_t cost_anew(const struct inplace *k)
{
	const struct bfo_container *c = &k->j->old;
	struct bfo_volume *vol = k->j->vol;
	dgrp_t g = ext2fs_group_of_blk2(vol->fs, bfo_container_block(c, 0));
	struct bfo_cost cost = { 0 };
	uint32_t byte;
	struct place v[] = {
		{ vol->fs->super->s_first_data_block },
		{ ext2fs_descriptor_block_loc2(vol->fs, vol->fs->super->s_first_data_block, 0) },
		{ ext2fs_block_bitmap_loc(vol->fs, g) },
		{ bfo_volume_inode_block(vol, c->ino, &byte) },
	};

	add_piece(&cost, bfo_container_block(c, 0) * vol->block_size,
		  (uint64_t) c->header.blocks * vol->block_size);
	return cost_of(k, &cost, v, sizeof(v) / sizeof(v[0]));
}

static uint64_t blocks_of(const struct inplace *k)
{
	return k->blocks.n + 1 + k->j->old.header.catalogue_blocks + 1;	/* header, superblock */
}

static errcode_t cost_in_place(const struct inplace *k, uint64_t *out)
{
	const struct bfo_container *c = &k->j->old;
	struct place *v = malloc(blocks_of(k) * sizeof(*v));
	struct bfo_cost cost = { 0 };
	size_t n = 0, i;

	if (!v)
		return ENOMEM;
	for (i = 0; i < k->blocks.n; i++)
		v[n++].blk = bfo_container_block(c, k->blocks.v[i].blk);
	v[n++].blk = bfo_container_block(c, 0);
	for (i = 0; i < c->header.catalogue_blocks; i++)
		v[n++].blk = bfo_container_block(c, c->header.catalogue + i);
	v[n++].blk = k->j->vol->fs->super->s_first_data_block;
	*out = cost_of(k, &cost, v, n);
	free(v);
	return 0;
}

/* Is there room for it in the journal, and is it less than building anew? */
static errcode_t weigh(struct inplace *k)
{
	struct job *j = k->j;
	errcode_t err;

	if (bfo_txlog_need(&k->log, blocks_of(k)) > bfo_txlog_room(&k->log))
		k->is_over = 1;
	j->cost_anew = cost_anew(k);
	err = cost_in_place(k, &j->cost_in_place);
	if (j->opt.in_place == INPLACE_AUTO && j->cost_in_place > j->cost_anew)
		k->is_over = 1;
	return err;
}

/* ---- doing it ---- */

static errcode_t write_changes(struct inplace *k)
{
	struct job *j = k->j;
	struct itree_header *h = &j->old.header;
	errcode_t err;

	say_pass(j, 4, "Changing /" ITREE_NAME);
	h->min_entries = j->opt.min;
	h->trees = k->dirs.n;
	h->catalogue_blocks = itree_catalogue_blocks(h->block_size, h->trees);
	j->writing = 1;
	err = bfo_itrees_refresh(&j->old, k->dirs.v, &k->blocks, j->now, j->opt.undo_file,
				 &j->written);
	j->fate = j->written.fate;
	if (err)
		return err;
	j->blocks = h->blocks;
	j->changed = k->changed;
	j->built = 0;
	j->status |= EXIT_CHANGED;
	return 0;
}

static errcode_t try(struct inplace *k)
{
	errcode_t err = list_trees_that_stay(k);

	if (!err && !k->is_over)
		err = change_trees(k);
	if (!err && !k->is_over)
		err = weigh(k);
	if (!err && !k->is_over)
		return write_changes(k);
	k->j->came = k->j->went = 0;
	return err;
}

errcode_t change_in_place(struct job *j)
{
	struct inplace k = { .j = j };
	errcode_t err = 0;
	size_t i;

	if (!is_possible(j))
		return 0;
	err = bfo_txlog_open(&j->ctx, j->vol, &k.log);
	/* without a sound journal nothing is safe in place */
	if (err == BFO_ET_NOT_JOURNALED || err == BFO_ET_UNHEALTHY) {
		bfo_what_clear(&j->ctx);
		return 0;
	}
	if (!err) {
		j->seen = 0;
		j->is_sorted = 1;
		err = bfo_extsort_finish(j->names);
	}
	if (!err)
		err = try(&k);
	bfo_txlog_free(&k.log);
	for (i = 0; i < k.blocks.n; i++)
		free(k.blocks.v[i].data);
	bfo_vec_free(&k.blocks);
	bfo_vec_free(&k.order);
	bfo_vec_free(&k.dirs);
	return err;
}
