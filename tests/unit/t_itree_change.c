// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_itree_change.c - itree/change: trees that change, against an array that does the same
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "itreemade.h"

/* ---- the model: entries sorted by key, those with one key in the order in which they came ---- */

struct item {
	struct made_entry e;
	uint32_t id;
	char name[255];
};

struct model {
	struct made_tree m;
	struct chance c;
	BFO_VEC(struct item *) items;
	uint32_t keys, min, max, next_id;
	struct itree_cursor cursor;
	struct item *last;		/* read last; NULL if that was deleted */
	uint64_t last_key;
};

static size_t upper(const struct model *m, itree_key key)
{
	size_t lo = 0, hi = m->items.n, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (m->items.v[mid]->e.key <= key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static itree_key some_key(struct model *m)
{
	uint32_t k;

	if (!m->keys)
		return itree_key_make(1 + chance_below(&m->c, 100000), chance_bits(&m->c));
	k = chance_below(&m->c, m->keys);
	return itree_key_make(1 + k / 3, k % 3 * 2);
}

static void put_at(struct model *m, size_t i, struct item *item)
{
	want_ok(bfo_vec_push(&m->items, NULL));
	memmove(&m->items.v[i + 1], &m->items.v[i], (m->items.n - 1 - i) * sizeof(item));
	m->items.v[i] = item;
}

static void insert(struct model *m)
{
	struct item *item = unit_alloc(sizeof(*item));
	struct itree_entry e;

	item->id = m->next_id++;
	item->e = (struct made_entry) { .key = some_key(m), .name = item->name,
		.len = chance_between(&m->c, m->min, m->max), .type = chance_below(&m->c, 8) };
	memset(item->name, 'a' + item->id % 26, item->e.len);
	memcpy(item->name, &item->id, 4);
	e = made_itree_entry(&item->e);
	want_ok(itree_insert(&m->m.t, &e));
	put_at(m, upper(m, item->e.key), item);
}

static void delete(struct model *m, size_t i)
{
	struct item *item = m->items.v[i];

	want_ok(itree_delete(&m->m.t, item->e.key, item->name, item->e.len));
	want_err(itree_search(&m->m.t, item->e.key, item->name, item->e.len, NULL), BFO_ET_NO_PATH);
	m->items.n--;
	memmove(&m->items.v[i], &m->items.v[i + 1], (m->items.n - i) * sizeof(item));
	if (m->last == item)
		m->last = NULL;
	free(item);
}

static void restart(struct model *m)
{
	itree_cursor_seek(&m->cursor, 0);
	m->last = NULL;
	m->last_key = 0;
}

/*
 * What the cursor has to deliver: what follows the entry read last; if that is gone, the first of
 * its run, or what follows the run if it was done.
 */
static size_t expected(const struct model *m)
{
	size_t i = upper(m, itree_cursor_tell(&m->cursor));

	while (m->last && itree_cursor_tell(&m->cursor) < m->last_key && m->items.v[i++] != m->last)
		;
	return i;
}

static void step_cursor(struct model *m)
{
	size_t i = expected(m);
	struct itree_entry e;

	want_ok(itree_cursor_next(&m->cursor, &e));
	if (i < m->items.n) {
		want(e.name != NULL);
		want_eq(e.key, m->items.v[i]->e.key);
		want_eq(e.name_len, m->items.v[i]->e.len);
		want_mem(e.name, m->items.v[i]->name, e.name_len);
		m->last = m->items.v[i];
		m->last_key = e.key;
		return;
	}
	want(!e.name);
	restart(m);
}

static void look_up_some(struct model *m)
{
	const struct item *item;
	struct itree_entry e;

	if (!m->items.n)
		return;
	item = m->items.v[chance_below(&m->c, m->items.n)];
	want_ok(itree_search(&m->m.t, item->e.key, item->name, item->e.len, &e));
	want_eq(e.type, item->e.type);
	want_err(itree_search(&m->m.t, item->e.key, item->name, item->e.len - 1, &e),
		 BFO_ET_NO_PATH);
}

/* The whole tree is sound and has what the model has. */
static void compare(struct model *m)
{
	struct made_entry *v = unit_alloc((m->items.n + 1) * sizeof(*v));
	size_t i;

	for (i = 0; i < m->items.n; i++)
		v[i] = m->items.v[i]->e;
	made_tree_want(&m->m, v, m->items.n);
	free(v);
}

static void model_free(struct model *m)
{
	size_t i;

	itree_cursor_free(&m->cursor);
	made_tree_free(&m->m);
	for (i = 0; i < m->items.n; i++)
		free(m->items.v[i]);
	bfo_vec_free(&m->items);
}

static const struct shape {
	uint32_t block_size, keys, min, max, most, ops, merge;
} shapes[] = {
	{ 1024, 0, 4, 12, 6000, 200000, ITREE_MERGE },
	{ 1024, 0, 4, 255, 3000, 150000, ITREE_MERGE },
	{ 1024, 0, 200, 255, 2500, 100000, 255 },	/* eager */
	{ 1024, 40, 4, 30, 2500, 100000, ITREE_MERGE },	/* every run has a leaf or two */
	{ 1024, 3, 4, 100, 600, 50000, ITREE_MERGE },	/* three runs are all there is */
	{ 1024, 1, 4, 255, 300, 50000, 255 },
	{ 1024, 1000, 4, 60, 3000, 150000, 0 },		/* only what is empty goes */
	{ 4096, 500, 4, 40, 5000, 100000, ITREE_MERGE },
	{ 65536, 0, 4, 40, 10000, 70000, ITREE_MERGE },
	{ 65536, 2, 4, 40, 8000, 30000, ITREE_MERGE },
};

#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

/*
 * Grows to `most` entries and shrinks to none, again and again: INSERTS of 100 changes are inserts.
 */
static uint32_t tide(const struct model *m, const struct shape *s, uint32_t inserts)
{
	if (m->items.n >= s->most)
		return 35;
	return m->items.n ? inserts : 65;
}

/* 1,000,000 operations over all shapes. */
START_TEST(changes_like_an_array)
{
	const struct shape *s = &shapes[_i];
	uint32_t inserts = 65, op, deepest = 0;
	struct model m = { .keys = s->keys, .min = s->min, .max = s->max };
	uint32_t every = s->most > 5000 ? 2000 : 1000;

	chance_init(&m.c, 1000 + _i);
	made_tree_build(&m.m, s->block_size, 100, NULL, 0);
	m.m.t.merge = s->merge;
	itree_cursor_init(&m.cursor, &m.m.t);
	for (op = 0; op < s->ops; op++) {
		inserts = tide(&m, s, inserts);
		switch (chance_below(&m.c, 8)) {
		case 0:
			look_up_some(&m);
			break;
		case 1:
			if (!chance_below(&m.c, 1000))
				restart(&m);
			step_cursor(&m);
			break;
		default:
			if (chance_below(&m.c, 100) < inserts)
				insert(&m);
			else if (m.items.n)
				delete(&m, chance_below(&m.c, m.items.n));
		}
		if (m.m.t.dir.levels > deepest)
			deepest = m.m.t.dir.levels;
		if (op % every == 0)
			compare(&m);
	}
	want(deepest >= (s->block_size == 1024 ? 2 : 1));
	while (m.items.n) {
		delete(&m, chance_below(&m.c, m.items.n));
		if (m.items.n % 500 == 0)
			compare(&m);
	}
	want_eq(m.m.t.dir.levels, 0);
	want_eq(m.m.t.dir.leaves, 1);
	want_eq(m.m.t.dir.set_hash, 0);
	compare(&m);
	model_free(&m);
}
END_TEST

/* ---- named situations ---- */

static void add(struct made_tree *m, uint32_t ino, const char *name, uint8_t len)
{
	struct itree_entry e = { .key = itree_key_make(ino, 0), .name = name, .name_len = len };

	want_ok(itree_insert(&m->t, &e));
}

static uint32_t leaf_used(const struct made_tree *m)
{
	want_eq(m->t.dir.levels, 0);
	return itree_leaf_used(m->blocks.v[m->t.dir.root]);
}

/*
 * Hidden room behind an entry is used again by one that sorts there, and squeezed out for others.
 */
START_TEST(uses_hidden_room)
{
	char name[255];
	struct made_tree m;
	uint32_t i;

	memset(name, 'n', sizeof(name));
	made_tree_build(&m, 1024, 100, NULL, 0);
	for (i = 1; i <= 3; i++)
		add(&m, i * 10, name, 244);		/* 256 bytes each */
	want_eq(leaf_used(&m), 8 + 3 * 256);
	want_ok(itree_delete(&m.t, itree_key_make(20, 0), name, 244));
	want_eq(leaf_used(&m), 8 + 3 * 256);		/* hidden by the first */
	add(&m, 15, name, 100);
	want_eq(leaf_used(&m), 8 + 3 * 256);
	want_ok(itree_delete(&m.t, itree_key_make(10, 0), name, 244));
	want_eq(leaf_used(&m), 8 + 3 * 256);		/* the second has moved to its place */
	add(&m, 40, name, 244);				/* 112 + 256 + 256 are live */
	want_eq(leaf_used(&m), 8 + 112 + 2 * 256 + (1024 - 8 - 3 * 256 >= 256 ? 256 + 144 : 0));
	want_eq(m.t.dir.leaves, 1);
	want_ok(itree_delete(&m.t, itree_key_make(40, 0), name, 244));
	want_ok(itree_delete(&m.t, itree_key_make(30, 0), name, 244));
	want_ok(itree_delete(&m.t, itree_key_make(15, 0), name, 100));
	want_eq(leaf_used(&m), 8);
	made_tree_want(&m, NULL, 0);
	made_tree_free(&m);
}
END_TEST

/* A leaf whose middle is a run of equal keys is split beside it, as long as that is not far. */
START_TEST(splits_beside_runs)
{
	struct itree_child child;
	struct made_tree m;
	char name[8];
	uint32_t i;

	made_tree_build(&m, 1024, 100, NULL, 0);
	for (i = 0; i < 63; i++) {
		memcpy(name, &i, 4);
		add(&m, i < 26 ? 2 + i : i < 38 ? 50 : 60 + i, name, 4);
	}
	want_eq(m.t.dir.levels, 0);
	memcpy(name, &i, 4);
	add(&m, 1, name, 4);
	want_eq(m.t.dir.levels, 1);
	want_eq(m.t.dir.leaves, 2);
	itree_node_get(m.blocks.v[m.t.dir.root], 1, &child);
	want_eq(child.flags, 0);
	want(child.key == itree_key_make(50, 0) || child.key == itree_key_make(60 + 38, 0));
	want_ok(itree_check(&m.t, NULL, NULL, &(struct itree_checked) { 0 }));
	made_tree_free(&m);
}
END_TEST

/* In ascending order leaves are full, as if they had been bulk-loaded. */
START_TEST(appends_to_full_leaves)
{
	struct itree_checked out;
	struct made_tree m;
	uint32_t i;
	char name[8];

	made_tree_build(&m, 1024, 100, NULL, 0);
	for (i = 1; i <= 6300; i++) {
		memcpy(name, &i, 4);
		add(&m, i, name, 4);			/* 63 in a leaf */
	}
	want_ok(itree_check(&m.t, NULL, NULL, &out));
	want_eq(out.leaves, 100);
	want_eq(out.nodes, 3);
	made_tree_free(&m);
}
END_TEST

/*
 * Of two nodes below the root, one keeps one leaf; the other becomes empty.  What is left is that
 * leaf, though the way to the name deleted last did not lead through its node.
 */
START_TEST(shrinks_all_the_way)
{
	struct itree_child second, leaf;
	struct made_entry *v;
	struct made_tree m;
	struct chance c;
	uint8_t *node;
	size_t i, n = 140, left = 0;

	chance_init(&c, 41);
	v = made_entries(&c, n, 1, 100, 120);
	made_tree_build(&m, 1024, 50, v, n);
	m.t.merge = 0;
	want_eq(m.t.dir.levels, 2);
	want_eq(itree_node_count(m.blocks.v[m.t.dir.root]), 2);
	itree_node_get(m.blocks.v[m.t.dir.root], 1, &second);
	node = m.blocks.v[second.block];
	itree_node_get(node, itree_node_count(node) - 1, &leaf);
	for (i = n; i-- > 0;) {
		if (v[i].key >= leaf.key)
			left++;
		else
			want_ok(itree_delete(&m.t, v[i].key, v[i].name, v[i].len));
		if (v[i].key == second.key)
			want_eq(m.t.dir.levels, 2);
	}
	want_eq(m.t.dir.levels, 0);
	made_tree_want(&m, v + n - left, left);
	made_tree_free(&m);
	made_entries_free(v, n);
}
END_TEST

START_TEST(refuses_what_is_no_entry)
{
	struct itree_entry e = { .key = itree_key_make(1, 0), .name = "x", .name_len = 0 };
	struct made_tree m;

	made_tree_build(&m, 1024, 100, NULL, 0);
	want_err(itree_insert(&m.t, &e), EINVAL);
	e.name_len = 1;
	e.key = 2;
	want_err(itree_insert(&m.t, &e), EINVAL);
	e.key = itree_key_make(1, 0) + 1;
	want_err(itree_insert(&m.t, &e), EINVAL);
	want_err(itree_delete(&m.t, itree_key_make(1, 0), "x", 1), BFO_ET_NO_PATH);
	e.key = itree_key_make(1, 0);
	want_ok(itree_insert(&m.t, &e));
	m.dir = m.t.dir;
	made_tree_reopen(&m);
	want_err(itree_insert(&m.t, &e), EROFS);
	want_err(itree_delete(&m.t, e.key, "x", 1), EROFS);
	made_tree_free(&m);
}
END_TEST

/* A store without room for all blocks of a split leaves the tree as it was. */
START_TEST(survives_a_full_store)
{
	struct itree_entry e;
	struct made_entry *v;
	struct made_tree m;
	struct itree_checked out;
	uint32_t refused = 0;
	struct chance c;
	size_t i, n = 3000;

	chance_init(&c, 77);
	v = made_entries(&c, n, 1, 100, 100);
	made_tree_build(&m, 1024, 100, NULL, 0);
	for (i = 0; i < n; i++) {
		e = made_itree_entry(&v[i * 7 % n]);
		while (m.allocs_left = chance_below(&c, 4), itree_insert(&m.t, &e)) {
			if (refused++ % 50 == 0)
				want_ok(itree_check(&m.t, NULL, NULL, &out));
		}
	}
	want(refused > 100);
	made_tree_want(&m, v, n);
	made_tree_free(&m);
	made_entries_free(v, n);
}
END_TEST

/* After a write that failed nothing more is changed. */
START_TEST(stops_after_a_failed_write)
{
	struct itree_entry e;
	struct made_entry *v;
	struct made_tree m;
	uint64_t writes;
	struct chance c;

	chance_init(&c, 78);
	v = made_entries(&c, 300, 1, 100, 100);
	made_tree_build(&m, 1024, 100, v, 299);
	e = made_itree_entry(&v[299]);
	m.writes_left = _i;
	want_err(itree_insert(&m.t, &e), EIO);
	m.writes_left = 1000;
	writes = m.writes;
	want_err(itree_insert(&m.t, &e), EIO);
	want_err(itree_delete(&m.t, v[0].key, v[0].name, v[0].len), EIO);
	want_eq(m.writes, writes);
	made_tree_free(&m);
	made_entries_free(v, 300);
}
END_TEST

/* What merging costs, in merges and in writes; see change.h. */
struct cost {
	uint64_t merges, writes;
};

#define CROWD 6000

/* All names are deleted in order. */
static void delete_all(struct made_tree *m, const struct made_entry *v)
{
	size_t i;

	for (i = 0; i < CROWD; i++)
		want_ok(itree_delete(&m->t, v[i].key, v[i].name, v[i].len));
}

/* Two fifths of the names go, chosen at random, and come back, a few times. */
static void come_and_go(struct made_tree *m, const struct made_entry *v)
{
	uint8_t *is_gone = unit_alloc(CROWD);
	struct itree_entry e;
	struct chance c;
	size_t i, k;

	chance_init(&c, 6);
	for (i = 0; i < 20 * CROWD; i++) {
		k = chance_below(&c, CROWD);
		e = made_itree_entry(&v[k]);
		if (is_gone[k] == (i / (CROWD / 2) + 1) % 2)
			continue;
		want_ok(is_gone[k] ? itree_insert(&m->t, &e) :
			itree_delete(&m->t, e.key, e.name, e.name_len));
		is_gone[k] ^= 1;
	}
	free(is_gone);
}

static struct cost cost_of(uint32_t merge,
			   void (*work)(struct made_tree *, const struct made_entry *))
{
	struct made_entry *v;
	struct made_tree m;
	struct chance c;
	struct cost cost;

	chance_init(&c, 5);
	v = made_entries(&c, CROWD, 1, 12, 12);
	made_tree_build(&m, 1024, 100, v, CROWD);
	m.t.merge = merge;
	work(&m, v);
	want_ok(itree_check(&m.t, NULL, NULL, &(struct itree_checked) { 0 }));
	cost = (struct cost) { m.t.change->merges, m.writes };
	made_tree_free(&m);
	made_entries_free(v, CROWD);
	return cost;
}

START_TEST(merges_lazily)
{
	struct cost lazy = cost_of(ITREE_MERGE, delete_all), eager = cost_of(255, delete_all);

	want(lazy.merges * 10 < eager.merges);
	lazy = cost_of(ITREE_MERGE, come_and_go);
	eager = cost_of(255, come_and_go);
	want(lazy.merges * 10 < eager.merges);
	want(lazy.writes < eager.writes);
}
END_TEST

Suite *itree_change_suite(void)
{
	Suite *s = suite_create("itree_change");

	unit_case(s, "changes_like_an_array", changes_like_an_array, SHAPES);
	unit_case(s, "uses_hidden_room", uses_hidden_room, 0);
	unit_case(s, "splits_beside_runs", splits_beside_runs, 0);
	unit_case(s, "appends_to_full_leaves", appends_to_full_leaves, 0);
	unit_case(s, "shrinks_all_the_way", shrinks_all_the_way, 0);
	unit_case(s, "refuses_what_is_no_entry", refuses_what_is_no_entry, 0);
	unit_case(s, "survives_a_full_store", survives_a_full_store, 0);
	unit_case(s, "stops_after_a_failed_write", stops_after_a_failed_write, 2);
	unit_case(s, "merges_lazily", merges_lazily, 0);
	return s;
}
