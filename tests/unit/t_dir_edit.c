// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_dir_edit.c - plan/dir_edit: directories of all kinds, changed at random against a model
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/disk.h"
#include "dirbed.h"

#define NOT_INLINE UINT32_MAX

struct kind {
	uint32_t block_size;
	int has_csum, has_dir_index, has_filetype, has_large_dir, hash, is_unsigned;
	uint32_t inline_room;
	uint32_t names, longest, rounds, batch;	/* a round changes at most so many names */
};

static const struct kind kinds[] = {
	/* linear, of one block and of many */
	{ 1024, 1, 0, 1, 0, EXT2_HASH_HALF_MD4, 0, NOT_INLINE, 12, 60, 300, 3 },
	{ 4096, 0, 0, 1, 0, EXT2_HASH_HALF_MD4, 0, NOT_INLINE, 1500, 255, 150, 40 },
	{ 1024, 1, 0, 0, 0, EXT2_HASH_HALF_MD4, 0, NOT_INLINE, 400, 40, 300, 9 },
	{ 65536, 1, 0, 1, 0, EXT2_HASH_HALF_MD4, 0, NOT_INLINE, 3000, 255, 40, 400 },
	/* htrees */
	{ 1024, 1, 1, 1, 0, EXT2_HASH_HALF_MD4, 0, NOT_INLINE, 3000, 255, 1500, 5 },
	{ 1024, 0, 1, 1, 1, EXT2_HASH_TEA, 1, NOT_INLINE, 9000, 255, 30, 3000 },
	{ 1024, 1, 1, 0, 1, EXT2_HASH_LEGACY, 1, NOT_INLINE, 2000, 30, 300, 60 },
	{ 2048, 1, 1, 1, 0, EXT2_HASH_LEGACY, 0, NOT_INLINE, 2000, 255, 300, 60 },
	{ 4096, 1, 1, 1, 0, EXT2_HASH_HALF_MD4, 1, NOT_INLINE, 20000, 30, 12, 7000 },
	{ 4096, 0, 1, 1, 0, EXT2_HASH_TEA, 0, NOT_INLINE, 400, 255, 600, 1 },
	{ 65536, 1, 1, 1, 0, EXT2_HASH_HALF_MD4, 0, NOT_INLINE, 9000, 255, 30, 900 },
	{ 65536, 0, 1, 1, 0, EXT2_HASH_HALF_MD4, 0, NOT_INLINE, 9000, 40, 30, 900 },
	/* inline, that stay so and that grow out */
	{ 4096, 1, 1, 1, 0, EXT2_HASH_HALF_MD4, 0, 92, 8, 20, 300, 3 },
	{ 4096, 1, 1, 1, 0, EXT2_HASH_HALF_MD4, 0, 0, 4, 12, 300, 2 },
	{ 1024, 1, 1, 1, 0, EXT2_HASH_HALF_MD4, 0, 700, 300, 50, 100, 20 },
	{ 1024, 0, 0, 1, 0, EXT2_HASH_HALF_MD4, 0, 92, 300, 50, 100, 60 },
	{ 1024, 1, 1, 1, 0, EXT2_HASH_HALF_MD4, 0, 92, 3000, 50, 3, 3000 },
};
#define KINDS (int) (sizeof(kinds) / sizeof(kinds[0]))

static void begin(struct dirbed *b, struct chance *c, const struct kind *k)
{
	struct bfo_target *t = &b->m.target;

	dirbed_init(b, c, k->names, 2, k->longest);
	t->block_size = k->block_size;
	t->has_csum = k->has_csum;
	t->has_dir_index = k->has_dir_index;
	t->has_filetype = k->has_filetype;
	t->has_large_dir = k->has_large_dir;
	t->hash_stored = k->hash;
	t->hash_version = k->hash + (k->is_unsigned ? 3 : 0);
	dirbed_begin(b, k->inline_room);
}

/* Changes name I in some way that is possible. */
static void ask_any(struct dirbed *b, struct chance *c, uint32_t i, uint32_t inserts)
{
	if (b->names[i].asked)
		return;
	if (!b->names[i].there) {
		if (chance_below(c, 100) < inserts)
			dirbed_insert(b, i);
	} else if (chance_below(c, 3)) {
		dirbed_remove(b, i);
	} else {
		dirbed_point(b, i, 1 + chance_below(c, 900000), 1 + chance_below(c, 7));
	}
}

/* _i: kind.  It grows, shrinks and grows. */
START_TEST(is_as_its_model)
{
	const struct kind *k = &kinds[_i];
	uint32_t round, n, i;
	struct dirbed b;
	struct chance c;

	chance_init(&c, 3000 + _i);
	begin(&b, &c, k);
	for (round = 0; round < k->rounds; round++) {
		n = chance_between(&c, 1, k->batch);
		for (i = 0; i < n; i++)
			ask_any(&b, &c, chance_below(&c, k->names), round % 64 < 40 ? 95 : 20);
		if (!chance_below(&c, 10))
			dirbed_parent(&b, 1 + chance_below(&c, 1000));
		want_ok(dirbed_apply(&b));
		if (round % 8 == 0 || round + 1 == k->rounds)
			dirbed_judge(&b, k->names / 500 + 1);
	}
	dirbed_free(&b);
}
END_TEST

/* All at once, all away, all at once. */
START_TEST(takes_and_loses_all)
{
	uint32_t i, twice, blocks = 0;
	struct dirbed b;
	struct chance c;

	chance_init(&c, 3100 + _i);
	begin(&b, &c, &kinds[_i]);
	for (twice = 0; twice < 2; twice++) {
		for (i = 0; i < b.n; i++)
			dirbed_insert(&b, i);
		want_ok(dirbed_apply(&b));
		dirbed_judge(&b, b.n / 500 + 1);
		want(!twice || b.n_blocks <= blocks + blocks / 2 + 1);
		blocks = b.n_blocks;
		for (i = 0; i < b.n; i++)
			dirbed_remove(&b, i);
		want_ok(dirbed_apply(&b));
		dirbed_judge(&b, b.n / 500 + 1);
		want_eq(b.n_blocks, blocks);
	}
	dirbed_free(&b);
}
END_TEST

START_TEST(refuses_what_is_there_and_what_is_not)
{
	uint32_t i;
	struct dirbed b;
	struct chance c;

	chance_init(&c, 3200 + _i);
	begin(&b, &c, &kinds[_i]);
	for (i = 0; i < b.n; i += 2)
		dirbed_insert(&b, i);
	want_ok(dirbed_apply(&b));
	for (i = 0; i < b.n && i < 8; i++) {
		if (i % 2)
			dirbed_remove(&b, i);
		else
			dirbed_insert(&b, i);
		want_err(dirbed_apply(&b), i % 2 ? BFO_ET_NO_PATH : BFO_ET_CLASH);
		want(strstr(b.m.ctx.what, "directory inode 321"));
	}
	dirbed_point(&b, 1, 5, 1);
	want_err(dirbed_apply(&b), BFO_ET_NO_PATH);
	dirbed_judge(&b, b.n / 500 + 1);
	dirbed_free(&b);
}
END_TEST

/* Each call of the store fails once: that is what comes back. */
START_TEST(hands_on_the_errors_of_its_store)
{
	struct kind k = kinds[_i];
	uint64_t fail_at;
	errcode_t err = 1;
	struct dirbed b;
	struct chance c;
	uint32_t i;

	k.names = k.names > 300 ? 300 : k.names;
	for (fail_at = 1; err; fail_at++) {
		chance_init(&c, 3300 + _i);
		begin(&b, &c, &k);
		for (i = 0; i < b.n / 2; i++)
			dirbed_insert(&b, i);
		want_ok(dirbed_apply(&b));
		for (i = 0; i < b.n; i++)
			ask_any(&b, &c, i, 100);
		dirbed_parent(&b, 77);
		b.fail_at = b.calls + fail_at;
		err = dirbed_apply(&b);
		want(!err || err == EIO);
		b.fail_at = 0;
		if (!err)
			dirbed_judge(&b, 7);
		dirbed_free(&b);
	}
}
END_TEST

/* Ten names more, or less, cost a few blocks. */
START_TEST(visits_few_blocks)
{
	static const struct kind large = { 4096, 1, 1, 1, 0, EXT2_HASH_HALF_MD4, 0, NOT_INLINE,
					   60000, 30, 0, 0 };
	struct dirbed b;
	struct chance c;
	uint32_t i, before;

	chance_init(&c, 3400);
	begin(&b, &c, &large);
	for (i = 10; i < b.n; i++)
		dirbed_insert(&b, i);
	want_ok(dirbed_apply(&b));
	want(b.gets < 3 * b.n_blocks && b.peeks < 3 * b.n_blocks);
	want(b.n_blocks < 60000 * 30 / 4096 * 2);
	before = b.n_blocks;
	b.gets = b.peeks = b.grows = 0;
	for (i = 0; i < 10; i++)
		dirbed_insert(&b, i);
	for (; i < 20; i++)
		dirbed_remove(&b, i);
	want_ok(dirbed_apply(&b));
	want(b.gets <= 20 * 2 + 2 * (b.n_blocks - before));
	want(b.peeks <= 20 * 4 && b.grows <= 10);
	b.gets = b.peeks = 0;
	for (i = 0; i < 1000; i++) {
		struct bfo_dir_name name = { .name = b.names[i].text, .len = b.names[i].len };

		want_err(bfo_dir_edit_find(&b.d, &name), b.names[i].there ? 0 : BFO_ET_NO_PATH);
	}
	want(b.gets == 0 && b.peeks <= 4 * 1000);
	dirbed_judge(&b, 100);
	dirbed_free(&b);
}
END_TEST

/* A single name at a time into one leaf: it is cut in halves, and so is a node. */
START_TEST(cuts_in_halves)
{
	static const struct kind small = { 1024, 1, 1, 1, 0, EXT2_HASH_HALF_MD4, 0, NOT_INLINE,
					   4000, 100, 0, 0 };
	struct dirview v;
	struct dirbed b;
	struct chance c;
	uint32_t i;

	chance_init(&c, 3500);
	begin(&b, &c, &small);
	for (i = 0; i < b.n; i++) {
		dirbed_insert(&b, i);
		want_ok(dirbed_apply(&b));
	}
	dirbed_judge(&b, 10);
	v = dirbed_view(&b);
	dirview_each(&v, NULL, NULL);
	want_eq(v.levels, 2);
	want(v.least_used >= 1012 / 2 - 108 && v.leaves < 4000 * 62 / 1012 * 2);
	dirbed_free(&b);
}
END_TEST

/* 1 KiB, names of 255 bytes: 2 or 3 of them in a leaf, 123 or 126 entries in an index. */
static void fill_up(int large_dir, uint32_t n, uint32_t at_once, uint32_t levels)
{
	struct kind k = { 1024, 1, 1, 1, large_dir, EXT2_HASH_HALF_MD4, 0, NOT_INLINE,
			  n, 255, 0, 0 };
	struct dirbed b;
	struct chance c;
	struct dirview v;
	errcode_t err = 0;
	uint32_t i;

	chance_init(&c, 3600);
	begin(&b, &c, &k);
	for (i = 0; i < n && !err; i++) {
		if (!b.names[i].there)
			dirbed_insert(&b, i);
		if (i % at_once == at_once - 1 || i + 1 == n)
			err = dirbed_apply(&b);
	}
	want_err(err, levels ? 0 : BFO_ET_DIR_TOO_BIG);
	if (levels) {
		dirbed_judge(&b, 1000);
		v = dirbed_view(&b);
		dirview_each(&v, NULL, NULL);
		want_eq(v.levels, levels);
	} else {
		want(b.there > 123 * 126 / 3);
		want(strstr(b.m.ctx.what, "index is full"));
	}
	dirbed_free(&b);
}

START_TEST(grows_as_far_as_its_index)
{
	fill_up(0, 20000, 500, 2);
	fill_up(0, 80000, 500, 0);
	fill_up(1, 80000, 5000, 3);
	fill_up(1, 80000, 80000, 3);
}
END_TEST

/* Without large_dir a directory ends below 4 GiB. */
START_TEST(stays_below_4_gib)
{
	static const struct kind wide = { 65536, 1, 1, 1, 0, EXT2_HASH_HALF_MD4, 0, NOT_INLINE,
					  1000, 255, 0, 0 };
	struct dirbed b;
	struct chance c;
	uint32_t i;

	chance_init(&c, 3700);
	begin(&b, &c, &wide);
	for (i = 0; i < 500; i++)
		dirbed_insert(&b, i);
	want_ok(dirbed_apply(&b));
	b.d.size = 65535ULL * 65536;
	for (i = 500; i < 1000; i++)
		dirbed_insert(&b, i);
	want_err(dirbed_apply(&b), BFO_ET_DIR_TOO_BIG);
	dirbed_free(&b);
}
END_TEST

START_TEST(refuses_kinds_it_does_not_know)
{
	static const uint32_t flags[] = { EXT4_CASEFOLD_FL, EXT4_ENCRYPT_FL };
	struct bfo_dir_name name = { .name = "a", .len = 1 };
	struct dirbed b;
	struct chance c;

	chance_init(&c, 3800);
	begin(&b, &c, &kinds[4]);
	b.d.flags |= flags[_i];
	dirbed_insert(&b, 0);
	want_err(dirbed_apply(&b), BFO_ET_FEATURE);
	want_err(bfo_dir_edit_find(&b.d, &name), BFO_ET_FEATURE);
	dirbed_free(&b);
}
END_TEST

/* ---- names that share a hash ---- */

#define LEGACY_FACTOR 7152373U
#define STEP 100U		/* of 1,000 names 10 share a hash: each 100th */

static uint32_t legacy_step(uint32_t *h0, uint32_t *h1, int c)
{
	uint32_t hash = *h1 + (*h0 ^ (uint32_t) c * LEGACY_FACTOR);

	if (hash & 0x80000000)
		hash -= 0x7fffffff;
	*h1 = *h0;
	return *h0 = hash;
}

/* LEGACY_FACTOR times that is 1, modulo 2^32. */
#define LEGACY_INVERSE 4155701597U

/* The last character that leads from (H0, H1) to WANTED; 0: there is none. */
static int last_char(uint32_t h0, uint32_t h1, uint32_t wanted)
{
	uint32_t folded;
	int c;

	for (folded = 0; folded < 2; folded++) {
		uint32_t a = h0, b = h1;

		c = (int) (((wanted + folded * 0x7fffffff - h1) ^ h0) * LEGACY_INVERSE);
		if (c >= -128 && c < 128 && c && c != '/' && legacy_step(&a, &b, c) == wanted)
			return c;
	}
	return 0;
}

/* Name N gets other characters at its end, so that its legacy hash is WANTED << 1. */
static void collide(struct dirbed_name *n, uint32_t wanted)
{
	uint32_t h0 = 0x12a3fe2d, h1 = 0x37abe8f9, hash, minor, i, last;
	signed char *text = (signed char *) n->text, *end = text + n->len;
	int found = 0, k;

	for (i = 0; i < n->len - 8; i++)
		legacy_step(&h0, &h1, text[i]);
	for (i = 0; !found; i++) {
		uint32_t a = h0, b = h1;

		for (k = 0; k < 6; k++) {
			end[k - 8] = 'A' + (i >> 4 * k) % 16;
			legacy_step(&a, &b, end[k - 8]);
		}
		for (last = 'A'; last <= 'z' && !found; last++) {
			uint32_t a2 = a, b2 = b;

			end[-2] = last;
			legacy_step(&a2, &b2, last);
			found = last_char(a2, b2, wanted);
		}
	}
	end[-1] = found;
	want_ok(ext2fs_dirhash2(EXT2_HASH_LEGACY, n->text, n->len, NULL, 0, NULL, &hash, &minor));
	want_eq(hash, wanted << 1);
}

/* Leaves continue each other; what is in the second or third one is found, removed, kept. */
START_TEST(goes_on_in_the_next_leaf)
{
	static const struct kind legacy = { 1024, 1, 1, 1, 1, EXT2_HASH_LEGACY, 0, NOT_INLINE,
					    1000, 255, 0, 0 };
	struct dirview v;
	struct dirbed b;
	struct chance c;
	uint32_t i, k;

	chance_init(&c, 3900 + _i);
	begin(&b, &c, &legacy);
	for (i = 0; i < b.n; i += STEP) {
		memset(b.names[i].text + b.names[i].len, 'x', 255 - b.names[i].len);
		b.names[i].len = chance_between(&c, 200, 255);
		collide(&b.names[i], 0x31234567);
	}
	for (k = 0; k < 60; k++) {
		for (i = 0; i < (_i ? 1 : 300); i++)
			ask_any(&b, &c, _i ? chance_below(&c, 10) * STEP
					   : chance_below(&c, b.n), 100);
		for (i = 0; i < b.n && k % 3 == 0; i += STEP)
			if (!b.names[i].there && !b.names[i].asked)
				dirbed_insert(&b, i);
		want_ok(dirbed_apply(&b));
		dirbed_judge(&b, 1);
	}
	v = dirbed_view(&b);
	dirview_each(&v, NULL, NULL);
	want(v.continued);
	dirbed_free(&b);
}
END_TEST

/* ---- damage ---- */

/* Bytes of the root, in block 0, that no checksum is about: behind the entries in use. */
static int is_unused(const struct dirbed *b, uint32_t at)
{
	return at < 1024 - 8 && at >= 32 + 8U * get_le16(b->blocks[0], 34);
}

static void ask_all(struct dirbed *b, uint32_t there)
{
	uint32_t i;

	for (i = 0; i < b->n; i++)
		if (i < there)
			dirbed_point(b, i, 5, 1);
		else
			dirbed_insert(b, i);
}

/* One byte is another: with checksums that is always seen where it matters, and never obeyed. */
START_TEST(survives_any_byte)
{
	uint32_t at, i, blocks, unused;
	struct kind k = kinds[4];
	struct bfo_dir_edit was;
	struct dirbed b;
	struct chance c;
	errcode_t err;
	uint8_t *saved;

	k.has_csum = _i;
	k.names = 40;
	chance_init(&c, 4000);
	begin(&b, &c, &k);
	for (i = 0; i < 30; i++)
		dirbed_insert(&b, i);
	want_ok(dirbed_apply(&b));
	was = b.d;
	blocks = b.n_blocks;
	dirbed_judge(&b, 1);
	saved = unit_copy(b.image, blocks * 1024);
	for (at = 0; at < blocks * 1024; at++) {
		unused = is_unused(&b, at);
		b.blocks[at / 1024][at % 1024] ^= chance_between(&c, 1, 255);
		ask_all(&b, 30);
		b.n_changes = at % 2 ? b.n : 1 + at % b.n;
		err = bfo_dir_edit_apply(&b.d, b.changes, b.n_changes);
		want(!k.has_csum || b.n_changes < b.n || unused || err == BFO_ET_DAMAGED);
		b.n_changes = 0;
		while (b.n_blocks > blocks)
			free(b.blocks[--b.n_blocks]);
		for (i = 0; i < blocks; i++)
			memcpy(b.blocks[i], saved + 1024 * i, 1024);
		b.d = was;
	}
	dirbed_judge(&b, 1);
	dirbed_free(&b);
	free(saved);
}
END_TEST

Suite *dir_edit_suite(void)
{
	Suite *s = suite_create("dir_edit");

	unit_case(s, "is_as_its_model", is_as_its_model, KINDS);
	unit_case(s, "takes_and_loses_all", takes_and_loses_all, KINDS);
	unit_case(s, "refuses_what_is_there_and_what_is_not",
		  refuses_what_is_there_and_what_is_not, KINDS);
	unit_case(s, "hands_on_the_errors_of_its_store", hands_on_the_errors_of_its_store, KINDS);
	unit_case(s, "visits_few_blocks", visits_few_blocks, 0);
	unit_case(s, "cuts_in_halves", cuts_in_halves, 0);
	unit_case(s, "grows_as_far_as_its_index", grows_as_far_as_its_index, 0);
	unit_case(s, "stays_below_4_gib", stays_below_4_gib, 0);
	unit_case(s, "refuses_kinds_it_does_not_know", refuses_kinds_it_does_not_know, 2);
	unit_case(s, "goes_on_in_the_next_leaf", goes_on_in_the_next_leaf, 2);
	unit_case(s, "survives_any_byte", survives_any_byte, 2);
	return s;
}
