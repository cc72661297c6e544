// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_quota.c - plan/quota: quota files against a second reader and a second writer
 *
 * What is built is judged by looking up every id as the kernel does, and by walking its lists.
 * What is parsed was inserted one id after the other, in any order, with holes and junk as years
 * of use leave them.
 */
#include <stdlib.h>
#include <string.h>

#include "quotamade.h"

enum pattern { DENSE, SPARSE, STRIDE, CLUSTERS, PATTERNS };

static const uint32_t magics[] = { USER_MAGIC, 0xd9c01927, 0xd9c03f14 };
static const uint32_t counts[] = { 0, 1, 2, 13, 14, 15, 1000, 50000 };
#define COUNTS (sizeof(counts) / sizeof(counts[0]))

static void want_same(const struct bfo_quota *a, const struct bfo_quota *b)
{
	size_t i;

	want_eq(a->entries.n, b->entries.n);
	want(a->bgrace == b->bgrace && a->igrace == b->igrace && a->flags == b->flags);
	for (i = 0; i < a->entries.n; i++)
		want_quota_entry(&a->entries.v[i], &b->entries.v[i]);
}

/* ---- random sets ---- */

static uint32_t some_id(struct chance *c, enum pattern pattern, uint32_t i)
{
	switch (pattern) {
	case DENSE:
		return i;
	case STRIDE:
		return i << 8 | 255;
	case CLUSTERS:
		return chance_below(c, 8) << 29 | chance_below(c, 3) << 16 | (i & 0xffff);
	default:
		return i == 0 ? UINT32_MAX : chance_bits(c);
	}
}

static int by_id(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

	return x < y ? -1 : x > y;
}

/* At most N entries, as equal ids are taken once. */
static struct bfo_quota some_quota(struct chance *c, enum pattern pattern, uint32_t n)
{
	uint32_t *ids = unit_alloc(n * sizeof(*ids)), i;
	struct bfo_quota q = { .bgrace = chance_bits(c), .igrace = chance_bits(c) };

	for (i = 0; i < n; i++)
		ids[i] = some_id(c, pattern, i);
	qsort(ids, n, sizeof(*ids), by_id);
	for (i = 0; i < n; i++)
		if (!i || ids[i] != ids[i - 1])
			want_ok(bfo_vec_push(&q.entries, quota_some_entry(c, ids[i])));
	free(ids);
	return q;
}

/* ---- the second reader: one id at a time, and the lists ---- */

static uint32_t child_of(const uint8_t *file, uint32_t blk, uint32_t id, int level)
{
	return quota_get(file + blk * BLOCK + (id >> (24 - 8 * level) & 255) * 4, 4);
}

static const uint8_t *find(const uint8_t *file, uint32_t id)
{
	uint32_t blocks = quota_get(file + 20, 4), blk = 1, i;
	const uint8_t *slot;
	int level;

	for (level = 0; level < 4; level++) {
		blk = child_of(file, blk, id, level);
		if (!blk)
			return NULL;
		want(blk > 1 && blk < blocks);
	}
	slot = file + blk * BLOCK + FIRST_SLOT;
	for (i = 0; i < SLOTS; i++, slot += SLOT)
		if (quota_get(slot, 4) == id && quota_get(slot + 24, 8) + quota_get(slot + 48, 8))
			return slot;
	return NULL;
}

static void want_slot(const uint8_t *slot, const struct bfo_quota_entry *e)
{
	want(slot);
	want_eq(quota_get(slot, 8), e->id);
	want(quota_get(slot + 8, 8) == e->ihard && quota_get(slot + 16, 8) == e->isoft);
	want(quota_get(slot + 24, 8) == e->inodes && quota_get(slot + 48, 8) == e->space);
	want(quota_get(slot + 32, 8) == e->bhard && quota_get(slot + 40, 8) == e->bsoft);
	want_eq(quota_get(slot + 56, 8), e->btime);
	want_eq(quota_get(slot + 64, 8), e->itime);
}

/* Blocks of a tree for these ids, data included, of which none has more free slots than needed. */
static uint32_t least_blocks(const struct bfo_quota *q)
{
	uint32_t sum = 2 + (q->entries.n + SLOTS - 1) / SLOTS;
	int shift;
	size_t i;

	for (shift = 8; shift <= 24; shift += 8)
		for (i = 0; i < q->entries.n; i++)
			sum += !i || q->entries.v[i].id >> shift != q->entries.v[i - 1].id >> shift;
	return sum;
}

/* Data blocks are the last ones: full, but for the last, which the list of free slots has. */
static void want_lists(const uint8_t *file, const struct bfo_quota *q)
{
	uint32_t blocks = quota_get(file + 20, 4), left = q->entries.n, here;
	uint32_t data = blocks - (left + SLOTS - 1) / SLOTS, blk;

	want_eq(quota_get(file + 24, 4), 0);
	want_eq(quota_get(file + 28, 4), left % SLOTS ? blocks - 1 : 0);
	for (blk = data; blk < blocks; blk++, left -= here) {
		here = left < SLOTS ? left : SLOTS;
		want_eq(quota_get(file + blk * BLOCK, 8), 0);
		want_eq(quota_get(file + blk * BLOCK + 8, 8), here);
	}
}

static void want_file(const uint8_t *file, uint64_t size, int type, const struct bfo_quota *q)
{
	size_t i;

	want_eq(size, least_blocks(q) * (uint64_t) BLOCK);
	want_eq(quota_get(file + 20, 4), size / BLOCK);
	want_eq(quota_get(file, 4), magics[type]);
	want_eq(quota_get(file + 4, 4), 1);
	want(quota_get(file + 8, 4) == q->bgrace && quota_get(file + 12, 4) == q->igrace);
	want_eq(quota_get(file + 16, 4), q->flags);
	for (i = 0; i < q->entries.n; i++)
		want_slot(find(file, q->entries.v[i].id), &q->entries.v[i]);
	want_lists(file, q);
}

START_TEST(builds_what_the_kernel_finds)
{
	int type = _i % BFO_QUOTA_TYPES;
	struct bfo_quota q, back;
	uint64_t size, size2;
	void *file, *file2;
	struct chance c;

	chance_init(&c, 900 + _i);
	q = some_quota(&c, _i % PATTERNS, counts[_i / PATTERNS]);
	q.flags = _i & 1;
	want_ok(bfo_quota_build(&q, type, &file, &size));
	want_file(file, size, type, &q);
	want_ok(bfo_quota_parse(&back, type, file, size));
	want_same(&back, &q);
	want_ok(bfo_quota_build(&back, type, &file2, &size2));
	want_eq(size, size2);
	want_mem(file, file2, size);
	bfo_quota_free(&back);
	want_err(bfo_quota_parse(&back, (type + 1) % BFO_QUOTA_TYPES, file, size), BFO_ET_DAMAGED);
	bfo_quota_free(&q);
	free(file);
	free(file2);
}
END_TEST

/* What mke2fs 1.47.0 writes into a filesystem of 64 MiB, where root owns / and lost+found. */
START_TEST(builds_what_mke2fs_writes)
{
	struct bfo_quota_entry root = { .inodes = 2, .space = 13312 };
	struct bfo_quota q = { .bgrace = 604800, .igrace = 604800 };
	uint8_t expect[6 * BLOCK] = { 0 };
	uint32_t head[] = { USER_MAGIC, 1, 604800, 604800, 0, 6, 0, 5 }, i;
	uint64_t size;
	void *file;

	for (i = 0; i < 8; i++)
		quota_put(expect + 4 * i, head[i], 4);
	for (i = 1; i < 5; i++)
		quota_put(expect + i * BLOCK, i + 1, 4);
	quota_put(expect + 5 * BLOCK + 8, 1, 2);
	quota_put(expect + 5 * BLOCK + FIRST_SLOT + 24, 2, 8);
	quota_put(expect + 5 * BLOCK + FIRST_SLOT + 48, 13312, 8);
	want_ok(bfo_vec_push(&q.entries, root));
	want_ok(bfo_quota_build(&q, BFO_QUOTA_USER, &file, &size));
	want_eq(size, sizeof(expect));
	want_mem(file, expect, sizeof(expect));
	bfo_quota_free(&q);
	free(file);
}
END_TEST

START_TEST(leaves_out_what_says_nothing)
{
	struct bfo_quota q = { 0 }, back;
	struct bfo_quota_entry e = { .btime = 5, .itime = 7 };
	uint64_t *one[] = { &e.ihard, &e.isoft, &e.inodes, &e.bhard, &e.bsoft, &e.space };
	uint64_t size;
	void *file;
	size_t i;

	for (i = 0; i < 3; i++, e.id += 1000)
		want_ok(bfo_vec_push(&q.entries, e));
	for (i = 0; i < 6; i++, e.id += 1000) {		/* any of them is enough */
		*one[i] = 1;
		want_ok(bfo_vec_push(&q.entries, e));
		*one[i] = 0;
	}
	want_ok(bfo_quota_build(&q, BFO_QUOTA_GROUP, &file, &size));
	want_ok(bfo_quota_parse(&back, BFO_QUOTA_GROUP, file, size));
	want_eq(back.entries.n, 6);
	for (i = 0; i < 6; i++)
		want_quota_entry(&back.entries.v[i], &q.entries.v[i + 3]);
	bfo_quota_free(&back);
	bfo_quota_free(&q);
	free(file);
}
END_TEST

START_TEST(refuses_to_build_too_much)
{
	struct bfo_quota q = { 0 };
	uint64_t size;
	uint32_t i;
	void *file;

	for (i = 0; i < 1950400; i++)			/* each in a tree block of its own */
		want_ok(bfo_vec_push(&q.entries, (struct bfo_quota_entry) { .id = i << 8,
									   .inodes = 1 }));
	want_err(bfo_quota_build(&q, BFO_QUOTA_USER, &file, &size), BFO_ET_FILE_TOO_BIG);
	bfo_quota_free(&q);
}
END_TEST

/* ---- the second writer: inserts ---- */

struct used_file {
	uint8_t *v;
	uint32_t blocks, room, open;	/* open: the data block with free slots */
};

static uint32_t new_block(struct used_file *f, struct chance *c)
{
	uint32_t junk = chance_below(c, 8) == 0, n = 1 + junk;

	if (f->blocks + n > f->room) {
		f->room = 2 * (f->blocks + n);
		f->v = realloc(f->v, (size_t) f->room * BLOCK);
		want(f->v);
	}
	chance_fill(c, f->v + (size_t) f->blocks * BLOCK, n * BLOCK);
	f->blocks += n;
	memset(f->v + (size_t) (f->blocks - 1) * BLOCK, 0, BLOCK);
	return f->blocks - 1;
}

static struct used_file used_start(struct chance *c, int type, const struct bfo_quota *q)
{
	struct used_file f = { 0 };
	uint32_t head[] = { magics[type], 1, q->bgrace, q->igrace, q->flags }, i;

	f.v = unit_alloc(2 * BLOCK);
	f.blocks = 2;
	for (i = 0; i < 5; i++)
		quota_put(f.v + 4 * i, head[i], 4);
	quota_put(f.v + 24, chance_bits(c), 8);		/* lists, which nobody should follow */
	return f;
}

/* A free slot, anywhere in the open block, now with these bytes. */
static uint32_t fill_slot(struct used_file *f, struct chance *c, const uint8_t *bytes)
{
	uint8_t *head, *slot;
	uint32_t i = chance_below(c, SLOTS);

	if (!f->open || quota_get(f->v + f->open * BLOCK + 8, 2) == SLOTS)
		f->open = new_block(f, c);
	head = f->v + f->open * BLOCK;
	for (; quota_get(head + FIRST_SLOT + i * SLOT + 24, 8); i = (i + 1) % SLOTS)
		;
	slot = head + FIRST_SLOT + i * SLOT;
	memcpy(slot, bytes, SLOT);
	quota_put(head, chance_bits(c), 8);
	quota_put(head + 8, quota_get(head + 8, 2) + 1, 2);
	return f->open;
}

static void insert(struct used_file *f, struct chance *c, const struct bfo_quota_entry *e)
{
	const uint64_t words[] = { e->id, e->ihard, e->isoft, e->inodes, e->bhard, e->bsoft,
				   e->space, e->btime, e->itime };
	uint8_t bytes[SLOT];
	uint32_t blk = 1, next, i;

	for (i = 0; i < 9; i++)
		quota_put(bytes + 8 * i, words[i], 8);
	for (i = 0; i < 4; i++, blk = next) {
		next = child_of(f->v, blk, e->id, i);
		if (!next) {
			next = i < 3 ? new_block(f, c) : fill_slot(f, c, bytes);
			quota_put(f->v + blk * BLOCK + (e->id >> (24 - 8 * i) & 255) * 4, next, 4);
		}
	}
}

/* Q's entries in any order. */
static struct used_file used_file(struct chance *c, int type, const struct bfo_quota *q)
{
	struct used_file f = used_start(c, type, q);
	uint32_t n = q->entries.n, *order = unit_alloc(n * sizeof(*order)), i, j;

	for (i = 0; i < n; i++) {
		j = chance_below(c, i + 1);
		order[i] = order[j];
		order[j] = i;
	}
	for (i = 0; i < n; i++) {
		insert(&f, c, &q->entries.v[order[i]]);
		if (!chance_below(c, 30))
			f.open = 0;			/* leaves holes */
	}
	quota_put(f.v + 20, f.blocks, 4);
	free(order);
	return f;
}

START_TEST(parses_what_was_inserted)
{
	int type = _i % BFO_QUOTA_TYPES;
	uint64_t size, tail;
	struct used_file f;
	struct bfo_quota q, back;
	struct chance c;
	void *file;

	chance_init(&c, 1000 + _i);
	q = some_quota(&c, _i % PATTERNS, counts[_i / PATTERNS]);
	f = used_file(&c, type, &q);
	tail = chance_below(&c, 3) * 500;
	f.v = realloc(f.v, (size_t) f.blocks * BLOCK + tail);
	want(f.v);
	chance_fill(&c, f.v + (size_t) f.blocks * BLOCK, tail);
	want_ok(bfo_quota_parse(&back, type, f.v, (size_t) f.blocks * BLOCK + tail));
	want_same(&back, &q);
	want_ok(bfo_quota_build(&back, type, &file, &size));
	want_file(file, size, type, &q);
	bfo_quota_free(&back);
	bfo_quota_free(&q);
	free(f.v);
	free(file);
}
END_TEST

/* A slot of id 0 with nothing but itime 1 is how the kernel avoids one that looks unused. */
START_TEST(knows_the_entry_of_root)
{
	struct bfo_quota q = { 0 }, back;
	struct bfo_quota_entry e = { .itime = 1 };
	struct used_file f;
	struct chance c;

	chance_init(&c, 1100);
	want_ok(bfo_vec_push(&q.entries, e));
	e.id = 1;
	want_ok(bfo_vec_push(&q.entries, e));
	f = used_file(&c, BFO_QUOTA_USER, &q);
	f.open = 0;
	want_ok(bfo_quota_parse(&back, BFO_QUOTA_USER, f.v, (size_t) f.blocks * BLOCK));
	want_eq(back.entries.n, 2);
	want_eq(back.entries.v[0].itime, 0);
	want_eq(back.entries.v[1].itime, 1);
	bfo_quota_free(&back);
	bfo_quota_free(&q);
	free(f.v);
}
END_TEST

Suite *quota_suite(void)
{
	Suite *s = suite_create("quota");

	unit_case(s, "builds_what_the_kernel_finds", builds_what_the_kernel_finds,
		  PATTERNS * COUNTS);
	unit_case(s, "builds_what_mke2fs_writes", builds_what_mke2fs_writes, 0);
	unit_case(s, "leaves_out_what_says_nothing", leaves_out_what_says_nothing, 0);
	unit_case(s, "refuses_to_build_too_much", refuses_to_build_too_much, 0);
	unit_case(s, "parses_what_was_inserted", parses_what_was_inserted, PATTERNS * COUNTS);
	unit_case(s, "knows_the_entry_of_root", knows_the_entry_of_root, 0);
	return s;
}
