// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_itree_damage.c - damaged trees: the check says so; cursors, searches and changes end, and touch
 * nothing that is not theirs (the sanitizers see to that)
 *
 * Damage without its checksum is seen wherever it is.  Damage with a right checksum ("sealed") is
 * what a bug or malice makes: it is seen unless it is in what this check cannot know: the type of
 * an entry, a hash that is wrong but in order, bytes that are not used.
 */
#include <stdlib.h>
#include <string.h>

#include "itreemade.h"

#define SIZE 1024U

struct bed {
	struct made_tree m;
	struct made_entry *v;
	size_t n;
	uint8_t *saved;
	uint32_t blocks;
	struct chance c;
};

/* 35 leaves or so, two nodes, a root; runs of equal keys, some over borders of leaves. */
static void bed_make(struct bed *b, size_t n, uint32_t run)
{
	uint32_t i;

	chance_init(&b->c, 40);
	b->n = n;
	b->v = made_entries(&b->c, n, run, 100, 120);
	made_tree_build(&b->m, SIZE, 50, b->v, n);
	b->blocks = b->m.dir.blocks;
	b->saved = unit_alloc(b->blocks * (size_t) SIZE);
	for (i = 0; i < b->blocks; i++)
		memcpy(b->saved + i * (size_t) SIZE, b->m.blocks.v[i], SIZE);
}

/* As it was, and open. */
static void bed_restore(struct bed *b)
{
	uint32_t i;

	while (b->m.blocks.n > b->blocks)
		free(b->m.blocks.v[--b->m.blocks.n]);
	b->m.free.n = 0;
	for (i = 0; i < b->blocks; i++)
		memcpy(b->m.blocks.v[i], b->saved + i * (size_t) SIZE, SIZE);
	itree_close(&b->m.t);
	want_ok(itree_open(&b->m.t, &b->m.store, MADE_SEED, &b->m.dir));
}

static void bed_free(struct bed *b)
{
	bed_restore(b);
	made_tree_want(&b->m, b->v, b->n);
	made_tree_free(&b->m);
	made_entries_free(b->v, b->n);
	free(b->saved);
}

static void seal(struct bed *b, uint32_t blk)
{
	if (blk < b->m.dir.leaves)
		itree_leaf_seal(b->m.blocks.v[blk], SIZE, b->m.t.seed, blk);
	else
		itree_node_seal(b->m.blocks.v[blk], SIZE, b->m.t.seed, blk);
}

static void want_damage(struct bed *b, enum itree_damage what, uint32_t blk)
{
	struct itree_checked out;

	want_err(itree_check(&b->m.t, NULL, NULL, &out), BFO_ET_ITREE);
	want_eq(out.what, what);
	want_eq(out.blk, blk);
}

static void want_some_damage(struct bed *b)
{
	struct itree_checked out;

	want_err(itree_check(&b->m.t, NULL, NULL, &out), BFO_ET_ITREE);
	want(out.what != ITREE_SOUND);
	want(strlen(itree_damage_text(out.what)) > 5);
}

/* Reads it all; what comes is in order, and not more than leaves can have. */
static errcode_t read_all(struct bed *b, struct itree_entry *last)
{
	uint64_t most = (uint64_t) b->m.dir.leaves * (SIZE / 16), reads = b->m.reads;
	struct itree_cursor c;
	struct itree_entry e;
	itree_key before = 0;
	errcode_t err;

	memset(last, 0, sizeof(*last));
	itree_cursor_init(&c, &b->m.t);
	while (!(err = itree_cursor_next(&c, &e)) && e.name) {
		want(e.key >= before);
		want(most-- > 0);
		before = e.key;
	}
	want(b->m.reads - reads <= 4 * b->blocks + 4);
	itree_cursor_free(&c);
	return err;
}

/* Whatever a user may do with a tree ends in success or a known error. */
static void use(struct bed *b, uint32_t i)
{
	const struct made_entry *v = &b->v[i % b->n];
	struct itree_entry e = made_itree_entry(v), last;
	errcode_t err = read_all(b, &last);

	want(!err || err == BFO_ET_ITREE);
	err = itree_search(&b->m.t, v->key, v->name, v->len, NULL);
	want(!err || err == BFO_ET_ITREE || err == BFO_ET_NO_PATH);
	err = itree_insert(&b->m.t, &e);
	want(!err || err == BFO_ET_ITREE);
	err = itree_delete(&b->m.t, v->key, v->name, v->len);
	want(!err || err == BFO_ET_ITREE || err == BFO_ET_NO_PATH);
	v = &b->v[(i + 1) % b->n];
	err = itree_delete(&b->m.t, v->key, v->name, v->len);
	want(!err || err == BFO_ET_ITREE || err == BFO_ET_NO_PATH);
}

/* Any bit of any block: the check names the block. */
START_TEST(sees_every_flip)
{
	struct bed b;
	uint32_t blk, at;

	bed_make(&b, 140, 2);
	want_eq(b.m.dir.levels, 2);
	for (blk = _i; blk < b.blocks; blk += 4)
		for (at = 0; at < SIZE; at++) {
			b.m.blocks.v[blk][at] ^= 1 << at % 8;
			want_damage(&b, blk < b.m.dir.leaves ? ITREE_BAD_LEAF : ITREE_BAD_NODE,
				    blk);
			b.m.blocks.v[blk][at] ^= 1 << at % 8;
		}
	bed_free(&b);
}
END_TEST

/* Is byte AT of block BLK one that says nothing, or only a type or hash? */
static int is_harmless(const struct bed *b, uint32_t blk, uint32_t at)
{
	const uint8_t *block = b->saved + blk * (size_t) SIZE;
	uint32_t start, next = ITREE_LEAF_HEAD;
	struct itree_entry e;

	if (blk >= b->m.dir.leaves)
		return (at >= 4 && at < 8) ||
		       at >= ITREE_NODE_HEAD + itree_node_count(block) * ITREE_CHILD_BYTES;
	if (at < ITREE_LEAF_HEAD)
		return at < 4 || at >= 6;
	if (at >= itree_leaf_used(block))
		return 1;
	do {
		start = next;
		next = itree_leaf_get(block, start, &e);
	} while (next <= at);
	return at < start + 4 || at == start + 11 || at >= start + ITREE_ENTRY_HEAD + e.name_len;
}

/* The same with right checksums. */
START_TEST(sees_sealed_flips)
{
	struct itree_checked out;
	struct bed b;
	uint32_t blk, at;
	errcode_t err;

	bed_make(&b, 140, 2);
	for (blk = _i; blk < b.blocks; blk += 8)
		for (at = 0; at < SIZE; at++) {
			b.m.blocks.v[blk][at] ^= 1 << (at + _i) % 8;
			seal(&b, blk);
			err = itree_check(&b.m.t, NULL, NULL, &out);
			if (!is_harmless(&b, blk, at))
				want_err(err, BFO_ET_ITREE);
			want(!err || err == BFO_ET_ITREE);
			use(&b, at);
			bed_restore(&b);
		}
	bed_free(&b);
}
END_TEST

/* Blocks that end early, checksums wrong and right. */
START_TEST(sees_truncation)
{
	struct bed b;
	uint32_t blk, at;

	bed_make(&b, 140, 2);
	for (blk = 0; blk < b.blocks; blk++)
		for (at = 0; at < SIZE; at += 3) {
			memset(b.m.blocks.v[blk] + at, 0, SIZE - at);
			if (memcmp(b.m.blocks.v[blk], b.saved + blk * (size_t) SIZE, SIZE)) {
				want_some_damage(&b);
				seal(&b, blk);
				want_some_damage(&b);
			}
			use(&b, at);
			bed_restore(&b);
		}
	bed_free(&b);
}
END_TEST

/* Every two blocks, swapped. */
START_TEST(sees_swapped_blocks)
{
	struct bed b;
	uint32_t i, k;
	uint8_t *swap;

	bed_make(&b, 140, 2);
	for (i = 0; i < b.blocks; i++)
		for (k = 0; k < i; k++) {
			swap = b.m.blocks.v[i];
			b.m.blocks.v[i] = b.m.blocks.v[k];
			b.m.blocks.v[k] = swap;
			want_some_damage(&b);
			seal(&b, i);
			seal(&b, k);
			want_some_damage(&b);
			use(&b, i * k);
			bed_restore(&b);
		}
	bed_free(&b);
}
END_TEST

/* Every child leads to every block: to its parents, its neighbours, to what is none. */
START_TEST(sees_wrong_children)
{
	struct itree_child child, was;
	struct bed b;
	uint32_t blk, i, to;
	uint8_t *node;

	bed_make(&b, _i ? 60 : 140, _i ? 60 : 2);	/* 1: few keys, many flags */
	for (blk = b.m.dir.leaves; blk < b.blocks; blk++)
		for (i = 0; i < itree_node_count(b.m.blocks.v[blk]); i++)
			for (to = 0; to < b.blocks + 2; to++) {
				node = b.m.blocks.v[blk];
				itree_node_get(node, i, &was);
				if (to == was.block)
					continue;
				child = was;
				child.block = to;
				itree_node_put(node, i, &child);
				seal(&b, blk);
				want_some_damage(&b);
				use(&b, i);
				bed_restore(&b);
			}
	bed_free(&b);
}
END_TEST

/*
 * One run of equal keys; all children of the root are one node, all of its children one leaf: every
 * step is as it should be, and there are more of them than leaves.
 */
START_TEST(ends_in_circles)
{
	struct itree_child child;
	struct itree_entry e;
	uint32_t i, root, blk;
	struct itree_cursor c;
	uint8_t *node;
	struct bed b;
	int count = 0;
	errcode_t err;

	bed_make(&b, 200, 1000);
	root = b.m.dir.root;
	want_eq(b.m.dir.levels, 2);
	itree_node_get(b.m.blocks.v[root], 1, &child);
	blk = child.block;
	child.fullness = 255;
	node = b.m.blocks.v[root];
	for (i = 1; i < itree_node_limit(SIZE); i++)
		itree_node_put(node, i, &child);
	itree_node_set_count(node, i);
	seal(&b, root);
	node = b.m.blocks.v[blk];
	itree_node_get(node, 0, &child);
	for (i = 0; i < itree_node_limit(SIZE); i++)
		itree_node_put(node, i, &child);
	itree_node_set_count(node, i);
	seal(&b, blk);

	itree_cursor_init(&c, &b.m.t);
	while (!(err = itree_cursor_next(&c, &e)) && e.name)
		count++;
	want_err(err, BFO_ET_ITREE);
	want(count >= 100 && count <= 64 * (int) b.m.dir.leaves);
	itree_cursor_free(&c);
	want_err(itree_search(&b.m.t, b.v[0].key, "absent", 6, NULL), BFO_ET_ITREE);
	want_damage(&b, ITREE_BAD_TWICE, child.block);
	bed_free(&b);
}
END_TEST

static void lie(struct bed *b, struct itree_dir dir, enum itree_damage what, uint32_t blk)
{
	itree_close(&b->m.t);
	want_ok(itree_open(&b->m.t, &b->m.store, MADE_SEED, &dir));
	want_damage(b, what, blk);
	use(b, 1);
	bed_restore(b);
}

/* The catalogue says something else. */
START_TEST(sees_lies_of_the_catalogue)
{
	struct itree_dir dir;
	struct bed b;

	bed_make(&b, 140, 2);
	dir = b.m.dir;
	dir.entries++;
	lie(&b, dir, ITREE_BAD_ENTRIES, dir.root);
	dir = b.m.dir;
	dir.set_hash++;
	lie(&b, dir, ITREE_BAD_SET, dir.root);
	dir = b.m.dir;
	dir.leaves--;
	lie(&b, dir, ITREE_BAD_LEAVES, dir.root);
	dir.leaves = 1;
	lie(&b, dir, ITREE_BAD_LEAVES, dir.root);
	dir = b.m.dir;
	dir.levels--;
	lie(&b, dir, ITREE_BAD_NODE, dir.root);
	dir.levels += 2;
	lie(&b, dir, ITREE_BAD_NODE, dir.root);
	dir.levels = 0;
	lie(&b, dir, ITREE_BAD_LEAF, dir.root);
	dir = b.m.dir;
	dir.root = 0;
	lie(&b, dir, ITREE_BAD_NODE, 0);
	dir = b.m.dir;
	dir.ino++;			/* another directory's tree */
	lie(&b, dir, ITREE_BAD_NODE, dir.root);
	dir.ino--;
	dir.generation++;
	lie(&b, dir, ITREE_BAD_NODE, dir.root);
	bed_free(&b);
}
END_TEST

/* What parents say of children. */
START_TEST(sees_lies_of_parents)
{
	struct itree_child child;
	uint32_t blk, i;
	struct bed b;

	bed_make(&b, 140, 2);
	for (blk = b.m.dir.leaves; blk < b.blocks; blk++)
		for (i = 0; i < itree_node_count(b.m.blocks.v[blk]); i++) {
			itree_node_get(b.m.blocks.v[blk], i, &child);
			child.fullness++;
			itree_node_put(b.m.blocks.v[blk], i, &child);
			seal(&b, blk);
			want_damage(&b, ITREE_BAD_FULLNESS, child.block);
			child.fullness--;
			child.flags ^= ITREE_CHILD_CONT;
			itree_node_put(b.m.blocks.v[blk], i, &child);
			seal(&b, blk);
			want_some_damage(&b);
			use(&b, i);
			bed_restore(&b);
		}
	bed_free(&b);
}
END_TEST

static uint32_t last_entry(const uint8_t *leaf)
{
	uint32_t at, next = ITREE_LEAF_HEAD;
	struct itree_entry e;

	do {
		at = next;
		next = itree_leaf_get(leaf, at, &e);
	} while (next < itree_leaf_used(leaf));
	return at;
}

/* A node whose last child begins behind where the next node does; and a leaf with such an entry. */
START_TEST(sees_keys_beyond)
{
	struct itree_child child, next;
	uint32_t last, blk;
	struct bed b;

	bed_make(&b, 140, 1);
	itree_node_get(b.m.blocks.v[b.m.dir.root], 1, &next);
	itree_node_get(b.m.blocks.v[b.m.dir.root], 0, &child);
	blk = child.block;
	last = itree_node_count(b.m.blocks.v[blk]) - 1;
	itree_node_get(b.m.blocks.v[blk], last, &child);
	child.key = next.key + 2;
	itree_node_put(b.m.blocks.v[blk], last, &child);
	seal(&b, blk);
	want_damage(&b, ITREE_BAD_ORDER, blk);
	use(&b, 0);
	bed_restore(&b);

	last = last_entry(b.m.blocks.v[0]);
	memset(b.m.blocks.v[0] + last + 4, 0xff, 4);
	seal(&b, 0);
	want_damage(&b, ITREE_BAD_ORDER, 0);
	use(&b, 0);
	bed_free(&b);
}
END_TEST

/* A full leaf, or a full node, that is said to be empty is not merged with the one before it. */
START_TEST(sees_lies_when_merging)
{
	struct itree_child child;
	struct made_entry *v;
	struct bed b = { .n = 0 };
	uint32_t root, n = _i ? 56 * 8 * 2 : 100;
	errcode_t err = 0;
	size_t i;

	chance_init(&b.c, 42);
	v = made_entries(&b.c, n, 1, _i ? 110 : 20, _i ? 112 : 20);
	made_tree_build(&b.m, SIZE, 100, v, n);
	root = b.m.dir.root;
	want_eq(b.m.dir.levels, 1 + _i);
	itree_node_get(b.m.blocks.v[root], 1, &child);
	child.fullness = 0;
	itree_node_put(b.m.blocks.v[root], 1, &child);
	seal(&b, root);
	for (i = 0; i < n && v[i].key < child.key && !err; i++)
		err = itree_delete(&b.m.t, v[i].key, v[i].name, v[i].len);
	want_err(err, BFO_ET_ITREE);
	made_tree_free(&b.m);
	made_entries_free(v, n);
}
END_TEST

/* Many bytes at once, all sealed, children and counts preferred. */
START_TEST(survives_chaos)
{
	uint32_t round, k, blk, at;
	struct bed b;

	bed_make(&b, _i % 2 ? 200 : 140, _i % 2 ? 50 : 2);
	chance_init(&b.c, 4000 + _i);
	for (round = 0; round < 3000; round++) {
		for (k = chance_between(&b.c, 1, 6); k; k--) {
			blk = chance_below(&b.c, b.blocks);
			if (chance_below(&b.c, 2))
				blk = chance_between(&b.c, b.m.dir.leaves, b.blocks - 1);
			at = chance_below(&b.c, chance_below(&b.c, 2) ? 64 : SIZE);
			b.m.blocks.v[blk][at] = chance_below(&b.c, chance_below(&b.c, 2) ?
							     b.blocks : 256);
			seal(&b, blk);
		}
		itree_check(&b.m.t, NULL, NULL, &(struct itree_checked) { 0 });
		for (k = 0; k < 3; k++)
			use(&b, chance_below(&b.c, b.n));
		bed_restore(&b);
	}
	bed_free(&b);
}
END_TEST

Suite *itree_damage_suite(void)
{
	Suite *s = suite_create("itree_damage");

	unit_case(s, "sees_every_flip", sees_every_flip, 4);
	unit_case(s, "sees_sealed_flips", sees_sealed_flips, 8);
	unit_case(s, "sees_truncation", sees_truncation, 0);
	unit_case(s, "sees_swapped_blocks", sees_swapped_blocks, 0);
	unit_case(s, "sees_wrong_children", sees_wrong_children, 2);
	unit_case(s, "ends_in_circles", ends_in_circles, 0);
	unit_case(s, "sees_lies_of_the_catalogue", sees_lies_of_the_catalogue, 0);
	unit_case(s, "sees_lies_of_parents", sees_lies_of_parents, 0);
	unit_case(s, "sees_keys_beyond", sees_keys_beyond, 0);
	unit_case(s, "sees_lies_when_merging", sees_lies_when_merging, 2);
	unit_case(s, "survives_chaos", survives_chaos, 4);
	return s;
}
