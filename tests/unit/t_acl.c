// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_acl.c - tree/acl, intake/xattr_names: what programs see, and what ext4 stores
 *
 * The pairs of lists are what a kernel stored on ext4, as debugfs dumps it, and what it showed of
 * that, as "getfattr -e hex" does.
 */
#include <string.h>

#include "base/disk.h"
#include "intake/xattr_names.h"
#include "tree/acl.h"
#include "tree/xattr.h"
#include "unit.h"
#include "xattrs.h"

struct pair {
	const char *seen, *stored;	/* hexadecimal */
};

static const struct pair pairs[] = {
	{ /* u::rw-,u:1000:rw-,u:70000:r--,g::r--,g:5:--x,m::rwx,o::r-- */
	  "0200000001000600ffffffff02000600e8030000020004007011010004000400ffffffff"
	  "080001000500000010000700ffffffff20000400ffffffff",
	  "010000000100060002000600e803000002000400701101000400040008000100050000001000070020000400" },
	{ /* u::rwx,g::r-x,g:99:r--,m::r-x,o::r-x */
	  "0200000001000700ffffffff04000500ffffffff080004006300000010000500ffffffff20000500ffffffff",
	  "01000000010007000400050008000400630000001000050020000500" },
	{ /* u::rwx,u:12:rwx,g::r-x,m::rwx,o::r-x */
	  "0200000001000700ffffffff020007000c00000004000500ffffffff10000700ffffffff20000500ffffffff",
	  "010000000100070002000700"
	  "0c000000040005001000070020000500" },
};

static size_t from_hex(const char *text, char *out)
{
	size_t n = 0;
	int half = -1;

	for (; *text; text++) {
		int digit = *text == ' ' ? -1 : *text <= '9' ? *text - '0' : *text - 'a' + 10;

		if (digit < 0)
			continue;
		if (half >= 0)
			out[n++] = half << 4 | digit;
		half = half < 0 ? digit : -1;
	}
	return n;
}

START_TEST(stores_what_is_seen)
{
	char seen[128], stored[128];
	size_t size = from_hex(pairs[_i].seen, seen), len = from_hex(pairs[_i].stored, stored);
	bfo_chars out = { 0 };

	want_ok(bfo_vec_push(&out, 'x'));
	want_ok(bfo_acl_from_xattr(seen, size, &out));
	want_eq(out.n, 1 + len);
	want_eq(out.v[0], 'x');
	want_mem(out.v + 1, stored, len);
	bfo_vec_free(&out);
}
END_TEST

static errcode_t takes(const char *hex)
{
	char value[128];
	bfo_chars out = { 0 };
	size_t size = from_hex(hex, value);
	errcode_t err = bfo_acl_from_xattr(value, size, &out);

	want(!err || !out.n);
	bfo_vec_free(&out);
	return err;
}

#define OWNER "01000600ffffffff"
#define USER "02000600e8030000"
#define GROUP "04000400ffffffff"
#define GROUPS "0800010005000000"
#define MASK "10000700ffffffff"
#define OTHERS "20000400ffffffff"

START_TEST(refuses_what_no_kernel_takes)
{
	static const char *const lists[] = {
		"", "020000", "0200000001", "01000000" OWNER GROUP OTHERS,
		"03000000" OWNER GROUP OTHERS, "02000000" GROUP OTHERS, "02000000" OWNER OTHERS,
		"02000000" OWNER GROUP, "02000000" OWNER GROUP OTHERS OTHERS,
		"02000000" OWNER OWNER GROUP OTHERS, "02000000" OWNER GROUP GROUP OTHERS,
		"02000000" OWNER USER GROUP OTHERS, "02000000" OWNER GROUP GROUPS OTHERS,
		"02000000" OWNER GROUP USER MASK OTHERS, "02000000" OWNER GROUPS GROUP MASK OTHERS,
		"02000000" OWNER GROUP MASK MASK OTHERS, "02000000" OWNER MASK GROUP OTHERS,
		"02000000" OWNER GROUP MASK GROUPS OTHERS, "02000000" OWNER GROUP OTHERS MASK,
		"02000000" "01000800ffffffff" GROUP OTHERS,		/* permissions */
		"02000000" OWNER "02000600ffffffff" GROUP MASK OTHERS,	/* nobody's id */
		"02000000" OWNER GROUP "4000 0400ffffffff" OTHERS,	/* tag */
	};
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		if (takes(lists[i]) != BFO_ET_DAMAGED)
			ck_abort_msg("list %zu was taken", i);
	want_ok(takes("02000000" OWNER GROUP OTHERS));
	want_ok(takes("02000000" OWNER GROUP MASK OTHERS));
	want_ok(takes("02000000" OWNER USER USER GROUP GROUPS GROUPS MASK OTHERS));
	want_ok(takes("02000000"));
}
END_TEST

START_TEST(refuses_lists_that_are_none)
{
	bfo_chars out = { 0 };
	size_t len;

	for (len = 0; len < sizeof(xattrs_acl); len++)
		if (bfo_acl_to_xattr(xattrs_acl, len, &out))
			want_eq(out.n, 0);
		else
			out.n = 0;
	want_ok(bfo_acl_to_xattr(xattrs_acl, sizeof(xattrs_acl), &out));
	want_eq(out.n, 4 + 5 * 8);
	want_eq(get_le32(out.v, 4 + 4), UINT32_MAX);
	want_eq(get_le32(out.v, 4 + 8 + 4), 5);
	want_err(bfo_acl_to_xattr(xattrs_acl, 3, &out), BFO_ET_DAMAGED);
	want_err(bfo_acl_to_xattr(xattrs_acl, sizeof(xattrs_acl) - 1, &out), BFO_ET_DAMAGED);
	want_err(bfo_acl_to_xattr(xattrs_acl, 12, &out), BFO_ET_DAMAGED);
	bfo_vec_free(&out);
}
END_TEST

/* What is split is put together again by bfo_xattr_name(). */
START_TEST(splits_names)
{
	static const char *const names[] = {
		"user.x", "user.user.x", "trusted.overlay.opaque", "security.capability",
		"system.posix_acl_access", "system.posix_acl_default", "system.richacl",
	};
	static const uint8_t indexes[] = {
		BFO_XATTR_USER, BFO_XATTR_USER, BFO_XATTR_TRUSTED, BFO_XATTR_SECURITY,
		BFO_XATTR_ACL_ACCESS, BFO_XATTR_ACL_DEFAULT, BFO_XATTR_RICHACL,
	};
	char back[BFO_XATTR_NAME_MAX];
	size_t i;

	for (i = 0; i < sizeof(indexes); i++) {
		struct bfo_xattr x = { 0 };

		want(bfo_xattr_split_name(names[i], &x.name_index, &x.name));
		want_eq(x.name_index, indexes[i]);
		x.name_len = strlen(x.name);
		want_eq(bfo_xattr_name(&x, back), strlen(names[i]));
		want_mem(back, names[i], strlen(names[i]));
	}
}
END_TEST

START_TEST(knows_what_has_no_place)
{
	static const char *const names[] = {
		"", "user", "user.", "security.", "system.data", "system.nfs4_acl",
		"system.posix_acl_access2", "btrfs.compression", "os2.a", "User.x", ".user.x",
	};
	char large[300];
	const char *rest;
	uint8_t index;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (bfo_xattr_split_name(names[i], &index, &rest))
			ck_abort_msg("%s has a place", names[i]);
	memset(large, 'n', sizeof(large));
	memcpy(large, "user.", 5);
	large[5 + 255] = 0;
	want(bfo_xattr_split_name(large, &index, &rest));
	large[5 + 255] = 'n';
	large[5 + 256] = 0;
	want(!bfo_xattr_split_name(large, &index, &rest));
}
END_TEST

Suite *acl_suite(void)
{
	Suite *s = suite_create("acl");

	unit_case(s, "stores_what_is_seen", stores_what_is_seen, sizeof(pairs) / sizeof(*pairs));
	unit_case(s, "refuses_what_no_kernel_takes", refuses_what_no_kernel_takes, 0);
	unit_case(s, "refuses_lists_that_are_none", refuses_lists_that_are_none, 0);
	unit_case(s, "splits_names", splits_names, 0);
	unit_case(s, "knows_what_has_no_place", knows_what_has_no_place, 0);
	return s;
}
