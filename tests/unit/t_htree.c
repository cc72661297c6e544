// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_htree.c - plan/dirimage: hashes that collide, the end of the hashes, indexes that are full
 *
 * Most collisions are made by hashes of the test's own; t_names.c and collides_in_earnest() have
 * real ones.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dirmade.h"

#define FOLDED 0xfffffffcU		/* where the kernel puts the names of hash 0xfffffffe */

static void real_hash(const char *name, unsigned int len, uint32_t *hash, uint32_t *minor)
{
	want_ok(ext2fs_dirhash2(EXT2_HASH_HALF_MD4, name, len, NULL, 0, NULL, hash, minor));
	if (*hash == 0xfffffffe)
		*hash = FOLDED;
}

static void sixteen_hashes(const char *name, unsigned int len, uint32_t *hash, uint32_t *minor)
{
	real_hash(name, len, hash, minor);
	*hash &= 0xf0000000;
}

static void four_thousand_hashes(const char *name, unsigned int len, uint32_t *hash,
				 uint32_t *minor)
{
	real_hash(name, len, hash, minor);
	*hash &= 0xfff00000;
}

/* As the legacy hash: no minor hash to tell names apart. */
static void no_minor(const char *name, unsigned int len, uint32_t *hash, uint32_t *minor)
{
	real_hash(name, len, hash, minor);
	*hash &= 0xffe00000;
	*minor = 0;
}

static void one_hash(const char *name, unsigned int len, uint32_t *hash, uint32_t *minor)
{
	real_hash(name, len, hash, minor);
	*hash = 0x76543210;
}

static void hash_zero(const char *name, unsigned int len, uint32_t *hash, uint32_t *minor)
{
	real_hash(name, len, hash, minor);
	*hash = 0;
}

static const dirmade_hash colliding[] = {
	sixteen_hashes, four_thousand_hashes, no_minor, one_hash, hash_zero,
};
#define COLLIDING (int) (sizeof(colliding) / sizeof(colliding[0]))

/* _i: hash, and number of levels. */
START_TEST(continues_hashes_over_leaves)
{
	int three = _i / COLLIDING;
	struct dirmade d;
	struct chance c;

	chance_init(&c, 2000 + _i);
	dirmade_init(&d, &c, three ? 80000 : 4000, 60, three ? 255 : 100);
	d.m.target.block_size = 1024;
	d.m.target.has_large_dir = three;
	dirmade_rehash(&d, colliding[_i % COLLIDING]);
	want_ok(dirmade_build(&d, 80));
	want(d.img.indexed);
	d.lookups = _i % COLLIDING == 3 || _i % COLLIDING == 4 ? 300 : 5000;
	dirmade_judge(&d);
	want(d.view.continued);
	want_eq(d.view.levels, three ? 3 : 2);
	dirmade_free(&d);
}
END_TEST

/* Few names at the end of the hashes, and many. */
static uint32_t end_from;

static void end_of_hashes(const char *name, unsigned int len, uint32_t *hash, uint32_t *minor)
{
	real_hash(name, len, hash, minor);
	if (*hash >= end_from)
		*hash = FOLDED;
}

/* No leaf may begin with a name that a kernel puts at FOLDED but e2fsck at 0xfffffffe. */
static void want_none_begins(const struct dirmade *d)
{
	size_t i;

	for (i = 1; i < d->img.leaves.n && d->img.indexed; i++)
		want(d->img.leaves.v[i].hash != (FOLDED | 1));
}

START_TEST(keeps_the_last_hash_together)
{
	uint32_t folded = 0, i;
	struct dirmade d;
	struct chance c;

	chance_init(&c, 2100 + _i);
	end_from = -(0x100000U << _i / 2);	/* of 4,000 names, 1 in 4,096 ... 1 in 2 */
	dirmade_init(&d, &c, 4000, 20, 40);
	dirmade_rehash(&d, end_of_hashes);
	want_ok(dirmade_build(&d, _i % 2 ? 100 : 50));
	for (i = 0; i < d.m.tree.names.n; i++)
		folded += d.m.tree.names.v[i].hash == FOLDED;
	if (folded <= 20)
		want(d.img.indexed);			/* they fit into the room kept free */
	if (folded >= 4084 / 28)
		want(!d.img.indexed);			/* no leaf holds so many */
	if (!d.img.indexed)
		d.lookups = 300;
	want_none_begins(&d);
	dirmade_judge(&d);
	dirmade_free(&d);
}
END_TEST

static int by_word(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Of 600,000 names those whose legacy hash is also another's: about 80 pairs. */
static uint32_t find_collisions(uint64_t *found)
{
	uint32_t n = 600000, i, kept = 0, hash, minor;
	uint64_t *all = unit_alloc(n * sizeof(*all));
	char name[16];

	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%x_x", i);
		want_ok(ext2fs_dirhash2(EXT2_HASH_LEGACY, name, strlen(name), NULL, 0, NULL, &hash,
					&minor));
		all[i] = (uint64_t) hash << 32 | i;
	}
	qsort(all, n, sizeof(*all), by_word);
	for (i = 1; i < n; i++)
		if (all[i] >> 32 == all[i - 1] >> 32) {
			found[kept++] = (uint32_t) all[i - 1];
			found[kept++] = (uint32_t) all[i];
		}
	free(all);
	return kept;
}

/*
 * Names that really have equal hashes, seven to a leaf: about every other border is inside of a
 * pair.
 */
START_TEST(collides_in_earnest)
{
	uint64_t *found = unit_alloc(10000 * sizeof(*found));
	uint32_t n = find_collisions(found), i;
	struct dirmade d;
	struct chance c;
	char name[16];

	chance_init(&c, 2200);
	want(n > 100 && n < 10000);
	dirmade_init(&d, &c, n, 9, 9);
	d.m.target.block_size = 1024;
	d.m.target.hash_version = d.m.target.hash_stored = EXT2_HASH_LEGACY;
	for (i = 0; i < n; i++) {		/* other names, found by number all the same */
		snprintf(name, sizeof(name), "%x_x", (uint32_t) found[i]);
		memcpy(d.m.tree.text.v + (d.m.tree.names.v[i].at >> 16), name, strlen(name));
		d.m.tree.names.v[i].at = (d.m.tree.names.v[i].at & ~255ULL) | strlen(name);
	}
	dirmade_sort(&d);
	want_eq(d.m.tree.names.n, n);
	want_ok(dirmade_build(&d, 12));
	dirview_check(&d.view);
	want(d.img.indexed && d.view.continued > 3);
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%x_x", (uint32_t) found[i]);
		want_eq(dirview_lookup(&d.view, name, strlen(name)), 1000 + i);
	}
	dirmade_free(&d);
	free(found);
}
END_TEST

/* N names of 255 bytes at FILL percent; BFO_ET_DIR_TOO_BIG or so many levels. */
static void want_size(uint32_t bs, int large_dir, uint32_t fill, uint32_t n, uint32_t levels)
{
	struct dirmade d;
	struct chance c;

	chance_init(&c, 2300);
	dirmade_init(&d, &c, n, 255, 255);
	d.m.target.block_size = bs;
	d.m.target.has_large_dir = large_dir;
	dirmade_rehash(&d, real_hash);
	if (!levels) {
		want_err(dirmade_build(&d, fill), BFO_ET_DIR_TOO_BIG);
	} else {
		want_ok(dirmade_build(&d, fill));
		d.lookups = 2000;
		dirmade_judge(&d);
		want_eq(d.view.levels, levels);
	}
	dirmade_free(&d);
}

/*
 * 1 KiB blocks with checksums: 3 such names in a leaf, (1024 - 32 - 8) / 8 = 123 entries in a
 * root, (1024 - 8 - 8) / 8 = 126 in a node.
 */
START_TEST(is_as_large_as_the_index_allows)
{
	uint32_t one = 3 * 123, two = one * 126;

	want_size(1024, 0, 100, one, 1);
	want_size(1024, 0, 100, one + 1, 2);
	want_size(1024, 0, 100, two, 2);
	want_size(1024, 0, 100, two + 1, 0);
	want_size(1024, 1, 100, two, 2);
	want_size(1024, 1, 100, two + 1, 3);
}
END_TEST

/* Nodes that are filled in part become full before a directory is refused. */
START_TEST(fills_nodes_before_it_refuses)
{
	want_size(1024, 0, 80, 3 * 123 * 100, 2);
	want_size(1024, 0, 80, 2 * 123 * 126, 2);
	want_size(1024, 0, 80, 3 * 123 * 126 + 1, 0);
}
END_TEST

/*
 * Without large_dir a directory has less than 4 GiB: 65,535 blocks of 64 KiB.  A fill of 1 % puts
 * two such names into a leaf; with 81 leaves under a node of one block each, the rest is counting.
 */
START_TEST(stays_below_4_gib)
{
	uint32_t nodes = 800, leaves = 65535 - 1 - nodes, n, more;
	struct dirmade d;
	struct chance c;

	chance_init(&c, 2400);
	n = 2 * leaves;
	for (more = 0; more < 3; more++) {
		dirmade_init(&d, &c, n + (more ? 2 : 0), 255, 255);
		d.m.target.block_size = 65536;
		d.m.target.has_large_dir = more == 2;
		dirmade_rehash(&d, real_hash);
		want_err(bfo_dirimage_init(&d.img, &d.m.tree, &d.m.target, 0, 1),
			 more == 1 ? BFO_ET_DIR_TOO_BIG : 0);
		if (more != 1)
			want_eq(d.img.blocks, 65535 + !!more);
		dirmade_free(&d);
	}
}
END_TEST

Suite *htree_suite(void)
{
	Suite *s = suite_create("htree");

	unit_case(s, "continues_hashes_over_leaves", continues_hashes_over_leaves, 2 * COLLIDING);
	unit_case(s, "keeps_the_last_hash_together", keeps_the_last_hash_together, 24);
	unit_case(s, "collides_in_earnest", collides_in_earnest, 0);
	unit_case(s, "is_as_large_as_the_index_allows", is_as_large_as_the_index_allows, 0);
	unit_case(s, "fills_nodes_before_it_refuses", fills_nodes_before_it_refuses, 0);
	unit_case(s, "stays_below_4_gib", stays_below_4_gib, 0);
	return s;
}
