// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_itree_match.c - itree/match: trees that are changed until they list what a directory does
 *
 * Each round some names go, some come, and some get another type.  Afterwards the tree is sound,
 * and has the entries and the sums of one that is built of the same names.
 */
#include <stdlib.h>
#include <string.h>

#include "itree/match.h"
#include "itreemade.h"

#define NAME_ROOM 40

/* A name of the directory; its entry's name leads here. */
struct one {
	struct made_entry e;
	char name[NAME_ROOM];
};

struct bed {
	struct made_tree m;
	struct chance c;
	BFO_VEC(struct one *) names;
	struct made_entry *list;	/* the same, sorted as directories give them */
	size_t at;
	uint32_t keys, next_id;
	uint64_t gone, come;		/* what a round has done */
};

static itree_key some_key(struct bed *b)
{
	uint32_t k = chance_below(&b->c, b->keys ? b->keys : 200000);

	return b->keys ? itree_key_make(1 + k / 3, k % 3 * 2)
		       : itree_key_make(1 + k, chance_bits(&b->c) & ~1U);
}

static void come(struct bed *b)
{
	struct one *n = unit_alloc(sizeof(*n));

	n->e = (struct made_entry) { .key = some_key(b), .name = n->name,
		.len = chance_between(&b->c, 4, NAME_ROOM), .type = chance_below(&b->c, 3) };
	memset(n->name, 'x', sizeof(n->name));
	memcpy(n->name, &b->next_id, sizeof(b->next_id));
	b->next_id++;
	b->come++;
	want_ok(bfo_vec_push(&b->names, n));
}

static void go(struct bed *b)
{
	size_t i = chance_below(&b->c, b->names.n);

	free(b->names.v[i]);
	b->names.v[i] = b->names.v[--b->names.n];
	b->gone++;
}

/* The inode of a name is another's, or it has another type, or the name is another. */
static void become(struct bed *b)
{
	struct one *n = b->names.v[chance_below(&b->c, b->names.n)];

	switch (chance_below(&b->c, 3)) {
	case 0:
		n->e.key = some_key(b);
		break;
	case 1:
		n->e.type = (n->e.type + 1) % 3;
		break;
	default:
		memcpy(n->name, &b->next_id, sizeof(b->next_id));
		b->next_id++;
	}
}

/* By key, type and bytes: as sorted names of directories come. */
static int by_all(const void *a, const void *b)
{
	const struct made_entry *x = a, *y = b;
	int c;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->type != y->type)
		return (int) x->type - y->type;
	c = memcmp(x->name, y->name, x->len < y->len ? x->len : y->len);
	return c ? c : (int) x->len - y->len;
}

static void list_names(struct bed *b)
{
	size_t i;

	free(b->list);
	b->list = unit_alloc((b->names.n + 1) * sizeof(*b->list));
	for (i = 0; i < b->names.n; i++)
		b->list[i] = b->names.v[i]->e;
	qsort(b->list, b->names.n, sizeof(*b->list), by_all);
	b->at = 0;
}

static errcode_t next_name(void *priv, struct itree_entry *e, int *more)
{
	struct bed *b = priv;

	*more = b->at < b->names.n;
	if (*more)
		*e = made_itree_entry(&b->list[b->at++]);
	return 0;
}

static void bed_make(struct bed *b, uint32_t block_size, uint32_t keys, uint32_t n, uint32_t seed)
{
	memset(b, 0, sizeof(*b));
	chance_init(&b->c, seed);
	b->keys = keys;
	while (b->names.n < n)
		come(b);
	list_names(b);
	made_tree_build(&b->m, block_size, 100, b->list, n);
}

static void bed_free(struct bed *b)
{
	size_t i;

	for (i = 0; i < b->names.n; i++)
		free(b->names.v[i]);
	bfo_vec_free(&b->names);
	free(b->list);
	made_tree_free(&b->m);
}

/* ---- what the tree has then ---- */

struct found {
	struct made_entry *v;
	size_t n, max;
};

static errcode_t collect(void *priv, const struct itree_entry *e)
{
	struct found *f = priv;

	want(f->n < f->max);
	f->v[f->n++] = (struct made_entry) { .key = e->key, .len = e->name_len, .type = e->type,
					     .name = unit_copy(e->name, e->name_len) };
	return 0;
}

/* The tree of D has the names of B, and sums as one that is built of them. */
static void want_right(struct bed *b, const struct itree_draft *d)
{
	struct found f = { .max = b->names.n,
			   .v = unit_alloc((b->names.n + 1) * sizeof(*f.v)) };
	struct itree_checked out;
	struct made_tree anew;
	size_t i;

	want_ok(itree_check(&d->t, collect, &f, &out));
	want_eq(f.n, b->names.n);
	qsort(f.v, f.n, sizeof(*f.v), by_all);
	for (i = 0; i < f.n; i++)
		want(!by_all(&f.v[i], &b->list[i]));
	made_tree_build(&anew, b->m.store.block_size, 100, b->list, b->names.n);
	want_eq(d->t.dir.entries, anew.dir.entries);
	want_eq(d->t.dir.set_hash, anew.dir.set_hash);
	made_tree_free(&anew);
	made_entries_free(f.v, f.n);
}

/* What changed is written where it stands; the tree is read from there by the next round. */
static void write_back(struct bed *b, struct itree_draft *d)
{
	uint32_t blk;

	while (b->m.blocks.n < d->t.dir.blocks)
		want_ok(bfo_vec_push(&b->m.blocks, unit_alloc(b->m.store.block_size)));
	for (blk = 0; blk < d->room; blk++) {
		if (!d->blocks[blk].is_changed)
			continue;
		want(blk < d->t.dir.blocks);
		memcpy(b->m.blocks.v[blk], d->blocks[blk].data, b->m.store.block_size);
	}
	b->m.dir = d->t.dir;
}

static void match(struct bed *b, struct itree_draft *d, uint32_t room)
{
	struct itree_store *s = &b->m.store;

	list_names(b);
	want_ok(itree_draft_open(d, s, MADE_SEED, &b->m.dir, room));
	want_ok(itree_draft_match(d, next_name, b));
}

static const struct shape {
	uint32_t block_size, keys, names, rounds, changes;
} shapes[] = {
	{ 1024, 0, 3000, 40, 60 },	/* few of many */
	{ 1024, 0, 500, 40, 600 },	/* most of them */
	{ 1024, 60, 2500, 40, 200 },	/* runs of equal keys, of a leaf or two */
	{ 1024, 3, 400, 40, 60 },
	{ 1024, 1, 200, 40, 100 },	/* one run */
	{ 4096, 0, 20000, 10, 3000 },
	{ 65536, 500, 9000, 10, 2000 },
};

#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static void change_some(struct bed *b, const struct shape *s, uint32_t round)
{
	uint32_t comes = round / 5 % 2 ? 60 : 20, i, what;	/* of 100: it grows, it shrinks */

	for (i = 0; i < s->changes; i++) {
		what = chance_below(&b->c, 100);
		if (what < comes || b->names.n < 2)
			come(b);
		else if (what < 80)
			go(b);
		else
			become(b);
	}
}

/* More than 100,000 changes over all shapes. */
START_TEST(becomes_what_is_built_anew)
{
	const struct shape *s = &shapes[_i];
	struct itree_draft d;
	struct bed b;
	uint32_t i;

	bed_make(&b, s->block_size, s->keys, s->names, 77 + _i);
	for (i = 0; i < s->rounds; i++) {
		change_some(&b, s, i);
		match(&b, &d, b.m.dir.blocks * 3 + 500);
		want(!d.is_over);
		want(d.changed && d.came + d.went <= 2 * s->changes);
		want_right(&b, &d);
		write_back(&b, &d);
		itree_draft_close(&d);
	}
	bed_free(&b);
}
END_TEST

/* Whatever the order of equal keys is in the tree, what is the same is no change. */
START_TEST(changes_nothing_that_is_right)
{
	struct itree_draft d;
	struct bed b;

	bed_make(&b, 1024, 20, 2000, 5);
	match(&b, &d, b.m.dir.blocks);
	want(!d.is_over);
	want_eq(d.changed + d.came + d.went, 0);
	itree_draft_close(&d);
	come(&b);
	go(&b);
	match(&b, &d, b.m.dir.blocks + 100);
	want_eq(d.came, 1);
	want_eq(d.went, 1);
	write_back(&b, &d);
	itree_draft_close(&d);
	match(&b, &d, b.m.dir.blocks);
	want_eq(d.changed + d.came + d.went, 0);
	itree_draft_close(&d);
	bed_free(&b);
}
END_TEST

/* Blocks that deleting has left are used before the tree grows; at its end they are given up. */
START_TEST(uses_blocks_that_were_left)
{
	uint32_t blocks, i;
	struct itree_draft d;
	struct bed b;

	bed_make(&b, 1024, 0, 3000, 6);
	blocks = b.m.dir.blocks;
	while (b.names.n > 300)
		go(&b);
	match(&b, &d, blocks);
	write_back(&b, &d);
	want(d.t.dir.leaves < blocks / 3);
	itree_draft_close(&d);
	for (i = 0; i < 1000; i++)
		come(&b);
	match(&b, &d, blocks);
	want(!d.is_over);
	want(d.t.dir.blocks <= blocks);
	want_right(&b, &d);
	itree_draft_close(&d);
	while (b.names.n > 1)
		go(&b);
	match(&b, &d, blocks);
	want_right(&b, &d);
	want_eq(d.t.dir.levels, 0);
	itree_draft_close(&d);
	bed_free(&b);
}
END_TEST

/* Who has no room, or wants no more than so much, is told so, and nothing is wrong. */
START_TEST(stops_where_it_is_too_much)
{
	struct itree_draft d;
	struct bed b;
	int i;

	bed_make(&b, 1024, 0, 3000, 7);
	for (i = 0; i < 1000; i++)
		come(&b);
	match(&b, &d, b.m.dir.blocks + 2);
	want(d.is_over);
	itree_draft_close(&d);
	for (i = 0; i < 2; i++) {
		list_names(&b);
		want_ok(itree_draft_open(&d, &b.m.store, MADE_SEED, &b.m.dir, 2000));
		d.most_changed = i ? 20 : 0;
		d.most_memory = i ? 0 : 5000;
		want_ok(itree_draft_match(&d, next_name, &b));
		want(d.is_over && d.changed < 40);
		itree_draft_close(&d);
	}
	want_err(itree_draft_open(&d, &b.m.store, MADE_SEED, &b.m.dir, b.m.dir.blocks - 1),
		 BFO_ET_ITREE);
	itree_draft_close(&d);
	bed_free(&b);
}
END_TEST

/* Differences that are known, in any order; a tenth of the tree is read at most. */
START_TEST(applies_what_is_known)
{
	struct itree_draft d, known;
	struct bed b;
	size_t i;
	int k;

	bed_make(&b, 1024, 0, 9000, 9);
	for (k = 0; k < 4; k++) {
		come(&b);
		go(&b);
		become(&b);
	}
	match(&b, &d, b.m.dir.blocks + 20);
	want_ok(itree_draft_open(&known, &b.m.store, MADE_SEED, &b.m.dir, b.m.dir.blocks + 20));
	for (i = d.differences.n; i--;) {
		const struct itree_difference *x = &d.differences.v[i];
		struct itree_entry e = { .key = x->key, .name = d.names.v + x->name,
					 .name_len = x->name_len, .type = x->type };

		want_ok(itree_draft_add(&known, &e, x->came));
	}
	want_ok(itree_draft_apply(&known));
	want(!known.is_over && known.loaded * 10 < b.m.dir.blocks);
	want_eq(known.came, d.came);
	want_eq(known.went, d.went);
	want_right(&b, &known);
	want_ok(itree_draft_add(&known, &(struct itree_entry) { .key = 4, .name = "none",
								.name_len = 4 }, 0));
	want_err(itree_draft_apply(&known), BFO_ET_NO_PATH);
	itree_draft_close(&known);
	itree_draft_close(&d);
	bed_free(&b);
}
END_TEST

/* A draft of B's tree, with the N differences of FROM in the order of ORDER. */
static void apply_in_order(struct bed *b, const struct itree_draft *from, const uint32_t *order,
			   struct itree_draft *d)
{
	size_t i;

	want_ok(itree_draft_open(d, &b->m.store, MADE_SEED, &b->m.dir, b->m.dir.blocks * 3));
	for (i = 0; i < from->differences.n; i++) {
		const struct itree_difference *x = &from->differences.v[order[i]];
		struct itree_entry e = { .key = x->key, .name = from->names.v + x->name,
					 .name_len = x->name_len, .type = x->type };

		want_ok(itree_draft_add(d, &e, x->came));
	}
	want_ok(itree_draft_apply(d));
	want(!d->is_over);
}

static void want_same_blocks(const struct itree_draft *a, const struct itree_draft *b)
{
	uint32_t blk;

	want_eq(a->t.dir.blocks, b->t.dir.blocks);
	want_eq(a->t.dir.leaves, b->t.dir.leaves);
	want_eq(a->changed, b->changed);
	for (blk = 0; blk < a->t.dir.blocks; blk++) {
		want_eq(a->blocks[blk].is_changed, b->blocks[blk].is_changed);
		if (a->blocks[blk].is_changed)
			want(!memcmp(a->blocks[blk].data, b->blocks[blk].data,
				     a->store.block_size));
	}
}

static void shuffle(struct chance *c, uint32_t *v, size_t n)
{
	for (; n > 1; n--) {
		size_t k = chance_below(c, n);
		uint32_t last = v[n - 1];

		v[n - 1] = v[k];
		v[k] = last;
	}
}

/* Enough names come for leaves to split; of some keys there are several. */
START_TEST(gives_the_same_blocks_in_any_order)
{
	struct itree_draft d, first, other;
	uint32_t *order, i, k;
	struct bed b;

	bed_make(&b, 1024, _i ? 300 : 0, 2000, 10);
	for (k = 0; k < 900; k++)
		come(&b);
	for (k = 0; k < 300; k++)
		go(&b);
	match(&b, &d, b.m.dir.blocks * 3);
	want(d.t.dir.leaves > b.m.dir.leaves + 10);
	order = unit_alloc(d.differences.n * sizeof(*order));
	for (i = 0; i < d.differences.n; i++)
		order[i] = i;
	apply_in_order(&b, &d, order, &first);
	want_right(&b, &first);
	for (k = 0; k < 3; k++) {
		shuffle(&b.c, order, d.differences.n);
		apply_in_order(&b, &d, order, &other);
		want_same_blocks(&first, &other);
		itree_draft_close(&other);
	}
	itree_draft_close(&first);
	itree_draft_close(&d);
	free(order);
	bed_free(&b);
}
END_TEST

START_TEST(refuses_damage)
{
	struct itree_draft d;
	struct bed b;

	bed_make(&b, 1024, 0, 3000, 8);
	b.m.blocks.v[b.m.dir.blocks / 2][20] ^= 1;
	come(&b);
	list_names(&b);
	want_ok(itree_draft_open(&d, &b.m.store, MADE_SEED, &b.m.dir, b.m.dir.blocks + 20));
	want_err(itree_draft_match(&d, next_name, &b), BFO_ET_ITREE);
	itree_draft_close(&d);
	bed_free(&b);
}
END_TEST

Suite *itree_match_suite(void)
{
	Suite *s = suite_create("itree_match");

	unit_case(s, "becomes_what_is_built_anew", becomes_what_is_built_anew, SHAPES);
	unit_case(s, "changes_nothing_that_is_right", changes_nothing_that_is_right, 0);
	unit_case(s, "uses_blocks_that_were_left", uses_blocks_that_were_left, 0);
	unit_case(s, "stops_where_it_is_too_much", stops_where_it_is_too_much, 0);
	unit_case(s, "applies_what_is_known", applies_what_is_known, 0);
	unit_case(s, "gives_the_same_blocks_in_any_order", gives_the_same_blocks_in_any_order, 2);
	unit_case(s, "refuses_damage", refuses_damage, 0);
	return s;
}
