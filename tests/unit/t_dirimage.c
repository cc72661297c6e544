// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_dirimage.c - plan/dirimage: directories of all sizes and shapes, read back by dirview.c
 */
#include <string.h>

#include "tree/access.h"
#include "dirmade.h"

static const uint32_t block_sizes[] = { 1024, 2048, 4096, 65536 };

/* Twelve and more shapes of target by number: block size, checksums, index. */
#define SHAPES 16

static void set_shape(struct bfo_target *t, int shape)
{
	t->block_size = block_sizes[shape / 4];
	t->has_csum = shape & 1;
	t->has_dir_index = !!(shape & 2);
}

static void judge_random(int shape, uint32_t n, uint32_t max, uint32_t fill)
{
	struct dirmade d;
	struct chance c;

	chance_init(&c, 1000 * shape + n + fill);
	dirmade_init(&d, &c, n, 1, max);
	set_shape(&d.m.target, shape);
	dirmade_sort(&d);
	want_ok(dirmade_build(&d, fill));
	if (!d.img.indexed)
		d.lookups = 200;
	dirmade_judge(&d);
	want_eq(d.img.indexed, d.img.blocks > 1 && d.m.target.has_dir_index);
	dirmade_free(&d);
}

/* _i: shape. */
START_TEST(holds_few_and_many)
{
	static const uint32_t counts[] = { 0, 1, 2, 7, 30, 100, 1000, 5000 };
	size_t i;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		judge_random(_i, counts[i], 255, 80);
		judge_random(_i, counts[i], 20, 100);
	}
}
END_TEST

/* Entries that fill a block to its last byte, and 4 bytes more. */
START_TEST(fits_one_block_exactly)
{
	uint32_t room, n, more;
	struct dirmade d;
	struct chance c;

	chance_init(&c, 1100 + _i);
	for (more = 0; more < 2; more++) {
		room = block_sizes[_i / 4] - (_i & 1 ? 12 : 0) - 24;
		n = (room - 4) / 16;			/* names of 8 bytes: 16 each */
		dirmade_init_exact(&d, &c, n, 8, 8 + room - 16 * n + 4 * more);
		set_shape(&d.m.target, _i);
		dirmade_sort(&d);
		want_ok(dirmade_build(&d, 100));
		want_eq(d.img.blocks, 1 + more);	/* a root and a leaf, or two blocks */
		want_eq(d.img.indexed, more && _i & 2);
		if (!d.img.indexed)
			d.lookups = 500;
		dirmade_judge(&d);
		dirmade_free(&d);
	}
}
END_TEST

START_TEST(fills_as_told)
{
	static const uint32_t fills[] = { 10, 25, 50, 80, 99, 100 };
	uint32_t limit, longest = 8 + 40;
	struct dirmade d;
	struct chance c;

	chance_init(&c, 1200 + _i);
	dirmade_init(&d, &c, 20000, 8, 40);
	set_shape(&d.m.target, 2 + _i % 2 + 4 * (_i / 12));
	dirmade_sort(&d);
	want_ok(dirmade_build(&d, fills[_i / 2 % 6]));
	dirmade_judge(&d);
	limit = (d.m.target.block_size - (_i % 2 ? 12 : 0)) * fills[_i / 2 % 6] / 100;
	want(d.img.indexed);
	want(d.view.most_used <= limit);
	want(d.view.least_used + longest > limit);
	dirmade_free(&d);
}
END_TEST

static void judge_large(uint32_t n, uint32_t bs, int large_dir, uint32_t max, uint32_t levels)
{
	struct dirmade d;
	struct chance c;

	chance_init(&c, 1300 + bs);
	dirmade_init(&d, &c, n, 8, max);
	d.m.target.block_size = bs;
	d.m.target.has_large_dir = large_dir;
	dirmade_sort(&d);
	want_ok(dirmade_build(&d, 80));
	d.lookups = bs == 65536 ? 20000 : UINT32_MAX;
	dirmade_judge(&d);
	want_eq(d.view.levels, levels);
	dirmade_free(&d);
}

START_TEST(holds_200000_in_1k)
{
	judge_large(200000, 1024, 0, 20, 2);
}
END_TEST

START_TEST(holds_200000_in_4k)
{
	judge_large(200000, 4096, 0, 60, 2);
}
END_TEST

START_TEST(holds_200000_in_64k)
{
	judge_large(200000, 65536, 0, 60, 1);
}
END_TEST

START_TEST(holds_200000_in_three_levels)
{
	judge_large(200000, 1024, 1, 255, 3);
}
END_TEST

/* Without an index the order stays that of hashes, over all blocks. */
START_TEST(holds_200000_linear)
{
	struct dirmade d;
	struct chance c;

	chance_init(&c, 1400);
	dirmade_init(&d, &c, 200000, 8, 60);
	d.m.target.has_dir_index = 0;
	dirmade_sort(&d);
	want_ok(dirmade_build(&d, 80));
	want(!d.img.indexed);
	d.lookups = 50;
	dirmade_judge(&d);
	dirmade_free(&d);
}
END_TEST

/* Leaves about one in ONE_IN names to be copied. */
static void kill_some(struct dirmade *d, struct chance *c, uint32_t one_in)
{
	struct bfo_tree *t = &d->m.tree;
	size_t i;

	for (i = 0; i < t->names.n; i++) {
		if (chance_below(c, one_in))
			continue;
		bfo_name_kill(&t->names.v[i]);
		d->left_out++;
	}
}

START_TEST(leaves_dead_names_out)
{
	static const uint32_t counts[] = { 1, 20, 60, 300, 3000 };
	struct dirmade d;
	struct chance c;
	size_t i;

	chance_init(&c, 1500 + _i);
	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		dirmade_init(&d, &c, counts[i], 8, 100);
		set_shape(&d.m.target, _i % 4);
		dirmade_sort(&d);
		kill_some(&d, &c, 1 + _i / 4);
		want_ok(dirmade_build(&d, 80));
		if (!d.img.indexed)
			d.lookups = 200;
		dirmade_judge(&d);
		if (d.left_out == d.names)
			want_eq(d.img.blocks, 1);
		dirmade_free(&d);
	}
}
END_TEST

/* Names that the target has already carry their numbers themselves, whatever records there are. */
START_TEST(keeps_fixed_names)
{
	struct bfo_name fixed, *n;
	struct dirmade d;
	struct chance c;
	struct bfo_tree *t = &d.m.tree;
	char text[256];
	size_t i;

	chance_init(&c, 1600);
	dirmade_init(&d, &c, 2000, 8, 100);
	dirmade_sort(&d);
	for (i = 0; i < t->names.n; i += 3) {
		n = &t->names.v[i];
		memcpy(text, bfo_name_text(t, n), bfo_name_len(n));
		want_ok(bfo_tree_add_name(t, 0, bfo_name_new_ino(t, n), bfo_name_type(n) |
					  BFO_NAME_FIXED, text, bfo_name_len(n)));
		fixed = t->names.v[--t->names.n];
		n = &t->names.v[i];
		fixed.hash = n->hash;
		fixed.minor = n->minor;
		*n = fixed;
	}
	want_ok(dirmade_build(&d, 80));
	dirmade_judge(&d);
	dirmade_free(&d);
}
END_TEST

/* As a key might give them: even, many the same. */
static void secret_hash(const char *name, unsigned int len, uint32_t *hash, uint32_t *minor)
{
	uint64_t x = 0x1234567;

	while (len--)
		x = (x ^ (uint8_t) *name++) * 0x9e3779b97f4a7c15 + 1;
	*hash = (x % 5 ? x >> 32 : 0x77777776) & ~1U;
	*minor = x;
}

/* Entries are longer by their hashes, and lie in the order of these. */
START_TEST(stores_hashes)
{
	static const uint32_t counts[] = { 1, 30, 300, 5000 };
	struct dirmade d;
	struct chance c;
	size_t i;

	chance_init(&c, 1800 + _i);
	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		dirmade_init(&d, &c, counts[i], 8, 255);
		set_shape(&d.m.target, _i);
		dirmade_store(&d, secret_hash);
		dirmade_sort(&d);
		want_ok(dirmade_build(&d, 80));
		want_eq(d.img.indexed, d.img.blocks > 1 && d.m.target.has_dir_index);
		if (!d.img.indexed)
			d.lookups = 200;
		dirmade_judge(&d);
		dirmade_free(&d);
	}
}
END_TEST

/* A directory is read with another seed after its number or generation changed. */
START_TEST(seals_with_its_numbers)
{
	struct dirmade d;
	struct chance c;

	chance_init(&c, 1700);
	dirmade_init(&d, &c, 1000, 8, 100);
	dirmade_sort(&d);
	want_ok(dirmade_build(&d, 80));
	want(ext2fs_dir_block_csum_verify(d.view.fs, d.view.ino, (void *) d.view.data));
	want(!ext2fs_dir_block_csum_verify(d.view.fs, d.view.ino + 1, (void *) d.view.data));
	d.blocks[d.m.target.block_size * 2 - 20] ^= 1;
	want(!ext2fs_dir_block_csum_verify(d.view.fs, d.view.ino,
					   (void *) (d.view.data + d.m.target.block_size)));
	dirmade_free(&d);
}
END_TEST

Suite *dirimage_suite(void)
{
	Suite *s = suite_create("dirimage");

	unit_case(s, "holds_few_and_many", holds_few_and_many, SHAPES);
	unit_case(s, "fits_one_block_exactly", fits_one_block_exactly, SHAPES);
	unit_case(s, "fills_as_told", fills_as_told, 36);
	unit_case(s, "holds_200000_in_1k", holds_200000_in_1k, 0);
	unit_case(s, "holds_200000_in_4k", holds_200000_in_4k, 0);
	unit_case(s, "holds_200000_in_64k", holds_200000_in_64k, 0);
	unit_case(s, "holds_200000_in_three_levels", holds_200000_in_three_levels, 0);
	unit_case(s, "holds_200000_linear", holds_200000_linear, 0);
	unit_case(s, "leaves_dead_names_out", leaves_dead_names_out, 12);
	unit_case(s, "keeps_fixed_names", keeps_fixed_names, 0);
	unit_case(s, "stores_hashes", stores_hashes, SHAPES);
	unit_case(s, "seals_with_its_numbers", seals_with_its_numbers, 0);
	return s;
}
