// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_stand_in.c - base/stand_in: names that stand for ciphertext; plan/stand_ins: each for one
 */
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "base/bfo_err.h"
#include "base/stand_in.h"
#include "made.h"
#include "plan/stand_ins.h"
#include "unit.h"

static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";

START_TEST(shows_all_of_what_is_short)
{
	char out[BFO_STAND_IN_MOST];

	want_eq(bfo_stand_in("\xfb\xff\0/", 4, out), 16);
	ck_assert_str_eq(out, "encrypted.-_8ALw");
	want_eq(bfo_stand_in("abcdef", 6, out), 18);
	ck_assert_str_eq(out, "encrypted.YWJjZGVm");
}
END_TEST

/* Of any length, a name for any filesystem; the last byte makes another. */
START_TEST(is_a_name_of_its_own)
{
	char bytes[4098], one[BFO_STAND_IN_MOST], other[BFO_STAND_IN_MOST];
	size_t len, n;

	memset(bytes, 0xff, sizeof(bytes));
	for (len = 1; len <= sizeof(bytes); len += len < 260 ? 1 : 100) {
		n = bfo_stand_in(bytes, len, one);
		want(n == strlen(one) && n <= 250 && strspn(one, safe) == n);
		bytes[len - 1] ^= 1;
		bfo_stand_in(bytes, len, other);
		want(strcmp(one, other));
		bytes[len - 1] ^= 1;
		bfo_stand_in(bytes, len - 1, other);
		want(strcmp(one, other));
	}
}
END_TEST

/* Names meet whose last bytes do. */
static void hash_last(const void *bytes, size_t len, uint64_t hash[2])
{
	hash[0] = 1;
	hash[1] = ((const char *) bytes)[len - 1];
}

/* Two names of LEN bytes that end in LAST[], in one directory of FLAGS, or in two. */
static errcode_t check_two(uint32_t flags, size_t len, const char *last, int in_two)
{
	char name[EXT2_NAME_LEN];
	struct made m;
	errcode_t err;
	int i;

	made_init(&m);
	made_inode(&m, EXT2_ROOT_INO, S_IFDIR | 0755);
	for (i = 0; i < 2; i++)
		m.tree.inodes.v[made_inode(&m, 20 + i, S_IFDIR | 0755)].flags = flags;
	for (i = 0; i < 2; i++)
		made_file(&m, 30 + i, 0, 0);
	made_seal(&m);
	made_name(&m, EXT2_ROOT_INO, "a", 20);
	made_name(&m, EXT2_ROOT_INO, "b", 21);
	memset(name, 'n', sizeof(name));
	for (i = 0; i < 2; i++) {
		name[0] = 'x' + i;
		name[len - 1] = last[i];
		made_name_bytes(&m, in_two ? 20 + i : 20, name, len, 30 + i);
	}
	m.target.has_encrypt = 1;
	m.tree.home_block_size = m.tree.block_size = m.target.block_size;
	want_ok(made_plan(&m, NULL));
	err = bfo_plan_check_stand_ins(&m.plan, hash_last);
	made_free(&m);
	return err;
}

START_TEST(two_names_of_one_hash_are_refused)
{
	const uint32_t encrypted = EXT4_ENCRYPT_FL;

	want_err(check_two(encrypted, 181, "qq", 0), BFO_ET_STAND_IN);
	want_err(check_two(encrypted, 255, "qq", 0), BFO_ET_STAND_IN);
	want_ok(check_two(encrypted, 181, "qr", 0));
	want_ok(check_two(encrypted, 181, "qq", 1));	/* nobody takes one for the other */
	want_ok(check_two(encrypted, 180, "qq", 0));	/* all of it is in the name */
	want_ok(check_two(0, 255, "qq", 0));		/* no name stands for it */
}
END_TEST

Suite *stand_in_suite(void)
{
	Suite *s = suite_create("stand_in");

	unit_case(s, "shows_all_of_what_is_short", shows_all_of_what_is_short, 0);
	unit_case(s, "is_a_name_of_its_own", is_a_name_of_its_own, 0);
	unit_case(s, "two_names_of_one_hash_are_refused", two_names_of_one_hash_are_refused, 0);
	return s;
}
