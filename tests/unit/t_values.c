// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_values.c - compare/values: sets from inodes and blocks, in any order
 */
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "compare/values.h"
#include "unit.h"

#define INODE 512
#define BLOCK 1024

struct attr {
	uint8_t index;
	const char *name, *value;
};

/* Writes entries from byte FIRST and values down from the end of the SIZE bytes at BASE. */
static void write_entries(uint8_t *base, size_t first, size_t size, const struct attr *attrs,
			  size_t n)
{
	size_t at = first, end = size, i;

	for (i = 0; i < n; i++) {
		struct ext2_ext_attr_entry *e = (void *) (base + at);
		size_t len = strlen(attrs[i].value);

		end -= EXT2_EXT_ATTR_SIZE(len);
		*e = (struct ext2_ext_attr_entry) { .e_name_len = strlen(attrs[i].name),
			.e_name_index = attrs[i].index, .e_value_size = ext2fs_cpu_to_le32(len),
			.e_value_offs = ext2fs_cpu_to_le16(len ? end : 0) };
		memcpy(e + 1, attrs[i].name, e->e_name_len);
		memcpy(base + end, attrs[i].value, len);
		at += EXT2_EXT_ATTR_LEN(e->e_name_len);
	}
}

static void make_inode(uint8_t raw[INODE], const struct attr *attrs, size_t n)
{
	struct ext2_inode_large *in = (void *) raw;
	uint32_t magic = ext2fs_cpu_to_le32(EXT2_EXT_ATTR_MAGIC);

	memset(raw, 0, INODE);
	in->i_extra_isize = ext2fs_cpu_to_le16(32);
	memcpy(raw + 160, &magic, 4);
	write_entries(raw + 164, 0, INODE - 164, attrs, n);
}

static void make_block(uint8_t block[BLOCK], const struct attr *attrs, size_t n)
{
	memset(block, 0, BLOCK);
	((struct ext2_ext_attr_header *) (void *) block)->h_magic =
		ext2fs_cpu_to_le32(EXT2_EXT_ATTR_MAGIC);
	write_entries(block, sizeof(struct ext2_ext_attr_header), BLOCK, attrs, n);
}

static const struct attr some[] = {
	{ 1, "b", "value of b" }, { 1, "a", "value of a" }, { 4, "a", "" },
	{ 6, "longer", "value of longer" },
};

/* How many attributes of two sets differ. */
static int differ(const bfo_xattrs *a, const bfo_xattrs *b)
{
	const struct bfo_xattr *x, *y;
	size_t i = 0, j = 0;
	int n = 0;

	while (bfo_values_next(a, b, &i, &j, &x, &y)) {
		want(x || y);
		n += !x || !y || x->size != y->size || memcmp(x->value, y->value, x->size);
	}
	want(i == a->n && j == b->n);
	return n;
}

/* Where they stand, and in which order, does not matter. */
START_TEST(sees_no_places)
{
	const struct attr turned[] = { some[3], some[1], some[0], some[2] };
	uint8_t inode[INODE], block[BLOCK], other[BLOCK];
	bfo_xattrs a = { 0 }, b = { 0 };

	make_inode(inode, turned, 2);
	make_block(block, turned + 2, 2);
	make_block(other, some, 4);
	want_ok(bfo_xattrs_of_inode(&a, inode, INODE));
	want_ok(bfo_xattrs_of_block(&a, block, BLOCK));
	want_ok(bfo_xattrs_of_block(&b, other, BLOCK));
	want_eq(a.n, 4);
	bfo_xattrs_sort(&a);
	bfo_xattrs_sort(&b);
	want_eq(differ(&a, &b), 0);
	bfo_vec_free(&a);
	bfo_vec_free(&b);
}
END_TEST

static int differ_from_some(const struct attr *attrs, size_t n)
{
	uint8_t x[BLOCK], y[BLOCK];
	bfo_xattrs a = { 0 }, b = { 0 };
	int result;

	make_block(x, some, 4);
	make_block(y, attrs, n);
	want_ok(bfo_xattrs_of_block(&a, x, BLOCK));
	want_ok(bfo_xattrs_of_block(&b, y, BLOCK));
	bfo_xattrs_sort(&a);
	bfo_xattrs_sort(&b);
	result = differ(&a, &b);
	want_eq(differ(&b, &a), result);
	bfo_vec_free(&a);
	bfo_vec_free(&b);
	return result;
}

START_TEST(sees_every_change)
{
	struct attr other[4];

	memcpy(other, some, sizeof(some));
	want_eq(differ_from_some(other, 4), 0);
	want_eq(differ_from_some(other, 3), 1);
	want_eq(differ_from_some(other, 0), 4);
	other[1].value = "value of A";
	want_eq(differ_from_some(other, 4), 1);
	other[1].value = "value of a ";
	want_eq(differ_from_some(other, 4), 1);
	other[1] = some[1];
	other[3].name = "Longer";
	want_eq(differ_from_some(other, 4), 2);
	other[3] = some[3];
	other[1].name = "ab";		/* begins like another one */
	want_eq(differ_from_some(other, 4), 2);
	other[1] = some[1];
	other[2].index = 7;
	want_eq(differ_from_some(other, 4), 2);
}
END_TEST

START_TEST(names_them_as_users_do)
{
	static const struct { uint8_t index; const char *name, *full; } names[] = {
		{ 1, "x", "user.x" }, { 2, "", "system.posix_acl_access" },
		{ 3, "", "system.posix_acl_default" }, { 4, "x", "trusted.x" },
		{ 6, "selinux", "security.selinux" }, { 7, "data", "system.data" },
		{ 9, "c", "9:c" }, { 5, "l", "5:l" },
	};
	char out[BFO_XATTR_NAME_MAX];
	size_t i, len;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct bfo_xattr v = { .name_index = names[i].index, .name = names[i].name,
				       .name_len = strlen(names[i].name) };

		len = bfo_xattr_name(&v, out);
		want_eq(len, strlen(names[i].full));
		want_mem(out, names[i].full, len);
	}
}
END_TEST

Suite *values_suite(void)
{
	Suite *s = suite_create("values");

	unit_case(s, "sees_no_places", sees_no_places, 0);
	unit_case(s, "sees_every_change", sees_every_change, 0);
	unit_case(s, "names_them_as_users_do", names_them_as_users_do, 0);
	return s;
}
