// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_itree_tree.c - itree/tree and itree/cursor: search finds each entry and no other, cursors go on
 * from any position
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "itreemade.h"

static const struct shape {
	size_t n;
	uint32_t block_size, fill, run, min, max;
} shapes[] = {
	{ 0, 1024, 100, 1, 4, 4 }, { 1, 1024, 100, 1, 4, 4 }, { 2, 1024, 100, 2, 4, 4 },
	{ 3000, 1024, 100, 1, 4, 255 }, { 9000, 1024, 50, 1, 255, 255 },
	{ 3000, 1024, 100, 3, 4, 40 }, { 3000, 1024, 70, 150, 4, 40 },
	{ 600, 1024, 100, 600, 4, 40 }, { 5000, 4096, 100, 2, 4, 40 },
	{ 10000, 65536, 100, 2, 4, 20 },
};

#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

struct bed {
	struct made_tree m;
	struct made_entry *v;
	size_t n;
	struct chance c;
};

static void bed_make(struct bed *b, int i)
{
	const struct shape *s = &shapes[i];

	chance_init(&b->c, 900 + i);
	b->n = s->n;
	b->v = made_entries(&b->c, s->n, s->run, s->min, s->max);
	made_tree_build(&b->m, s->block_size, s->fill, b->v, s->n);
}

static void bed_free(struct bed *b)
{
	made_tree_free(&b->m);
	made_entries_free(b->v, b->n);
}

/* The first entry with a key above POS. */
static size_t first_above(const struct bed *b, uint64_t pos)
{
	size_t lo = 0, hi = b->n, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (b->v[mid].key <= pos)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

START_TEST(finds_each)
{
	char name[255] = "no such name in here";
	struct itree_entry e;
	struct bed b;
	size_t i;

	bed_make(&b, _i);
	for (i = 0; i < b.n; i++) {
		want_ok(itree_search(&b.m.t, b.v[i].key, b.v[i].name, b.v[i].len, &e));
		want_eq(e.key, b.v[i].key);
		want_eq(e.type, b.v[i].type);
		want(e.name == b.v[i].name && e.name_len == b.v[i].len);
	}
	want_ok(b.n ? itree_search(&b.m.t, b.v[0].key, b.v[0].name, b.v[0].len, NULL) : 0);
	for (i = 0; i < b.n; i += 1 + b.n / 2000) {
		want_err(itree_search(&b.m.t, b.v[i].key, name, b.v[i].len, &e), BFO_ET_NO_PATH);
		want_err(itree_search(&b.m.t, b.v[i].key, b.v[i].name, b.v[i].len - 1, &e),
			 BFO_ET_NO_PATH);
		want_err(itree_search(&b.m.t, b.v[i].key + 1, b.v[i].name, b.v[i].len, &e),
			 BFO_ET_NO_PATH);
	}
	want_err(itree_search(&b.m.t, 0, "a", 1, &e), BFO_ET_NO_PATH);
	want_err(itree_search(&b.m.t, UINT64_MAX, "a", 1, &e), BFO_ET_NO_PATH);
	bed_free(&b);
}
END_TEST

/* Reads up to HOW_MANY entries, which are v[i] and so on; returns the next i. */
static size_t read_some(const struct bed *b, struct itree_cursor *c, size_t i, size_t how_many,
			size_t end)
{
	struct itree_entry e;

	for (; how_many; how_many--, i++) {
		want_ok(itree_cursor_next(c, &e));
		if (!e.name)
			break;
		want(i < end);
		want_eq(e.key, b->v[i].key);
		want_eq(e.name_len, b->v[i].len);
		want_mem(e.name, b->v[i].name, e.name_len);
	}
	if (how_many) {
		want_eq(i, end);
		want_eq(itree_cursor_tell(c), UINT64_MAX);
		want_ok(itree_cursor_next(c, &e));
		want(!e.name);
	}
	return i;
}

/* After v[i - 1] was read, the position: of the key, or before it if more with it follow. */
static uint64_t position(const struct bed *b, size_t i)
{
	return i < b->n && b->v[i].key == b->v[i - 1].key ? b->v[i].key - 1 : b->v[i - 1].key;
}

START_TEST(reads_in_order)
{
	struct itree_cursor c;
	struct bed b;
	size_t i;

	bed_make(&b, _i);
	made_tree_reopen(&b.m);
	itree_cursor_init(&c, &b.m.t);
	want_eq(itree_cursor_tell(&c), 0);
	for (i = 0; i < b.n; i++) {
		want_eq(read_some(&b, &c, i, 1, b.n), i + 1);
		want_eq(itree_cursor_tell(&c), position(&b, i + 1));
	}
	want_eq(b.m.reads, b.n ? b.m.dir.blocks : 0);		/* each block once */
	read_some(&b, &c, i, 1, b.n);
	itree_cursor_free(&c);
	bed_free(&b);
}
END_TEST

/* From any position, those that are and those between. */
START_TEST(goes_on_from_any_position)
{
	struct itree_cursor c;
	struct bed b;
	size_t i, at, step;
	int d;

	bed_make(&b, _i);
	itree_cursor_init(&c, &b.m.t);
	step = 1 + b.n / 1000;
	for (i = 0; i < b.n; i += step)
		for (d = -1; d <= 1; d++) {
			itree_cursor_seek(&c, b.v[i].key + d);
			want_eq(itree_cursor_tell(&c), b.v[i].key + d);
			at = first_above(&b, b.v[i].key + d);
			read_some(&b, &c, at, 1 + chance_below(&b.c, 90), b.n);
		}
	itree_cursor_seek(&c, 0);
	read_some(&b, &c, 0, b.n + 1, b.n);
	itree_cursor_seek(&c, UINT64_MAX);
	read_some(&b, &c, b.n, 1, b.n);
	itree_cursor_seek(&c, UINT64_MAX - 1);
	read_some(&b, &c, b.n, 1, b.n);
	itree_cursor_free(&c);
	bed_free(&b);
}
END_TEST

/*
 * A new cursor at tell() of one that stopped anywhere loses nothing: a run is read again from its
 * start.
 */
START_TEST(loses_nothing)
{
	struct itree_cursor c, d;
	struct bed b;
	size_t i;

	bed_make(&b, _i);
	itree_cursor_init(&c, &b.m.t);
	itree_cursor_init(&d, &b.m.t);
	for (i = 0; i < b.n && i < 2000; i++) {
		read_some(&b, &c, i, 1, b.n);
		itree_cursor_seek(&d, itree_cursor_tell(&c));
		read_some(&b, &d, first_above(&b, itree_cursor_tell(&c)), 2, b.n);
		want(first_above(&b, itree_cursor_tell(&c)) <= i + 1);
	}
	itree_cursor_free(&c);
	itree_cursor_free(&d);
	bed_free(&b);
}
END_TEST

START_TEST(reads_ranges)
{
	struct itree_cursor c;
	itree_key from, to;
	struct bed b;
	int i;

	bed_make(&b, _i);
	itree_cursor_init(&c, &b.m.t);
	for (i = 0; i < 500 && b.n; i++) {
		from = b.v[chance_below(&b.c, b.n)].key - chance_below(&b.c, 2);
		to = b.v[chance_below(&b.c, b.n)].key + chance_below(&b.c, 2);
		itree_cursor_keys(&c, from, to);
		if (from <= to)
			read_some(&b, &c, first_above(&b, from - 1), b.n + 1, first_above(&b, to));
		itree_cursor_inodes(&c, from >> 32, to >> 32);
		if (from >> 32 <= to >> 32)
			read_some(&b, &c, from >> 32 ? first_above(&b, (from >> 32 << 32) - 1) : 0,
				  b.n + 1, first_above(&b, to | UINT32_MAX));
	}
	itree_cursor_keys(&c, 0, UINT64_MAX);
	read_some(&b, &c, 0, b.n + 1, b.n);
	itree_cursor_inodes(&c, 0, 0);
	read_some(&b, &c, 0, 1, 0);
	itree_cursor_inodes(&c, UINT32_MAX, UINT32_MAX);
	read_some(&b, &c, first_above(&b, 0xfffffffeffffffff), b.n + 1, b.n);
	itree_cursor_free(&c);
	bed_free(&b);
}
END_TEST

/* Leaves in ascending order, every block once. */
START_TEST(check_reads_ascending)
{
	struct itree_checked out;
	struct bed b;

	bed_make(&b, _i);
	made_tree_reopen(&b.m);
	want_ok(itree_check(&b.m.t, NULL, NULL, &out));
	want_eq(b.m.reads, b.m.dir.blocks);
	want_eq(b.m.last_read, b.m.dir.leaves - 1);
	want_eq(out.leaves, b.m.dir.leaves);
	want_eq(out.nodes, b.m.dir.blocks - b.m.dir.leaves);
	want_eq(out.entries, b.n);
	want_eq(out.set_hash, b.m.dir.set_hash);
	bed_free(&b);
}
END_TEST

/* A read that fails now and then: the cursor stays where it was, and goes on. */
START_TEST(goes_on_after_errors)
{
	struct itree_cursor c;
	struct itree_entry e;
	size_t i, failures = 0;
	struct bed b;

	bed_make(&b, _i);
	itree_cursor_init(&c, &b.m.t);
	b.m.reads_left = 0;
	if (b.n)
		want_err(itree_cursor_next(&c, &e), EIO);
	b.m.reads_left = 0;
	for (i = 0; i < b.n;) {
		if (itree_cursor_next(&c, &e)) {
			failures++;
			want_eq(itree_cursor_tell(&c), i ? position(&b, i) : 0);
			want_err(itree_search(&b.m.t, b.v[0].key, "x", 1, NULL), EIO);
			b.m.reads_left = failures % 3 ? UINT32_MAX : 1;
			continue;
		}
		want_eq(e.key, b.v[i].key);
		want_mem(e.name, b.v[i].name, b.v[i].len);
		i++;
		if (chance_below(&b.c, 50) == 0)
			b.m.reads_left = 0;
	}
	want(failures >= (b.n && b.m.dir.leaves < 20 ? 1 : b.n / 1000));
	itree_cursor_free(&c);
	bed_free(&b);
}
END_TEST

START_TEST(open_refuses)
{
	struct itree_store store = { .block_size = 1024 };
	struct itree_dir good = { .levels = 1, .blocks = 5, .root = 4, .leaves = 4 }, dir = good;
	struct itree t;

	want_ok(itree_open(&t, &store, 1, &dir));
	dir.levels = ITREE_MAX_LEVELS + 1;
	want_err(itree_open(&t, &store, 1, &dir), BFO_ET_ITREE);
	dir = good;
	dir.root = 5;
	want_err(itree_open(&t, &store, 1, &dir), BFO_ET_ITREE);
	dir = good;
	dir.leaves = 6;
	want_err(itree_open(&t, &store, 1, &dir), BFO_ET_ITREE);
	dir.leaves = 0;
	want_err(itree_open(&t, &store, 1, &dir), BFO_ET_ITREE);
}
END_TEST

Suite *itree_tree_suite(void)
{
	Suite *s = suite_create("itree_tree");

	unit_case(s, "finds_each", finds_each, SHAPES);
	unit_case(s, "reads_in_order", reads_in_order, SHAPES);
	unit_case(s, "goes_on_from_any_position", goes_on_from_any_position, SHAPES);
	unit_case(s, "loses_nothing", loses_nothing, SHAPES);
	unit_case(s, "reads_ranges", reads_ranges, SHAPES);
	unit_case(s, "check_reads_ascending", check_reads_ascending, SHAPES);
	unit_case(s, "goes_on_after_errors", goes_on_after_errors, SHAPES);
	unit_case(s, "open_refuses", open_refuses, 0);
	return s;
}
