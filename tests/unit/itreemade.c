// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * itreemade.c - trees in memory
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "itreemade.h"

static errcode_t read_block(void *priv, uint32_t blk, void *block)
{
	struct made_tree *m = priv;

	want(blk < m->blocks.n);
	if (!m->reads_left)
		return EIO;
	m->reads_left--;
	m->reads++;
	m->last_read = blk;
	memcpy(block, m->blocks.v[blk], m->store.block_size);
	return 0;
}

static errcode_t write_block(void *priv, uint32_t blk, const void *block)
{
	struct made_tree *m = priv;

	want(blk < m->blocks.n);
	if (!m->writes_left)
		return EIO;
	m->writes_left--;
	m->writes++;
	memcpy(m->blocks.v[blk], block, m->store.block_size);
	return 0;
}

static errcode_t alloc_block(void *priv, uint32_t *blk)
{
	struct made_tree *m = priv;

	if (!m->allocs_left)
		return ENOSPC;
	m->allocs_left--;
	if (m->free.n) {
		*blk = m->free.v[--m->free.n];
		return 0;
	}
	*blk = m->blocks.n;
	want_ok(bfo_vec_push(&m->blocks, unit_alloc(m->store.block_size)));
	return 0;
}

/* What is given back must not be used again as it was. */
static void release_block(void *priv, uint32_t blk)
{
	struct made_tree *m = priv;

	want(blk < m->blocks.n);
	memset(m->blocks.v[blk], 0xee, m->store.block_size);
	want_ok(bfo_vec_push(&m->free, blk));
}

static errcode_t emit(void *priv, uint32_t blk, const void *block)
{
	struct made_tree *m = priv;

	want_eq(blk, m->blocks.n);
	want_ok(bfo_vec_push(&m->blocks, unit_copy(block, m->store.block_size)));
	return 0;
}

void made_tree_init(struct made_tree *m, uint32_t block_size)
{
	memset(m, 0, sizeof(*m));
	m->store = (struct itree_store) { block_size, m, read_block, write_block, alloc_block,
					  release_block };
	m->reads_left = m->allocs_left = m->writes_left = UINT32_MAX;
}

struct itree_entry made_itree_entry(const struct made_entry *e)
{
	return (struct itree_entry) { .key = e->key, .name = e->name, .name_len = e->len,
				      .type = e->type };
}

void made_tree_build(struct made_tree *m, uint32_t block_size, uint32_t fill,
		     const struct made_entry *v, size_t n)
{
	struct itree_builder b;
	struct itree_entry e;
	size_t i;

	made_tree_init(m, block_size);
	want_ok(itree_builder_init(&b, block_size, fill, MADE_SEED, emit, m));
	itree_builder_begin(&b, 12, 34);
	for (i = 0; i < n; i++) {
		e = made_itree_entry(&v[i]);
		want_ok(itree_builder_add(&b, &e));
	}
	m->dir.ino = 12;
	m->dir.generation = 34;
	want_ok(itree_builder_end(&b, &m->dir));
	itree_builder_free(&b);
	want_eq(m->dir.blocks, m->blocks.n);
	want_ok(itree_open(&m->t, &m->store, MADE_SEED, &m->dir));
}

void made_tree_reopen(struct made_tree *m)
{
	itree_close(&m->t);
	m->store.write = NULL;
	m->store.alloc = NULL;
	m->store.release = NULL;
	want_ok(itree_open(&m->t, &m->store, MADE_SEED, &m->dir));
}

void made_tree_free(struct made_tree *m)
{
	size_t i;

	itree_close(&m->t);
	for (i = 0; i < m->blocks.n; i++)
		free(m->blocks.v[i]);
	bfo_vec_free(&m->blocks);
	bfo_vec_free(&m->free);
}

static int by_key(const void *a, const void *b)
{
	const struct made_entry *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

struct made_entry *made_entries(struct chance *c, size_t n, uint32_t run, uint32_t min,
				uint32_t max)
{
	struct made_entry *v = unit_alloc((n + 1) * sizeof(*v));
	uint32_t keys = n / run + 1, k;
	char *name;
	size_t i;

	for (i = 0; i < n; i++) {
		k = chance_below(c, keys);
		v[i].key = itree_key_make(1 + k / 2, run == 1 ? chance_bits(c) : k % 2 << 8);
		v[i].len = chance_between(c, min, max);
		v[i].type = chance_below(c, 8);
		name = unit_alloc(v[i].len + 1);
		chance_fill(c, name, v[i].len);
		if (v[i].len >= 4)
			memcpy(name, &(uint32_t) { i }, 4);
		v[i].name = name;
	}
	qsort(v, n, sizeof(*v), by_key);
	return v;
}

void made_entries_free(struct made_entry *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		free((char *) v[i].name);
	free(v);
}

struct expected {
	const struct made_entry *v;
	size_t n, i;
};

static errcode_t compare(void *priv, const struct itree_entry *e)
{
	struct expected *x = priv;
	const struct made_entry *v = &x->v[x->i];

	want(x->i < x->n);
	want_eq(e->key, v->key);
	want_eq(e->type, v->type);
	want_eq(e->name_len, v->len);
	want_mem(e->name, v->name, v->len);
	x->i++;
	return 0;
}

void made_tree_want(const struct made_tree *m, const struct made_entry *v, size_t n)
{
	struct expected x = { v, n, 0 };
	struct itree_checked out;
	errcode_t err = itree_check(&m->t, compare, &x, &out);

	if (err == BFO_ET_ITREE)
		ck_abort_msg("block %u %s", out.blk, itree_damage_text(out.what));
	want_ok(err);
	want_eq(x.i, n);
	want_eq(out.entries, n);
	want_eq(out.leaves + out.nodes, m->blocks.n - m->free.n);
}
