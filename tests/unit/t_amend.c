// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_amend.c - tree/amend: numbers at the ends of ranges, times at the ends of what an inode holds,
 * flags, entries of ACLs
 */
#include <errno.h>
#include <string.h>
#include <ext2fs/ext2_fs.h>

#include "base/disk.h"
#include "job/owners.h"
#include "tree/amend.h"
#include "unit.h"

#define INODE 256U

static struct bfo_amend said(const char *text)
{
	struct bfo_amend a = { 0 };

	want_ok(bfo_owners_read(text, &a));
	return a;
}

/* ---- owners ---- */

#define NOBODY UINT32_MAX

static void want_user(const struct bfo_amend *a, uint32_t id, uint32_t expect)
{
	int found = bfo_amend_user(a, &id);

	want_eq(found, expect != NOBODY);
	if (found)
		want_eq(id, expect);
}

START_TEST(ranges_end_where_they_end)
{
	struct bfo_amend a = said("users=1000:0:1 users=2000:70000:3 users=4294967294:5:1 "
				  "users=0:4294967292:3");

	want_user(&a, 999, NOBODY);
	want_user(&a, 1000, 0);
	want_user(&a, 1001, NOBODY);
	want_user(&a, 1999, NOBODY);
	want_user(&a, 2000, 70000);
	want_user(&a, 2002, 70002);
	want_user(&a, 2003, NOBODY);
	want_user(&a, 4294967293U, NOBODY);
	want_user(&a, 4294967294U, 5);
	want_user(&a, 0, 4294967292U);
	want_user(&a, 2, 4294967294U);
	want_user(&a, 3, NOBODY);
	want(bfo_amend_has_ranges(&a) && bfo_amend_has_owners(&a) && bfo_amend_is_needed(&a));
	bfo_owners_free(&a);
}
END_TEST

START_TEST(who_has_no_range_is_the_owners)
{
	struct bfo_amend a = said("owner=7 users=1000:0:1");
	uint32_t group = 1000;

	want_user(&a, 1000, 0);
	want_user(&a, 1001, 7);
	want(bfo_amend_group(&a, &group));
	want_eq(group, 1000);
	bfo_owners_free(&a);
	a = said("group=9");
	want_user(&a, 5, 5);
	want(bfo_amend_group(&a, &group));
	want_eq(group, 9);
	want(!bfo_amend_has_ranges(&a) && bfo_amend_has_owners(&a));
	bfo_owners_free(&a);
	a = (struct bfo_amend) { 0 };
	want(!bfo_amend_is_needed(&a) && !bfo_amend_is_needed(NULL));
	want(!bfo_amend_has_owners(NULL) && !bfo_amend_has_ranges(NULL));
}
END_TEST

START_TEST(refuses_other_words)
{
	static const char *const texts[] = {
		"owner=", "owner=-1", "owner=4294967295", "owner=4294967296", "owner=7x", "owner=7 ,",
		"who=7", "users=1", "users=1:2", "users=1:2:0", "users=1:2:3:4", "users=a:2:3",
		"users=4294967290:0:6", "users=0:4294967290:6", "users=1:2:18446744073709551616",
		"users=0:0:10 users=9:100:1", "groups=5:5:1 groups=5:6:1", "owner=7  group=8",
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct bfo_amend a = { 0 };

		want_err(bfo_owners_read(texts[i], &a), EINVAL);
		bfo_owners_free(&a);
	}
}
END_TEST

static void put_owner(struct ext2_inode_large *raw, uint32_t uid, uint32_t gid)
{
	raw->i_uid = to_le16(uid);
	raw->osd2.linux2.l_i_uid_high = to_le16(uid >> 16);
	raw->i_gid = to_le16(gid);
	raw->osd2.linux2.l_i_gid_high = to_le16(gid >> 16);
}

START_TEST(owners_of_inodes)
{
	struct bfo_amend a = said("users=70000:4000000000:10 groups=1:70000:1");
	struct ext2_inode_large raw = { .i_mode = 0 };
	uint32_t id;
	int is_group;

	put_owner(&raw, 70003, 1);
	want(bfo_amend_inode(&a, &raw, INODE, &id, &is_group));
	want_eq(le16(raw.i_uid) | (uint32_t) le16(raw.osd2.linux2.l_i_uid_high) << 16, 4000000003U);
	want_eq(le16(raw.i_gid) | (uint32_t) le16(raw.osd2.linux2.l_i_gid_high) << 16, 70000);
	put_owner(&raw, 70010, 1);
	want(!bfo_amend_inode(&a, &raw, INODE, &id, &is_group));
	want(id == 70010 && !is_group);
	put_owner(&raw, 70000, 2);
	want(!bfo_amend_inode(&a, &raw, INODE, &id, &is_group));
	want(id == 2 && is_group);
	bfo_owners_free(&a);
}
END_TEST

/* ---- what no two trees share ---- */

static const struct bfo_amend reproducible = { .is_reproducible = 1, .latest = INT64_MAX };

START_TEST(flags_of_users_go)
{
	const uint32_t of_storage = EXT4_EXTENTS_FL | EXT4_INLINE_DATA_FL | EXT4_EA_INODE_FL |
				    EXT4_HUGE_FILE_FL | EXT4_ENCRYPT_FL | EXT4_VERITY_FL |
				    EXT4_CASEFOLD_FL | EXT2_INDEX_FL;
	struct bfo_amend owners = { .has_owner = 1 };

	want_eq(bfo_amend_flags(&reproducible, UINT32_MAX) & of_storage, of_storage);
	want_eq(bfo_amend_flags(&reproducible, EXT2_IMMUTABLE_FL | EXT2_APPEND_FL | EXT2_NODUMP_FL |
				EXT2_NOATIME_FL | EXT2_SYNC_FL | EXT2_DIRSYNC_FL | FS_DAX_FL |
				EXT4_PROJINHERIT_FL | EXT4_EXTENTS_FL), EXT4_EXTENTS_FL);
	want_eq(bfo_amend_flags(&owners, UINT32_MAX), UINT32_MAX);
	want_eq(bfo_amend_flags(NULL, UINT32_MAX), UINT32_MAX);
}
END_TEST

static uint32_t extra_of(int64_t sec, uint32_t nsec)
{
	return to_le32(nsec << 2 | ((uint32_t) ((sec - (int32_t) sec) >> 32) & 3));
}

/* Changed at SEC and NSEC; all other times are others. */
static struct ext2_inode_large dated(int64_t sec, uint32_t nsec)
{
	struct ext2_inode_large raw = {
		.i_mtime = to_le32((uint32_t) sec), .i_mtime_extra = extra_of(sec, nsec),
		.i_atime = to_le32(1), .i_ctime = to_le32(2), .i_crtime = to_le32(3),
		.i_atime_extra = to_le32(4), .i_ctime_extra = to_le32(5),
		.i_crtime_extra = to_le32(6), .i_generation = to_le32(7),
		.i_version_hi = to_le32(8), .i_projid = to_le32(9), .i_extra_isize = to_le16(32),
	};

	raw.osd1.linux1.l_i_version = to_le32(10);
	return raw;
}

static void amend(const struct bfo_amend *a, struct ext2_inode_large *raw, uint32_t size)
{
	uint32_t id;
	int is_group;

	want(bfo_amend_inode(a, raw, size, &id, &is_group));
}

/* All times of RAW are SEC and NSEC. */
static void want_dated(const struct ext2_inode_large *raw, int64_t sec, uint32_t nsec)
{
	const uint32_t times[] = { raw->i_mtime, raw->i_atime, raw->i_ctime, raw->i_crtime };
	const uint32_t extra[] = { raw->i_mtime_extra, raw->i_atime_extra, raw->i_ctime_extra,
				   raw->i_crtime_extra };
	int i;

	for (i = 0; i < 4; i++) {
		want_eq(le32(times[i]), (uint32_t) sec);
		want_eq(extra[i], extra_of(sec, nsec));
	}
}

/* Seconds around what 32 bits hold, with each epoch of two more. */
static const int64_t seconds[] = {
	-(1LL << 31), -169077, -1, 0, 1, 1700000000, (1LL << 31) - 1, 1LL << 31, (1LL << 32) - 1,
	1LL << 32, 3LL << 31, (1LL << 33) + 5, 15032385535LL,
};

START_TEST(times_become_that_of_the_content)
{
	int64_t sec = seconds[_i];
	struct ext2_inode_large raw = dated(sec, 999999999);
	struct bfo_amend later = { .is_reproducible = 1, .latest = sec + 1 };
	struct bfo_amend then = { .is_reproducible = 1, .latest = sec };

	amend(&reproducible, &raw, INODE);
	want_dated(&raw, sec, 999999999);
	want(!raw.i_generation && !raw.i_version_hi && !raw.i_projid &&
	     !raw.osd1.linux1.l_i_version);
	raw = dated(sec, 999999999);
	amend(&later, &raw, INODE);
	want_dated(&raw, sec, 999999999);
	raw = dated(sec, 999999999);
	amend(&then, &raw, INODE);
	want_dated(&raw, sec, 0);
	raw = dated(15032385535LL, 5);
	amend(&then, &raw, INODE);
	want_dated(&raw, sec, 0);
}
END_TEST

START_TEST(only_fields_that_are_there)
{
	struct ext2_inode_large raw = dated(5, 5), before;
	uint32_t size;

	before = raw;
	amend(&reproducible, &raw, EXT2_GOOD_OLD_INODE_SIZE);
	want_mem((char *) &raw + EXT2_GOOD_OLD_INODE_SIZE,
		 (char *) &before + EXT2_GOOD_OLD_INODE_SIZE,
		 sizeof(raw) - EXT2_GOOD_OLD_INODE_SIZE);
	want_eq(le32(raw.i_atime), 5);
	for (size = 0; size <= 32; size += 4) {		/* of the extra fields */
		size_t end = EXT2_GOOD_OLD_INODE_SIZE + size;

		raw = dated(5, 5);
		raw.i_extra_isize = to_le16(size);
		before = raw;
		amend(&reproducible, &raw, INODE);
		want_mem((char *) &raw + end, (char *) &before + end, sizeof(raw) - end);
		want_eq(le32(raw.i_ctime), 5);
		want_eq(raw.i_crtime, size >= 20 ? to_le32(5) : before.i_crtime);
		want_eq(raw.i_projid, size >= 32 ? 0 : before.i_projid);
	}
}
END_TEST

/* ---- attributes ---- */

#define TAG_USER_OBJ 0x01
#define TAG_USER 0x02
#define TAG_GROUP_OBJ 0x04
#define TAG_GROUP 0x08
#define TAG_OTHER 0x20

struct entry {
	uint16_t tag, perm;
	uint32_t id;
};

static uint32_t put_acl(uint8_t *v, const struct entry *e, size_t n)
{
	uint32_t at = 4;
	size_t i;

	put_le32(v, 0, 1);
	for (i = 0; i < n; i++) {
		put_le32(v, at, e[i].tag | (uint32_t) e[i].perm << 16);
		at += 4;
		if (e[i].tag != TAG_USER && e[i].tag != TAG_GROUP)
			continue;
		put_le32(v, at, e[i].id);
		at += 4;
	}
	return at;
}

static const struct entry natural[] = {
	{ TAG_USER_OBJ, 6, 0 }, { TAG_USER, 4, 10 }, { TAG_USER, 5, 11 }, { TAG_USER, 6, 20 },
	{ TAG_GROUP_OBJ, 4, 0 }, { TAG_GROUP, 1, 10 }, { TAG_GROUP, 2, 30 }, { TAG_OTHER, 4, 0 },
};
/* ... with users 10 and 11 behind 20, and groups the other way round */
static const struct entry mapped[] = {
	{ TAG_USER_OBJ, 6, 0 }, { TAG_USER, 6, 1 }, { TAG_USER, 4, 70000 }, { TAG_USER, 5, 70001 },
	{ TAG_GROUP_OBJ, 4, 0 }, { TAG_GROUP, 2, 3 }, { TAG_GROUP, 1, 5 }, { TAG_OTHER, 4, 0 },
};
#define ENTRIES (sizeof(natural) / sizeof(*natural))

static struct bfo_xattr capability(const uint8_t *v, uint32_t size)
{
	return (struct bfo_xattr) { .name_index = BFO_XATTR_SECURITY, .name = "capability",
				    .name_len = 10, .value = v, .size = size };
}

static struct bfo_xattr acl(const uint8_t *v, uint32_t size)
{
	return (struct bfo_xattr) { .name_index = BFO_XATTR_ACL_ACCESS, .name = "", .value = v,
				    .size = size };
}

/* What becomes of the value of X, of SIZE bytes at V, by TEXT: at OUT; the error. */
static errcode_t amended_by(const char *text, struct bfo_xattr x, uint8_t *out, uint32_t *id,
			    int *is_group)
{
	uint32_t size = x.size;
	const uint8_t *v = x.value;
	bfo_xattrs set = { .v = &x, .n = 1 };
	struct bfo_amend a = said(text);
	bfo_chars values = { 0 };
	errcode_t err = bfo_amend_set(&a, &set, &values, id, is_group);

	if (!err) {
		want_eq(x.size, size);
		want((const uint8_t *) x.value != v);
		memcpy(out, x.value, size);
	}
	bfo_vec_free(&values);
	bfo_owners_free(&a);
	return err;
}

static errcode_t amended(const char *text, const uint8_t *v, uint32_t size, uint8_t *out,
			 uint32_t *id, int *is_group)
{
	return amended_by(text, acl(v, size), out, id, is_group);
}

/* Revision 3 has a user, in 24 bytes; nothing else has. */
START_TEST(capabilities_are_mapped)
{
	static const struct { uint32_t head, size; int has_user; } rows[] = {
		{ 0x03000001, 24, 1 }, { 0x03000000, 24, 1 }, { 0x02000001, 24, 0 },
		{ 0x03000001, 20, 0 }, { 0x03000001, 28, 0 }, { 0x04000001, 24, 0 },
	};
	uint8_t v[28], out[28], *exact;
	uint32_t id = 0;
	int is_group = 1;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		memset(v, 5, sizeof(v));
		put_le32(v, 0, rows[i].head);
		put_le32(v, 20, 1000);
		exact = unit_copy(v, rows[i].size);
		want_ok(amended_by("users=1000:70000:1", capability(exact, rows[i].size), out, &id,
				   &is_group));
		want_err(amended_by("users=1001:1:1 owner=3", capability(exact, rows[i].size), out,
				    &id, &is_group), rows[i].has_user ? EINVAL : 0);
		want(!rows[i].has_user || (id == 1000 && !is_group));
		want_ok(amended_by("groups=1000:70000:1", capability(exact, rows[i].size), out,
				   &id, &is_group));
		want_mem(out, v, rows[i].size);
		want_ok(amended_by("users=1000:70000:1", capability(exact, rows[i].size), out, &id,
				   &is_group));
		if (rows[i].has_user)
			put_le32(v, 20, 70000);
		want_mem(out, v, rows[i].size);
		free(exact);
	}
}
END_TEST

START_TEST(acls_are_mapped_and_sorted)
{
	uint8_t v[128], kept[128], expect[128], out[128];
	uint32_t size = put_acl(v, natural, ENTRIES), id = 0;
	int is_group = 0;

	memcpy(kept, v, sizeof(v));
	want_eq(put_acl(expect, mapped, ENTRIES), size);
	want_ok(amended("users=10:70000:2 users=20:1:1 groups=10:5:1 groups=30:3:1", v, size, out,
			&id, &is_group));
	want_mem(out, expect, size);
	want_mem(v, kept, sizeof(v));
	/* owners alone do not concern them */
	want_ok(amended("owner=7 group=8", v, size, out, &id, &is_group));
	want_mem(out, v, size);
	want_err(amended("users=10:70000:2", v, size, out, &id, &is_group), EINVAL);
	want(id == 20 && !is_group);
	want_err(amended("groups=10:1:1", v, size, out, &id, &is_group), EINVAL);
	want(id == 30 && is_group);
	/* ... nor is who has no range the owner's, there */
	want_err(amended("owner=7 users=10:70000:2", v, size, out, &id, &is_group), EINVAL);
}
END_TEST

/* Cut anywhere, it is no list: nothing is written behind what is there. */
START_TEST(acls_that_are_cut)
{
	uint8_t v[128], out[128], *exact;
	uint32_t size = put_acl(v, natural, ENTRIES), id, cut;
	int is_group;

	for (cut = 0; cut < size; cut++) {
		exact = unit_copy(v, cut + 1);		/* what reaches further is found */
		want_ok(amended("users=0:100:50 groups=0:100:50", exact, cut, out, &id, &is_group));
		free(exact);
	}
}
END_TEST

START_TEST(attributes_that_stay)
{
	struct bfo_xattr all[] = {
		{ .name_index = BFO_XATTR_USER, .name = "a", .name_len = 1 },
		{ .name_index = BFO_XATTR_TRUSTED, .name = "b", .name_len = 1 },
		{ .name_index = BFO_XATTR_SECURITY, .name = "capability", .name_len = 10 },
		{ .name_index = BFO_XATTR_SECURITY, .name = "capabilit", .name_len = 9 },
		{ .name_index = BFO_XATTR_SECURITY, .name = "selinux", .name_len = 7 },
		{ .name_index = BFO_XATTR_ACL_DEFAULT, .name = "" },
		{ .name_index = BFO_XATTR_SYSTEM, .name = "other", .name_len = 5 },
		{ .name_index = 77, .name = "c", .name_len = 1 },
	};
	bfo_xattrs set = { .v = all, .n = sizeof(all) / sizeof(*all) };
	struct bfo_amend owners = { .has_owner = 1 };
	bfo_chars values = { 0 };
	uint32_t id;
	int is_group;

	want_ok(bfo_amend_set(&owners, &set, &values, &id, &is_group));
	want_eq(set.n, 8);
	want_ok(bfo_amend_set(&reproducible, &set, &values, &id, &is_group));
	want_eq(set.n, 3);
	want(all[0].name_index == BFO_XATTR_USER && all[1].name_len == 10 &&
	     all[2].name_index == BFO_XATTR_ACL_DEFAULT && !all[2].value);
	bfo_vec_free(&values);
}
END_TEST

Suite *amend_suite(void)
{
	Suite *s = suite_create("amend");

	unit_case(s, "ranges end where they end", ranges_end_where_they_end, 0);
	unit_case(s, "who has no range is the owner's", who_has_no_range_is_the_owners, 0);
	unit_case(s, "refuses other words", refuses_other_words, 0);
	unit_case(s, "owners of inodes", owners_of_inodes, 0);
	unit_case(s, "flags of users go", flags_of_users_go, 0);
	unit_case(s, "times become that of the content", times_become_that_of_the_content,
		  sizeof(seconds) / sizeof(*seconds));
	unit_case(s, "only fields that are there", only_fields_that_are_there, 0);
	unit_case(s, "ACLs are mapped and sorted", acls_are_mapped_and_sorted, 0);
	unit_case(s, "capabilities are mapped", capabilities_are_mapped, 0);
	unit_case(s, "ACLs that are cut", acls_that_are_cut, 0);
	unit_case(s, "attributes that stay", attributes_that_stay, 0);
	return s;
}
