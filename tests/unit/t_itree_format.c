// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_itree_format.c - itree/format: what is packed comes back, what was altered does not
 *
 * Every byte of every block is under a checksum, unused ones too: any flip is refused.  What a
 * checksum cannot refuse, as somebody has made it anew, is refused by what it says.
 */
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "itreemade.h"

#define SIZES 7		/* 1k ... 64k */

static uint32_t size_of(int i)
{
	return ITREE_MIN_BLOCK << i;
}

static struct itree_header some_header(uint32_t block_size, uint32_t trees)
{
	struct itree_header h = { .block_size = block_size, .wtime = 0x1122334455667788,
		.lastcheck = 0x99aabbccddeeff00, .hash_version = 4, .trees = trees,
		.hash_seed = { 1, 0x80000000, 3, 0xffffffff }, .blocks = 100000, .catalogue = 3,
		.catalogue_blocks = itree_catalogue_blocks(block_size, trees) };
	int i;

	for (i = 0; i < 16; i++)
		h.uuid[i] = 0xf0 + i;
	h.seed = itree_seed_of(h.uuid);
	return h;
}

/* A way to read a block. */
struct reader {
	errcode_t (*read)(const struct reader *r, const void *block);
	struct itree_header h;
	uint32_t k;
};

/* Every byte flipped in one bit or all, every truncation (the rest zero): refused. */
static void refuse_all(const struct reader *r, uint8_t *block, uint32_t size, uint32_t step)
{
	uint8_t *cut = unit_alloc(size);
	uint32_t i;

	want_ok(r->read(r, block));
	for (i = 0; i < size; i += step) {
		block[i] ^= 1 << i % 8;
		want(r->read(r, block));
		block[i] ^= 0xff ^ 1 << i % 8;
		want(r->read(r, block));
		block[i] ^= 0xff;
		memcpy(cut, block, i);
		memset(cut + i, 0, size - i);
		if (memcmp(cut, block, size))
			want(r->read(r, cut));
	}
	want_ok(r->read(r, block));
	free(cut);
}

static errcode_t read_header(const struct reader *r, const void *block)
{
	struct itree_header h;

	return itree_header_unpack(block, r->h.block_size, &h);
}

START_TEST(header_comes_back)
{
	uint32_t size = size_of(_i), i;
	uint8_t *block = unit_alloc(ITREE_MAX_BLOCK);
	struct reader r = { .read = read_header, .h = some_header(size, 1000) };
	struct itree_header h;

	itree_header_pack(&r.h, block);
	want_ok(itree_header_unpack(block, size, &h));
	want_mem(&h, &r.h, offsetof(struct itree_header, min_entries) + 4);
	refuse_all(&r, block, size, size > 4096 ? 13 : 1);
	for (i = 0; i < SIZES; i++)
		want(!itree_header_unpack(block, size_of(i), &h) == (i == (uint32_t) _i));
	block[0]++;		/* known by all the rest */
	want_err(itree_header_unpack(block, size, &h), BFO_ET_ITREE);
	block[size - 1]++;
	want_err(itree_header_unpack(block, size, &h), BFO_ET_NO_ITREE);
	free(block);
}
END_TEST

/* Where everything stands, for readers that are not this library. */
START_TEST(header_has_its_bytes)
{
	struct itree_header h = some_header(1024, 5), got;
	uint8_t b[1024];
	uint32_t sum;

	itree_header_pack(&h, b);
	want_mem(b, "e2itree\0\1\0\0\0", 12);
	want_mem(b + 0x10, h.uuid, 16);
	want_mem(b + 0x20, "\0\4\0\0", 4);
	want_mem(b + 0x28, "\x88\x77\x66\x55\x44\x33\x22\x11", 8);
	want_mem(b + 0x30, "\0\xff\xee\xdd\xcc\xbb\xaa\x99", 8);
	want_mem(b + 0x38, "\4\0\0\0\5\0\0\0\1\0\0\0\0\0\0\x80", 16);
	want_mem(b + 0x50, "\xa0\x86\1\0\3\0\0\0\1\0\0\0\0", 13);
	memcpy(&sum, b + 0x0c, 4);
	memset(b + 0x0c, 0, 4);
	want_eq(sum, bfo_crc32c(~0U, b, sizeof(b)));
	want_eq(h.seed, bfo_crc32c(~0U, h.uuid, 16));

	b[8] = 2;			/* a version to come */
	sum = bfo_crc32c(~0U, b, sizeof(b));
	memcpy(b + 0x0c, &sum, 4);
	want_err(itree_header_unpack(b, sizeof(b), &got), BFO_ET_ITREE);
}
END_TEST

/* A header with a right checksum that cannot be. */
static void refuse_header(struct itree_header h)
{
	uint8_t *block = unit_alloc(h.block_size);
	struct itree_header got;

	itree_header_pack(&h, block);
	want_err(itree_header_unpack(block, h.block_size, &got), BFO_ET_ITREE);
	free(block);
}

START_TEST(header_that_cannot_be)
{
	struct itree_header h = some_header(1024, 1000);

	h.catalogue = 0;
	refuse_header(h);
	h.catalogue = h.blocks;
	refuse_header(h);
	h.catalogue = h.blocks - h.catalogue_blocks + 1;
	refuse_header(h);
	h.catalogue = UINT32_MAX;
	refuse_header(h);
	h = some_header(1024, 1000);
	h.catalogue_blocks++;
	refuse_header(h);
	h.trees = UINT32_MAX;
	refuse_header(h);
	h.catalogue_blocks = itree_catalogue_blocks(1024, h.trees);
	refuse_header(h);
}
END_TEST

/* ---- catalogue ---- */

static struct itree_dir *some_dirs(const struct itree_header *h)
{
	struct itree_dir *dirs = unit_alloc((h->trees + 1) * sizeof(*dirs));
	uint32_t i;

	for (i = 0; i < h->trees; i++)
		dirs[i] = (struct itree_dir) { .ino = 2 + 3 * i, .generation = i,
			.version = 7ULL << 40 | i, .ctime = 1ULL << 33 | i,
			.ctime_nsec = 999999999, .levels = i % 9,
			.set_hash = 0xfedcba9876543210 + i, .entries = 1ULL << 32 | i,
			.first = 50000 + i, .blocks = 10 + i % 5, .root = 9, .leaves = 1 + i % 10 };
	return dirs;
}

static errcode_t read_catalogue(const struct reader *r, const void *block)
{
	struct itree_dir *dirs = unit_alloc(itree_catalogue_room(r->h.block_size) * sizeof(*dirs));
	errcode_t err;
	uint32_t n;

	err = itree_catalogue_unpack(&r->h, r->k, block, dirs, &n);
	free(dirs);
	return err;
}

START_TEST(catalogue_comes_back)
{
	uint32_t size = size_of(_i), room = itree_catalogue_room(size), n, k;
	struct reader r = { .read = read_catalogue, .h = some_header(size, room * 2 + room / 2) };
	struct itree_dir *dirs = some_dirs(&r.h), *got = unit_alloc(room * sizeof(*got));
	uint8_t *block = unit_alloc(size);

	want_eq(r.h.catalogue_blocks, 3);
	for (k = 0; k < 3; k++) {
		r.k = k;
		itree_catalogue_pack(&r.h, dirs, k, block);
		want_ok(itree_catalogue_unpack(&r.h, k, block, got, &n));
		want_eq(n, k < 2 ? room : room / 2);
		want_mem(got, dirs + k * room, n * sizeof(*got));
		want_err(itree_catalogue_unpack(&r.h, (k + 1) % 3, block, got, &n), BFO_ET_ITREE);
		want_err(itree_catalogue_unpack(&r.h, k + 3, block, got, &n), BFO_ET_ITREE);
		refuse_all(&r, block, size, size > 1024 ? 29 : 1);
	}
	r.h.seed++;
	want_err(r.read(&r, block), BFO_ET_ITREE);
	free(block);
	free(dirs);
	free(got);
}
END_TEST

START_TEST(catalogue_counts)
{
	want_eq(itree_catalogue_room(1024), 15);
	want_eq(itree_catalogue_blocks(1024, 0), 1);
	want_eq(itree_catalogue_blocks(1024, 1), 1);
	want_eq(itree_catalogue_blocks(1024, 15), 1);
	want_eq(itree_catalogue_blocks(1024, 16), 2);
	want_eq(itree_catalogue_blocks(1024, UINT32_MAX), 286331153);
}
END_TEST

static const struct {
	size_t at;
	uint32_t value;
} bad_dirs[] = {
	{ offsetof(struct itree_dir, ino), 0 },
	{ offsetof(struct itree_dir, ino), 2 },			/* that of the one before */
	{ offsetof(struct itree_dir, ino), 1 },
	{ offsetof(struct itree_dir, blocks), 0 },
	{ offsetof(struct itree_dir, blocks), 9 },			/* root is the tenth */
	{ offsetof(struct itree_dir, blocks), 50000 },
	{ offsetof(struct itree_dir, blocks), UINT32_MAX },
	{ offsetof(struct itree_dir, first), 0 },
	{ offsetof(struct itree_dir, first), 3 },			/* the catalogue */
	{ offsetof(struct itree_dir, first), 100000 },
	{ offsetof(struct itree_dir, first), 99990 },
	{ offsetof(struct itree_dir, first), UINT32_MAX },
	{ offsetof(struct itree_dir, root), 11 },
	{ offsetof(struct itree_dir, levels), ITREE_MAX_LEVELS + 1 },
	{ offsetof(struct itree_dir, leaves), 0 },
	{ offsetof(struct itree_dir, leaves), 12 },
};

START_TEST(catalogue_that_cannot_be)
{
	struct itree_header h = some_header(1024, 2);
	struct itree_dir *dirs = some_dirs(&h), got[15];
	uint8_t block[1024];
	uint32_t n;

	itree_catalogue_pack(&h, dirs, 0, block);
	want_ok(itree_catalogue_unpack(&h, 0, block, got, &n));
	memcpy((char *) &dirs[1] + bad_dirs[_i].at, &bad_dirs[_i].value, 4);
	itree_catalogue_pack(&h, dirs, 0, block);
	want_err(itree_catalogue_unpack(&h, 0, block, got, &n), BFO_ET_ITREE);
	want_eq(n, 0);
	h.trees = 1;			/* one more in the block than there are */
	want_err(itree_catalogue_unpack(&h, 0, block, got, &n), BFO_ET_ITREE);
	free(dirs);
}
END_TEST

/* ---- nodes ---- */

static errcode_t read_node(const struct reader *r, const void *block)
{
	return itree_node_check(block, r->h.block_size, 99, 7, r->k, 1000);
}

static void fill_node(uint8_t *block, uint32_t size, uint32_t n)
{
	struct itree_child child;
	uint32_t i;

	itree_node_init(block, size, 3);
	for (i = 0; i < n; i++) {
		child = (struct itree_child) { itree_key_make(1 + i / 2, i % 2 * 0xfffffffe),
					       900 - i % 500, i, i % 3 == 1 };
		itree_node_put(block, i, &child);
	}
	itree_node_set_count(block, n);
	itree_node_seal(block, size, 99, 7);
}

START_TEST(node_comes_back)
{
	uint32_t size = size_of(_i), limit = itree_node_limit(size), i;
	struct reader r = { .read = read_node, .h = some_header(size, 1), .k = 3 };
	uint8_t *block = unit_alloc(size);
	struct itree_child child;

	want_eq(limit, (size - 9) / 18);
	fill_node(block, size, limit);
	want_eq(itree_node_count(block), limit);
	want_eq(itree_node_level(block), 3);
	for (i = 0; i < limit; i++) {
		itree_node_get(block, i, &child);
		want_eq(child.key, itree_key_make(1 + i / 2, i % 2 * 0xfffffffe));
		want_eq(child.block, 900 - i % 500);
		want_eq(child.fullness, i % 256);
		want_eq(child.flags, i % 3 == 1);
	}
	refuse_all(&r, block, size, size > 4096 ? 17 : 1);
	want_err(itree_node_check(block, size, 98, 7, 3, 1000), BFO_ET_ITREE);
	want_err(itree_node_check(block, size, 99, 8, 3, 1000), BFO_ET_ITREE);
	want_err(itree_node_check(block, size, 99, 7, 2, 1000), BFO_ET_ITREE);
	want_err(itree_node_check(block, size, 99, 7, 3, 900), BFO_ET_ITREE);
	want_ok(itree_node_check(block, size, 99, 7, 3, 901));
	free(block);
}
END_TEST

/* Damage to a node of three children that has a right checksum: byte, value. */
static const struct {
	uint32_t at;
	uint8_t value;
} bad_nodes[] = {
	{ 0, 0 }, { 0, 57 }, { 1, 1 }, { 2, 55 }, { 3, 1 }, { 8, 2 }, { 8, 255 },
	{ 9 + 4, 1 }, { 9, 9 },					/* bit 0 of a hash; order */
	{ 9 + 17, 2 }, { 9 + 17, 0x81 },			/* flags */
	{ 9 + 8 + 4, 1 }, { 9 + 8 + 7, 0x80 },			/* a child far outside */
	{ 9 + 18, 0 },						/* not behind the first */
};

START_TEST(node_that_cannot_be)
{
	uint8_t block[1024];
	struct itree_child child;

	fill_node(block, 1024, 3);
	want_ok(itree_node_check(block, 1024, 99, 7, 3, 1000));
	block[bad_nodes[_i].at] = bad_nodes[_i].value;
	itree_node_seal(block, 1024, 99, 7);
	want_err(itree_node_check(block, 1024, 99, 7, 3, 1000), BFO_ET_ITREE);

	fill_node(block, 1024, 3);
	itree_node_get(block, 1, &child);
	child.block = 7;		/* itself */
	itree_node_put(block, 1, &child);
	itree_node_seal(block, 1024, 99, 7);
	want_err(itree_node_check(block, 1024, 99, 7, 3, 1000), BFO_ET_ITREE);

	fill_node(block, 1024, 3);
	itree_node_get(block, 1, &child);
	itree_node_put(block, 2, &child);		/* equal keys: only with the flag */
	itree_node_seal(block, 1024, 99, 7);
	want_ok(itree_node_check(block, 1024, 99, 7, 3, 1000));
	child.flags = 0;
	itree_node_put(block, 2, &child);
	itree_node_seal(block, 1024, 99, 7);
	want_err(itree_node_check(block, 1024, 99, 7, 3, 1000), BFO_ET_ITREE);
}
END_TEST

/* ---- leaves ---- */

static errcode_t read_leaf(const struct reader *r, const void *block)
{
	return itree_leaf_check(block, r->h.block_size, 99, 7);
}

/* Full to the last byte: names of 4 bytes, the last one longer. */
static uint32_t fill_leaf(uint8_t *block, uint32_t size)
{
	uint32_t at = ITREE_LEAF_HEAD, n = 0, bytes;
	struct itree_entry e = { .name = "abcdefghijklmnopqrst", .type = 7 };

	itree_leaf_init(block, size);
	want_eq(itree_leaf_used(block), ITREE_LEAF_HEAD);
	while (at < size) {
		bytes = size - at < 32 ? size - at : 16;
		e.key = itree_key_make(n / 2 + 1, 2);
		e.name_len = bytes == 16 ? 3 : bytes - ITREE_ENTRY_HEAD;
		want_eq(itree_entry_bytes(e.name_len), bytes);
		at = itree_leaf_put(block, at, &e, bytes);
		n++;
	}
	itree_leaf_set_used(block, at);
	itree_leaf_seal(block, size, 99, 7);
	return n;
}

START_TEST(leaf_comes_back)
{
	uint32_t size = size_of(_i), at = ITREE_LEAF_HEAD, i, n;
	struct reader r = { .read = read_leaf, .h = some_header(size, 1) };
	uint8_t *block = unit_alloc(size);
	struct itree_entry e;

	n = fill_leaf(block, size);
	want_eq(itree_leaf_used(block), size);
	for (i = 0; i < n; i++) {
		at = itree_leaf_get(block, at, &e);
		want_eq(e.key, itree_key_make(i / 2 + 1, 2));
		want_eq(e.type, 7);
		want_mem(e.name, "abcdefghijklmnopqrst", e.name_len);
	}
	want_eq(at, size);
	refuse_all(&r, block, size, size > 4096 ? 17 : 1);
	want_err(itree_leaf_check(block, size, 98, 7), BFO_ET_ITREE);
	want_err(itree_leaf_check(block, size, 99, 6), BFO_ET_ITREE);
	free(block);
}
END_TEST

/*
 * 65536 is the only count that 16 bits do not hold: 65535 stands for it, in blocks of 64 KiB only.
 */
START_TEST(leaf_of_64k)
{
	uint8_t *block = unit_alloc(ITREE_MAX_BLOCK);
	struct itree_entry e = { .key = itree_key_make(1, 0), .name = "x", .name_len = 1 };

	fill_leaf(block, ITREE_MAX_BLOCK);
	want(block[4] == 0xff && block[5] == 0xff);
	want_eq(itree_leaf_used(block), 65536);
	itree_leaf_set_used(block, 65532);
	want_eq(itree_leaf_used(block), 65532);

	itree_leaf_init(block, ITREE_MAX_BLOCK);
	want_eq(itree_leaf_put(block, ITREE_LEAF_HEAD, &e, ITREE_MAX_BLOCK - ITREE_LEAF_HEAD),
		ITREE_MAX_BLOCK);	/* one entry that hides all the rest */
	want_eq(itree_leaf_get(block, ITREE_LEAF_HEAD, &e), ITREE_MAX_BLOCK);
	itree_leaf_set_used(block, ITREE_MAX_BLOCK);
	itree_leaf_seal(block, ITREE_MAX_BLOCK, 1, 2);
	want_ok(itree_leaf_check(block, ITREE_MAX_BLOCK, 1, 2));
	itree_leaf_seal(block, 32768, 1, 2);
	want_err(itree_leaf_check(block, 32768, 1, 2), BFO_ET_ITREE);
	free(block);
}
END_TEST

/* Damage to a leaf of entries of 16 bytes with a right checksum. */
static const struct {
	uint32_t at;
	uint8_t value;
} bad_leaves[] = {
	{ 4, 4 }, { 4, 9 }, { 5, 5 }, { 4, 10 }, { 4, 12 },	/* used: too much, no whole entry */
	{ 8, 3 },						/* bit 0 of the hash */
	{ 12, 0 }, { 12, 2 },					/* inode 0; order */
	{ 16, 0 }, { 16, 4 }, { 16, 8 }, { 16, 13 }, { 16, 14 },	/* rec_len */
	{ 17, 255 }, { 17, 4 },
	{ 18, 0 }, { 18, 5 }, { 18, 255 },			/* name_len */
};

START_TEST(leaf_that_cannot_be)
{
	uint8_t block[1024];

	fill_leaf(block, 1024);
	want_ok(itree_leaf_check(block, 1024, 99, 7));
	block[bad_leaves[_i].at] = bad_leaves[_i].value;
	itree_leaf_seal(block, 1024, 99, 7);
	want_err(itree_leaf_check(block, 1024, 99, 7), BFO_ET_ITREE);
}
END_TEST

START_TEST(fullness_and_digest)
{
	want_eq(itree_fullness(0, 100), 0);
	want_eq(itree_fullness(99, 100), 252);
	want_eq(itree_fullness(100, 100), 255);
	want_eq(itree_fullness(65528, 65528), 255);
	want_eq(itree_fullness(65524, 65528), 254);
	want(itree_name_digest(1, "a", 1) != itree_name_digest(2, "a", 1));
	want(itree_name_digest(1, "a", 1) != itree_name_digest(1, "b", 1));
	want(itree_name_digest(1, "a", 1) != itree_name_digest(1, "a\0", 2));
	want(itree_key_make(1, 0xffffffff) == 0x1fffffffe);
	want_eq(itree_key_ino(0x1fffffffe), 1);
	want_eq(itree_key_hash(0x1fffffffe), 0xfffffffe);
}
END_TEST

#define COUNT(array) ((int) (sizeof(array) / sizeof((array)[0])))

Suite *itree_format_suite(void)
{
	Suite *s = suite_create("itree_format");

	unit_case(s, "header_comes_back", header_comes_back, SIZES);
	unit_case(s, "header_has_its_bytes", header_has_its_bytes, 0);
	unit_case(s, "header_that_cannot_be", header_that_cannot_be, 0);
	unit_case(s, "catalogue_comes_back", catalogue_comes_back, SIZES);
	unit_case(s, "catalogue_counts", catalogue_counts, 0);
	unit_case(s, "catalogue_that_cannot_be", catalogue_that_cannot_be, COUNT(bad_dirs));
	unit_case(s, "node_comes_back", node_comes_back, SIZES);
	unit_case(s, "node_that_cannot_be", node_that_cannot_be, COUNT(bad_nodes));
	unit_case(s, "leaf_comes_back", leaf_comes_back, SIZES);
	unit_case(s, "leaf_of_64k", leaf_of_64k, 0);
	unit_case(s, "leaf_that_cannot_be", leaf_that_cannot_be, COUNT(bad_leaves));
	unit_case(s, "fullness_and_digest", fullness_and_digest, 0);
	return s;
}
