// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_itree_build.c - itree/build: bulk-loaded trees, judged by itree/check and a sorted array
 */
#include <stdlib.h>
#include <string.h>

#include "itreemade.h"

/* The same without a block being made: DIR is the same. */
static void want_same_size(const struct made_tree *m, uint32_t fill, const struct made_entry *v,
			   size_t n)
{
	struct itree_builder b;
	struct itree_dir dir = { .ino = 12, .generation = 34 };
	struct itree_entry e;
	size_t i;

	want_ok(itree_builder_init(&b, m->store.block_size, fill, MADE_SEED, NULL, NULL));
	itree_builder_begin(&b, 99, 1);		/* one after the other with the same builder */
	e = (struct itree_entry) { .key = 2, .name = "x", .name_len = 1 };
	want_ok(itree_builder_add(&b, &e));
	want_ok(itree_builder_end(&b, &dir));
	itree_builder_begin(&b, 12, 34);
	for (i = 0; i < n; i++) {
		e = made_itree_entry(&v[i]);
		want_ok(itree_builder_add(&b, &e));
	}
	want_ok(itree_builder_end(&b, &dir));
	want_mem(&dir, &m->dir, sizeof(dir));
	itree_builder_free(&b);
}

static const struct shape {
	size_t n;
	uint32_t block_size, fill, run, min, max, levels;
} shapes[] = {
	{ 0, 1024, 100, 1, 1, 255, 0 }, { 1, 1024, 100, 1, 1, 1, 0 },
	{ 2, 1024, 100, 1, 255, 255, 0 }, { 3, 1024, 100, 1, 255, 255, 0 },
	{ 4, 1024, 100, 1, 255, 255, 1 },
	{ 1, 65536, 50, 1, 1, 255, 0 },
	{ 64 * 56, 1024, 100, 1, 1, 4, 2 },
	{ 63 * 56, 1024, 100, 1, 1, 4, 1 },	/* one full node of full leaves */
	{ 40000, 1024, 100, 1, 200, 255, 3 }, { 10000, 1024, 50, 1, 255, 255, 3 },
	{ 60000, 1024, 51, 1, 255, 255, 4 },
	{ 100000, 2048, 90, 3, 5, 20, 2 }, { 20000, 1024, 100, 100, 4, 12, 2 },
	{ 20000, 1024, 75, 1000, 4, 255, 3 }, { 5000, 1024, 100, 5000, 4, 12, 2 },
	{ 100000, 4096, 100, 2, 4, 30, 2 }, { 50000, 8192, 100, 1, 4, 30, 1 },
	{ 50000, 16384, 66, 1, 4, 30, 1 }, { 50000, 32768, 100, 1, 4, 30, 1 },
	{ 100000, 65536, 100, 4, 4, 4, 1 }, { 4095, 65536, 100, 1, 4, 4, 0 },
	{ 4096, 65536, 100, 1, 4, 4, 1 },
};

START_TEST(builds_what_it_is_given)
{
	const struct shape *s = &shapes[_i];
	struct made_entry *v;
	struct made_tree m;
	struct chance c;

	chance_init(&c, 500 + _i);
	v = made_entries(&c, s->n, s->run, s->min, s->max);
	made_tree_build(&m, s->block_size, s->fill, v, s->n);
	want_eq(m.dir.levels, s->levels);
	want_eq(m.dir.entries, s->n);
	want_eq(m.dir.root, m.dir.blocks - 1);
	want_same_size(&m, s->fill, v, s->n);
	made_tree_want(&m, v, s->n);
	made_tree_reopen(&m);
	made_tree_want(&m, v, s->n);		/* no block is unused */
	made_tree_free(&m);
	made_entries_free(v, s->n);
}
END_TEST

/* Leaves are as full as they were asked to be, nodes not much less. */
START_TEST(fills_as_asked)
{
	uint32_t fill = 50 + _i * 5, limit, i;
	struct itree_child child;
	struct made_entry *v;
	struct made_tree m;
	struct chance c;
	uint8_t *node;
	uint32_t n;

	chance_init(&c, 600);
	v = made_entries(&c, 200000, 1, 4, 4);
	made_tree_build(&m, 1024, fill, v, 200000);
	limit = 1016 * fill / 100 / 16 * 16 * 255 / 1016;
	node = m.blocks.v[m.dir.leaves];		/* the first node over leaves */
	n = itree_node_count(node);
	want(n <= 56 * fill / 100 && n + 1 >= 56 * fill / 100);
	for (i = 0; i < n; i++) {
		itree_node_get(node, i, &child);
		want_eq(child.block, i);		/* leaves in order, from block 0 on */
		want_eq(child.fullness, limit);
	}
	made_tree_free(&m);
	made_entries_free(v, 200000);
}
END_TEST

static errcode_t refuse(void *priv, uint32_t blk, const void *block)
{
	(void) block;
	return blk == *(uint32_t *) priv ? BFO_ET_NO_SPACE : 0;
}

/* What emit says, whichever block it says it of. */
START_TEST(passes_errors_on)
{
	struct itree_builder b;
	struct itree_dir dir;
	struct made_entry *v;
	struct itree_entry e;
	struct chance c;
	errcode_t err = 0;
	uint32_t at = _i;
	size_t i;

	chance_init(&c, 700);
	v = made_entries(&c, 600, 1, 200, 200);		/* 150 leaves, 3 nodes, root */
	want_ok(itree_builder_init(&b, 1024, 100, 1, refuse, &at));
	itree_builder_begin(&b, 2, 3);
	for (i = 0; i < 600 && !err; i++) {
		e = made_itree_entry(&v[i]);
		err = itree_builder_add(&b, &e);
	}
	if (!err)
		err = itree_builder_end(&b, &dir);
	want_err(err, _i < 154 ? BFO_ET_NO_SPACE : 0);
	itree_builder_free(&b);
	made_entries_free(v, 600);
}
END_TEST

Suite *itree_build_suite(void)
{
	Suite *s = suite_create("itree_build");

	unit_case(s, "builds_what_it_is_given", builds_what_it_is_given,
		  sizeof(shapes) / sizeof(shapes[0]));
	unit_case(s, "fills_as_asked", fills_as_asked, 11);
	unit_case(s, "passes_errors_on", passes_errors_on, 155);
	return s;
}
