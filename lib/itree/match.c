// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * match.c - a tree that is changed in memory
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "itree/change.h"
#include "itree/check.h"
#include "itree/match.h"

/* ---- the store ---- */

static errcode_t take_memory(struct itree_draft *d, uint32_t blk)
{
	if (d->blocks[blk].data)
		return 0;
	d->blocks[blk].data = malloc(d->store.block_size);
	d->loaded += d->blocks[blk].data != NULL;
	return d->blocks[blk].data ? 0 : ENOMEM;
}

static errcode_t read_block(void *priv, uint32_t blk, void *block)
{
	struct itree_draft *d = priv;
	int is_new = blk < d->room && !d->blocks[blk].data;
	errcode_t err = blk < d->room ? take_memory(d, blk) : BFO_ET_ITREE;

	if (!err && is_new)
		err = d->base->read(d->base->priv, blk, d->blocks[blk].data);
	if (!err)
		memcpy(block, d->blocks[blk].data, d->store.block_size);
	return err;
}

static errcode_t write_block(void *priv, uint32_t blk, const void *block)
{
	struct itree_draft *d = priv;
	errcode_t err = take_memory(d, blk);

	if (err)
		return err;
	memcpy(d->blocks[blk].data, block, d->store.block_size);
	d->changed += !d->blocks[blk].is_changed;
	d->blocks[blk].is_changed = 1;
	return 0;
}

static errcode_t alloc_block(void *priv, uint32_t *blk)
{
	struct itree_draft *d = priv;

	if (!d->spare.n && d->next == d->room)
		return BFO_ET_NO_SPACE;
	*blk = d->spare.n ? d->spare.v[--d->spare.n] : d->next++;
	d->blocks[*blk].is_spare = 0;
	return 0;
}

/* What is in it is of no use any more.  Without memory the block stays unused, and no more. */
static void release_block(void *priv, uint32_t blk)
{
	struct itree_draft *d = priv;

	d->changed -= d->blocks[blk].is_changed;
	d->blocks[blk].is_changed = 0;
	d->blocks[blk].is_spare = 1;
	(void) !bfo_vec_push(&d->spare, blk);
}

errcode_t itree_draft_open(struct itree_draft *d, const struct itree_store *base, uint32_t seed,
			   const struct itree_dir *dir, uint32_t room)
{
	memset(d, 0, sizeof(*d));
	d->base = base;
	d->store = (struct itree_store) { .block_size = base->block_size, .priv = d,
		.read = read_block, .write = write_block, .alloc = alloc_block,
		.release = release_block };
	d->room = room;
	d->next = dir->blocks;
	if (room < dir->blocks)
		return BFO_ET_ITREE;
	d->blocks = calloc(room, sizeof(*d->blocks));
	return d->blocks ? itree_open(&d->t, &d->store, seed, dir) : ENOMEM;
}

void itree_draft_close(struct itree_draft *d)
{
	uint32_t i;

	itree_close(&d->t);
	for (i = 0; d->blocks && i < d->room; i++)
		free(d->blocks[i].data);
	free(d->blocks);
	bfo_vec_free(&d->spare);
	bfo_vec_free(&d->differences);
	bfo_vec_free(&d->names);
	memset(d, 0, sizeof(*d));
}

static int is_over(struct itree_draft *d)
{
	uint64_t memory = (uint64_t) d->loaded * d->store.block_size + d->names.n +
			  d->differences.n * sizeof(*d->differences.v);

	if ((d->most_memory && memory > d->most_memory) ||
	    (d->most_changed && d->changed > d->most_changed))
		d->is_over = 1;
	return d->is_over;
}

/* ---- what came, what went ---- */

/*
 * Entries with equal keys are in any order.  Those of the run that have not found their like, of
 * the tree and then of the directory, stand at the end of the differences.
 */
struct match {
	struct itree_draft *d;
	itree_next next;
	void *priv;
	struct itree_entry want;	/* the next one that there should be, */
	int more;			/* if there is one */
	itree_key key;			/* of the run, */
	size_t run;			/* which begins there */
};

errcode_t itree_draft_add(struct itree_draft *d, const struct itree_entry *e, int came)
{
	struct itree_difference one = { .key = e->key, .name = d->names.n, .came = came,
					.name_len = e->name_len, .type = e->type };
	errcode_t err = bfo_vec_reserve(&d->names, e->name_len);

	if (err)
		return err;
	memcpy(d->names.v + d->names.n, e->name, e->name_len);
	d->names.n += e->name_len;
	err = bfo_vec_push(&d->differences, one);
	return !err && is_over(d) ? BFO_ET_OVERFLOW : err;
}

static errcode_t take_wanted(struct match *m)
{
	errcode_t err = itree_draft_add(m->d, &m->want, 1);

	return err ? err : m->next(m->priv, &m->want, &m->more);
}

/* Entries with one key: by name and type. */
static int compare_entries(const struct itree_difference *x, const struct itree_difference *y,
			   const char *names)
{
	int c = (int) x->name_len - y->name_len;

	if (!c)
		c = memcmp(names + x->name, names + y->name, x->name_len);
	return c ? c : (int) x->type - y->type;
}

static int compare(const void *a, const void *b, void *names)
{
	const struct itree_difference *x = a, *y = b;
	int c = compare_entries(x, y, names);

	return c ? c : x->came - y->came;
}

/* Of the run, pairs of an entry that went and its like that came are no differences. */
static void pair(struct match *m)
{
	struct itree_draft *d = m->d;
	struct itree_difference *v = d->differences.v;
	size_t n = d->differences.n, i = m->run, to = m->run;

	if (n - i < 2)
		return;
	qsort_r(v + i, n - i, sizeof(*v), compare, d->names.v);
	for (; i < n; i++)
		if (to > m->run && v[i].came && !v[to - 1].came &&
		    !compare_entries(&v[to - 1], &v[i], d->names.v))
			to--;
		else
			v[to++] = v[i];
	d->differences.n = to;
}

static errcode_t end_run(struct match *m)
{
	errcode_t err = 0;

	while (!err && m->more && m->want.key == m->key)
		err = take_wanted(m);
	if (!err)
		pair(m);
	m->run = m->d->differences.n;
	return err;
}

static int is_same(const struct itree_entry *a, const struct itree_entry *b)
{
	return a->key == b->key && a->name_len == b->name_len && a->type == b->type &&
	       !memcmp(a->name, b->name, a->name_len);
}

/* The next entry of the tree. */
static errcode_t take_entry(void *priv, const struct itree_entry *e)
{
	struct match *m = priv;
	errcode_t err = 0;

	if (e->key != m->key) {
		err = end_run(m);
		m->key = e->key;
		while (!err && m->more && m->want.key < e->key)
			err = take_wanted(m);
		m->run = m->d->differences.n;
	}
	if (err)
		return err;
	if (m->more && is_same(&m->want, e))
		return m->next(m->priv, &m->want, &m->more);
	return itree_draft_add(m->d, e, 0);
}

/* Which blocks of the tree can be used anew, the lowest one last. */
static errcode_t list_spare(struct itree_draft *d, const uint64_t *used)
{
	errcode_t err = 0;
	uint32_t blk;

	for (blk = d->t.dir.blocks; blk-- && !err;) {
		if (itree_is_used(used, blk))
			continue;
		d->blocks[blk].is_spare = 1;
		err = bfo_vec_push(&d->spare, blk);
	}
	return err;
}

/* Reads the tree as it stands, past what is in memory. */
static errcode_t find_differences(struct match *m)
{
	struct itree_draft *d = m->d;
	struct itree as_it_stands = d->t;
	struct itree_checked checked;
	uint64_t *used = calloc(itree_used_words(d->t.dir.blocks), sizeof(*used));
	errcode_t err = used ? m->next(m->priv, &m->want, &m->more) : ENOMEM;

	as_it_stands.store = d->base;
	if (!err)
		err = itree_check_blocks(&as_it_stands, take_entry, m, &checked, used);
	if (!err)
		err = end_run(m);
	while (!err && m->more)
		err = take_wanted(m);
	if (!err)
		err = list_spare(d, used);
	free(used);
	return err;
}

/* ---- changing ---- */

static errcode_t apply(struct itree_draft *d, const struct itree_difference *x)
{
	struct itree_entry e = { .key = x->key, .name = d->names.v + x->name,
				 .name_len = x->name_len, .type = x->type };
	errcode_t err = x->came ? itree_insert(&d->t, &e)
				: itree_delete(&d->t, e.key, e.name, e.name_len);

	d->came += x->came;
	d->went += !x->came;
	return !err && is_over(d) ? BFO_ET_OVERFLOW : err;
}

/* Unused blocks at the end are the tree's no more. */
static void shorten(struct itree_draft *d)
{
	while (d->t.dir.blocks > 1 && d->blocks[d->t.dir.blocks - 1].is_spare)
		d->t.dir.blocks--;
}

static int by_key(const void *a, const void *b, void *names)
{
	const struct itree_difference *x = a, *y = b;

	return x->key != y->key ? (x->key < y->key ? -1 : 1) : compare(x, y, names);
}

/* What goes makes room for what comes. */
static errcode_t apply_all(struct itree_draft *d)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < d->differences.n && !err; i++)
		if (!d->differences.v[i].came)
			err = apply(d, &d->differences.v[i]);
	for (i = 0; i < d->differences.n && !err; i++)
		if (d->differences.v[i].came)
			err = apply(d, &d->differences.v[i]);
	if (!err)
		shorten(d);
	return err;
}

/* What has ended for its cost is no failure. */
static errcode_t end_over(struct itree_draft *d, errcode_t err)
{
	if (err == BFO_ET_NO_SPACE)
		d->is_over = 1;
	return d->is_over ? 0 : err;
}

errcode_t itree_draft_apply(struct itree_draft *d)
{
	if (d->differences.n)
		qsort_r(d->differences.v, d->differences.n, sizeof(*d->differences.v), by_key,
			d->names.v);
	return end_over(d, apply_all(d));
}

errcode_t itree_draft_match(struct itree_draft *d, itree_next next, void *priv)
{
	struct match m = { .d = d, .next = next, .priv = priv };
	errcode_t err = find_differences(&m);

	return end_over(d, err ? err : apply_all(d));
}
