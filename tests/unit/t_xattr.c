// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_xattr.c - gather/xattr: attributes taken out, packed, put back
 *
 * Here is what needs no filesystem; t_xattr_image.c has the judges.
 */
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>
#include <ext2fs/ext2_ext_attr.h>

#include "xattrs.h"

#define OLD EXT2_GOOD_OLD_INODE_SIZE
#define MAGIC EXT2_EXT_ATTR_MAGIC

static const uint32_t inode_sizes[] = { 128, 256, 512, 1024 };
static const uint32_t block_sizes[] = { 1024, 2048, 4096, 16384, 65536 };

static void *new_inode(uint32_t size, uint16_t extra)
{
	struct ext2_inode_large *raw = unit_alloc(size);

	memset(raw, 0x77, size);
	if (size > OLD)
		raw->i_extra_isize = extra;
	return raw;
}

static uint32_t *word(void *raw, uint32_t at)
{
	return (void *) ((char *) raw + at);
}

/*
 * A block as Linux 6.18 wrote it (1 KiB, no checksums): user.b, user.aa (empty), user.<not
 * ASCII>, trusted.t, security.s, set in this order.
 */
static void linux_block(uint8_t *block)
{
	static const uint8_t front[] = {
		0, 0, 2, 0xea, 1, 0, 0, 0, 1, 0, 0, 0, 0x44, 0x2b, 0x76, 0xdc,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		1, 1, 0xf4, 3, 0, 0, 0, 0, 10, 0, 0, 0, 0x3e, 0x3f, 0x64, 6, 'b', 0, 0, 0,
		2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x41, 0x0c, 0, 0, 'a', 'a', 0, 0,
		5, 1, 0xf0, 3, 0, 0, 0, 0, 3, 0, 0, 0, 0x1d, 0x75, 0xb3, 0x48,
		0xc3, 0xa9, 't', 0xc3, 0xa9, 0, 0, 0,
		1, 4, 0x8c, 3, 0, 0, 0, 0, 100, 0, 0, 0, 0x60, 0x61, 0x16, 0x63, 't', 0, 0, 0,
		1, 6, 0x84, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0x71, 2, 0x80, 0xff, 's', 0, 0, 0,
	};
	int i;

	memset(block, 0, 1024);
	memcpy(block, front, sizeof(front));
	memcpy(block + 0x384, "\x80\xff\1\2\3", 5);
	for (i = 0; i < 100; i++)
		block[0x38c + i] = i;
	memcpy(block + 0x3f0, "xyz", 3);
	memcpy(block + 0x3f4, "0123456789", 10);
}

START_TEST(writes_as_linux)
{
	uint8_t inside[5] = { 0 };
	bfo_xattrs set = { 0 };
	uint32_t *block = unit_alloc(1024), *made = unit_alloc(1024);

	linux_block((void *) block);
	want_ok(bfo_xattrs_of_block(&set, block, 1024));
	want_eq(set.n, 5);
	want(set.v[1].size == 0 && set.v[1].value);
	want_eq(set.v[0].hash, 0x06643f3e);
	want_mem(set.v[0].value, "0123456789", 10);
	want_mem(set.v[4].name, "s", 1);
	want_eq(set.v[4].name_index, BFO_XATTR_SECURITY);
	want_eq(bfo_xattrs_sort(&set), 0);
	want_mem(set.v[3].name, "t", 1);
	memset(made, 0x55, 1024);
	bfo_xattrs_put_block(&set, inside, made, 1024);
	want_mem(block, made, 1024);
	bfo_vec_free(&set);
	free(block);
	free(made);
}
END_TEST

static void want_room(uint32_t size, uint16_t extra, uint32_t room)
{
	void *raw = new_inode(size, extra);

	want_eq(bfo_xattrs_inode_room(raw, size), room);
	free(raw);
}

START_TEST(knows_the_room_in_inodes)
{
	want_room(128, 0, 0);
	want_room(256, 0, 0);
	want_room(256, 32, 96);
	want_room(256, 30, 0);
	want_room(256, 120, 8);
	want_room(256, 124, 0);
	want_room(256, 132, 0);
	want_room(1024, 4, 892);
}
END_TEST

static void want_none(uint32_t size, uint16_t extra, uint32_t magic, errcode_t expect)
{
	void *raw = new_inode(size, extra);
	bfo_xattrs set = { 0 };

	if (size > OLD && extra % 4 == 0 && OLD + extra + 4U <= size)
		*word(raw, OLD + extra) = magic;
	want_err(bfo_xattrs_of_inode(&set, raw, size), expect);
	want_eq(set.n, 0);
	free(raw);
}

START_TEST(finds_none)
{
	want_none(128, 0, 0, 0);
	want_none(256, 32, 0, 0);
	want_none(256, 32, MAGIC + 1, 0);
	want_none(256, 0, MAGIC, 0);		/* as the kernel: such inodes have none */
	want_none(256, 124, MAGIC, 0);		/* no room for an end */
	want_none(256, 128, 0, 0);
	want_none(256, 132, 0, BFO_ET_DAMAGED);
	want_none(256, 30, 0, BFO_ET_DAMAGED);
	want_none(256, 32, MAGIC, BFO_ET_DAMAGED);	/* entries of 0x77 bytes run out */
}
END_TEST

/* Inline data, and a value in an inode: taken as they stand, written as they were. */
START_TEST(carries_special_values)
{
	struct ext2_inode_large *raw = new_inode(256, 32);
	struct ext2_ext_attr_entry *e = (void *) word(raw, OLD + 36);
	uint8_t inside[2] = { 1, 1 };
	bfo_xattrs set = { 0 };
	void *copy;

	memset(word(raw, OLD + 32), 0, 96);
	*word(raw, OLD + 32) = MAGIC;
	*e = (struct ext2_ext_attr_entry) { .e_name_len = 2, .e_name_index = BFO_XATTR_USER,
		.e_value_inum = 77, .e_value_size = 123456, .e_hash = 0xdeadbeef };
	memcpy(e + 1, "ea", 2);
	e = (void *) ((char *) e + 20);
	*e = (struct ext2_ext_attr_entry) { .e_name_len = 4, .e_name_index = BFO_XATTR_SYSTEM,
		.e_value_offs = 84, .e_value_size = 7 };
	memcpy(e + 1, "data", 4);
	memcpy(word(raw, OLD + 36 + 84), "inline!", 7);
	copy = unit_copy(raw, 256);
	want_ok(bfo_xattrs_of_inode(&set, raw, 256));
	want_eq(set.n, 2);
	want(!set.v[0].value && set.v[0].inum == 77 && set.v[0].size == 123456);
	want_eq(set.v[0].hash, 0xdeadbeef);
	want(!bfo_xattr_is_data(&set.v[0]) && bfo_xattr_is_data(&set.v[1]));
	want_mem(set.v[1].value, "inline!", 7);
	want_eq(bfo_xattr_cost(&set.v[0]), 20);
	want_eq(bfo_xattr_cost(&set.v[1]), 28);
	bfo_vec_free(&set);
	want_ok(bfo_xattrs_of_inode(&set, copy, 256));
	bfo_xattrs_put_inode(&set, inside, raw, 256);
	want_mem(raw, copy, 256);
	bfo_vec_free(&set);
	free(raw);
	free(copy);
}
END_TEST

/* The first of equals stays, whatever else there is. */
START_TEST(sorts)
{
	static const char *const names[] = { "b", "aa", "a", "", "ab" };
	bfo_xattrs set = { 0 };
	size_t i;

	for (i = 0; i < 30; i++)
		want_ok(bfo_vec_push(&set, (struct bfo_xattr) {
			.name_index = i % 3 ? 4 : 1, .name = names[i % 5],
			.name_len = strlen(names[i % 5]), .value = "", .size = i }));
	want_eq(bfo_xattrs_sort(&set), 20);
	want_eq(set.n, 10);
	for (i = 0; i < 10; i++) {
		static const char *const order[] = { "", "a", "b", "aa", "ab" };

		want_eq(set.v[i].name_index, i < 5 ? 1 : 4);
		want_eq(set.v[i].name_len, strlen(order[i % 5]));
		want_mem(set.v[i].name, order[i % 5], set.v[i].name_len);
		want(set.v[i].size < 15);
	}
	bfo_vec_free(&set);
}
END_TEST

static void *pack(const bfo_xattrs *set, uint32_t *size)
{
	void *bytes;

	*size = bfo_xattrs_bytes(set);
	bytes = unit_alloc(*size + 1);
	((char *) bytes)[*size] = 0x5a;
	bfo_xattrs_pack(set, bytes);
	want_eq(((char *) bytes)[*size], 0x5a);
	return bytes;
}

/* Changes one thing that can be read in attribute X. */
static void change(struct bfo_xattr *x, struct chance *c)
{
	switch (chance_below(c, 4)) {
	case 0:
		x->name_index++;
		break;
	case 1:
		if (x->inum) {
			x->hash++;
			break;
		}
		if (x->size) {
			((uint8_t *) x->value)[chance_below(c, x->size)]++;
			break;
		}
		/* fall through */
	case 2:
		if (x->name_len) {
			((char *) x->name)[chance_below(c, x->name_len)]++;
			break;
		}
		/* fall through */
	default:
		if (x->inum)
			x->inum++;
		else
			x->name_index++;
	}
}

START_TEST(packs)
{
	struct xattrs made = { 0 };
	bfo_xattrs out = { 0 };
	uint32_t size, size2, round;
	void *bytes, *bytes2;
	struct chance c;
	size_t i;

	chance_init(&c, 700 + _i);
	for (round = 0; round < 100; round++) {
		xattrs_fill(&made, &c, chance_between(&c, 64, 5000), 0);
		for (i = 0; i < made.set.n; i += 3)
			made.set.v[i].inum = i + 1, made.set.v[i].value = NULL;
		bytes = pack(&made.set, &size);
		want_ok(bfo_xattrs_unpack(&out, bytes, size));
		xattrs_want_same(&out, &made.set);
		xattrs_shuffle(&made.set, &c);
		for (i = 0; i < made.set.n; i++)
			if (!made.set.v[i].inum)
				made.set.v[i].hash = chance_bits(&c);
		bfo_xattrs_sort(&made.set);
		bytes2 = pack(&made.set, &size2);
		want(size == size2 && !memcmp(bytes, bytes2, size));
		free(bytes2);
		change(&made.set.v[chance_below(&c, made.set.n)], &c);
		bfo_xattrs_sort(&made.set);
		bytes2 = pack(&made.set, &size2);
		want(size != size2 || memcmp(bytes, bytes2, size));
		free(bytes2);
		free(bytes);
		bfo_vec_free(&out);
		xattrs_free(&made);
	}
}
END_TEST

/* Puts SET into rooms of these sizes, if it fits, and takes it out again. */
static int there_and_back(const bfo_xattrs *set, uint32_t inode_size, uint32_t block_size,
			  uint16_t extra)
{
	uint32_t start = OLD + extra, room, i;
	uint8_t *inside = unit_alloc(set->n);
	uint8_t *raw = new_inode(inode_size, extra), *copy = unit_copy(raw, inode_size);
	void *block = unit_alloc(block_size);
	bfo_xattrs back = { 0 };
	int got;

	room = bfo_xattrs_inode_room(raw, inode_size);
	got = bfo_xattrs_split(set, room, block_size, inside);
	if (got >= 0) {
		bfo_xattrs_put_inode(set, inside, raw, inode_size);
		want_mem(raw, copy, start < inode_size ? start : inode_size);
		want_ok(bfo_xattrs_of_inode(&back, raw, inode_size));
		for (i = start; !back.n && i < inode_size; i++)
			want(!raw[i]);
		for (i = 0; i < back.n; i++)
			want_eq(back.v[i].hash, 0);
	}
	if (got > 0) {
		bfo_xattrs_put_block(set, inside, block, block_size);
		want_ok(bfo_xattrs_of_block(&back, block, block_size));
	}
	if (got >= 0) {
		want_eq(bfo_xattrs_sort(&back), 0);
		xattrs_want_same(&back, set);
	}
	bfo_vec_free(&back);
	free(inside);
	free(raw);
	free(copy);
	free(block);
	return got;
}

START_TEST(comes_back)
{
	uint32_t round, seen[3] = { 0 }, inode_size, block_size, extra;
	struct xattrs made = { 0 };
	struct chance c;

	chance_init(&c, 740 + _i);
	for (round = 0; round < 300; round++) {
		inode_size = inode_sizes[chance_below(&c, 4)];
		block_size = block_sizes[chance_below(&c, 5)];
		xattrs_fill(&made, &c, chance_between(&c, 40, chance_below(&c, 3) ?
						      block_size + 900 : inode_size), 0);
		extra = inode_size == OLD ? 0 : 4 * chance_between(&c, 1, 32);
		seen[1 + there_and_back(&made.set, inode_size, block_size, extra)]++;
		xattrs_free(&made);
	}
	want(seen[0] > 2 && seen[1] > 10 && seen[2] > 50);
}
END_TEST

/* Names of every length, with the largest value that fits, and one that does not. */
START_TEST(fits_to_the_byte)
{
	uint32_t len, block_size = block_sizes[_i], size;
	struct xattrs made = { 0 };
	struct chance c;

	chance_init(&c, 760 + _i);
	for (len = 0; len < 256; len++) {
		size = block_size - 36 - 16 - (len + 3) / 4 * 4;
		xattrs_add(&made, &c, BFO_XATTR_USER, len, size, 0);
		want_eq(there_and_back(&made.set, 128, block_size, 0), 1);
		xattrs_free(&made);
		xattrs_add(&made, &c, BFO_XATTR_USER, len, size + 1, 0);
		want(there_and_back(&made.set, 128, block_size, 0) < 0);
		xattrs_free(&made);
		size = 888 - 8 - 16 - (len + 3) / 4 * 4;
		xattrs_add(&made, &c, 0, len, size, 0);
		want_eq(there_and_back(&made.set, 1024, block_size, 8), 0);
		xattrs_free(&made);
		xattrs_add(&made, &c, 0, len, size + 1, 0);
		want(there_and_back(&made.set, 1024, block_size, 8) < 0);
		xattrs_free(&made);
	}
}
END_TEST

static void want_within(const bfo_xattrs *set, const void *buf, uint32_t size)
{
	const char *lo = buf, *hi = lo + size, *value;
	size_t i;

	for (i = 1; i < set->n; i++) {
		value = set->v[i].value;
		want(set->v[i].name >= lo && set->v[i].name + set->v[i].name_len <= hi);
		want(set->v[i].inum ? !value :
		     value >= lo && value <= hi && set->v[i].size <= (size_t) (hi - value));
	}
}

/* Bytes by chance, or with a few of them wrong: an error, or nothing outside of the buffer. */
START_TEST(distrusts)
{
	uint32_t round, i, size, seen[2] = { 0 };
	struct xattrs made = { 0 };
	bfo_xattrs set = { 0 };
	uint8_t inside[300];
	struct chance c;
	uint8_t *buf;
	errcode_t err;

	chance_init(&c, 780 + _i);
	for (round = 0; round < 3000; round++) {
		size = _i ? 1024 : 256;
		buf = _i ? unit_alloc(size) : new_inode(size, 32);
		xattrs_fill(&made, &c, _i ? 900 : 80, 0);
		memset(inside, !_i, sizeof(inside));
		if (_i)
			bfo_xattrs_put_block(&made.set, inside, buf, size);
		else
			bfo_xattrs_put_inode(&made.set, inside, buf, size);
		for (i = chance_below(&c, 6); i; i--)
			buf[chance_below(&c, size)] = chance_bits(&c);
		if (!chance_below(&c, 10))
			chance_fill(&c, buf + OLD + 36, size - OLD - 36);
		want_ok(bfo_vec_push(&set, (struct bfo_xattr) { .inum = 1 }));
		err = _i ? bfo_xattrs_of_block(&set, buf, size) :
			   bfo_xattrs_of_inode(&set, buf, size);
		seen[!err]++;
		want(!err || (err == BFO_ET_DAMAGED && set.n == 1));
		want_within(&set, buf, size);
		bfo_vec_free(&set);
		xattrs_free(&made);
		free(buf);
	}
	want(seen[0] > 100 && seen[1] > 100);
}
END_TEST

/* What would be taken for the end of the list if it were written: nothing, and damage. */
START_TEST(skips_nameless_nothing)
{
	uint32_t *block = unit_alloc(1024);
	struct ext2_ext_attr_entry *e = (void *) (block + 8);
	bfo_xattrs set = { 0 };

	block[0] = MAGIC;
	e->e_value_offs = 1000;
	e[1].e_name_index = BFO_XATTR_USER;
	want_ok(bfo_xattrs_of_block(&set, block, 1024));
	want_eq(set.n, 1);
	want_eq(set.v[0].name_index, BFO_XATTR_USER);
	set.n = 0;
	e[1].e_name_index = 0;
	want_ok(bfo_xattrs_of_block(&set, block, 1024));
	want_eq(set.n, 0);
	e->e_value_inum = 20;
	want_err(bfo_xattrs_of_block(&set, block, 1024), BFO_ET_DAMAGED);
	e->e_value_size = 5000;
	want_err(bfo_xattrs_of_block(&set, block, 1024), BFO_ET_DAMAGED);
	e->e_value_inum = 0;
	e->e_value_size = 24;
	want_ok(bfo_xattrs_of_block(&set, block, 1024));
	e->e_value_size = 25;
	want_err(bfo_xattrs_of_block(&set, block, 1024), BFO_ET_DAMAGED);
	want_eq(set.n, 1);
	bfo_vec_free(&set);
	free(block);
}
END_TEST

/* 62 entries fill the block; the zero word would be behind it. */
START_TEST(wants_magic_and_end)
{
	uint32_t *block = unit_alloc(1024), i;
	struct ext2_ext_attr_entry *e = (void *) (block + 8);
	bfo_xattrs set = { 0 };

	block[0] = MAGIC;
	for (i = 0; i < 61; i++)
		e[i].e_name_index = BFO_XATTR_USER;
	want_ok(bfo_xattrs_of_block(&set, block, 1024));
	want_eq(set.n, 61);
	e[61].e_name_index = BFO_XATTR_USER;
	want_err(bfo_xattrs_of_block(&set, block, 1024), BFO_ET_DAMAGED);
	e[61].e_name_index = 0;
	block[0]++;
	want_err(bfo_xattrs_of_block(&set, block, 1024), BFO_ET_DAMAGED);
	want_eq(set.n, 61);
	bfo_vec_free(&set);
	free(block);
}
END_TEST

/* Nothing can be anywhere. */
START_TEST(ignores_offsets_of_empty_values)
{
	char *block = unit_alloc(1024);
	struct ext2_ext_attr_entry *e = (void *) (block + 32);
	bfo_xattrs set = { 0 };

	*word(block, 0) = MAGIC;
	e->e_name_index = BFO_XATTR_USER;
	e->e_value_offs = 2000;
	want_ok(bfo_xattrs_of_block(&set, block, 1024));
	want_eq(set.n, 1);
	want((const char *) set.v[0].value >= block &&
	     (const char *) set.v[0].value <= block + 1024);
	bfo_vec_free(&set);
	free(block);
}
END_TEST

Suite *xattr_suite(void)
{
	Suite *s = suite_create("xattr");

	unit_case(s, "writes_as_linux", writes_as_linux, 0);
	unit_case(s, "knows_the_room_in_inodes", knows_the_room_in_inodes, 0);
	unit_case(s, "finds_none", finds_none, 0);
	unit_case(s, "carries_special_values", carries_special_values, 0);
	unit_case(s, "sorts", sorts, 0);
	unit_case(s, "packs", packs, 4);
	unit_case(s, "comes_back", comes_back, 4);
	unit_case(s, "fits_to_the_byte", fits_to_the_byte, 5);
	unit_case(s, "distrusts", distrusts, 2);
	unit_case(s, "skips_nameless_nothing", skips_nameless_nothing, 0);
	unit_case(s, "wants_magic_and_end", wants_magic_and_end, 0);
	unit_case(s, "ignores_offsets_of_empty_values", ignores_offsets_of_empty_values, 0);
	return s;
}
