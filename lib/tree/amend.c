// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * amend.c - what of a tree becomes something else on its way
 *
 * ACLs, as they stand on the disk: a version, then entries of 4 bytes (tag, permissions), or 8 with
 * a number behind (named users and groups); fs/ext4/acl.h.
 *
 * Capabilities of revision 3 have the user who is root where they hold behind all the rest
 * (struct vfs_ns_cap_data in include/uapi/linux/capability.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <ext2fs/ext2_fs.h>

#include "base/disk.h"
#include "tree/amend.h"

#define ACL_HEAD 4U
#define ACL_PLAIN 4U		/* bytes of an entry, and of one that has a number */
#define ACL_NAMED 8U
#define ACL_USER 0x02		/* tags of entries that have a number */
#define ACL_GROUP 0x08

#define CAPABILITY_SIZE 24U	/* of revision 3, whose last word is the user */
#define CAPABILITY_REVISION 0xff000000U
#define CAPABILITY_3 0x03000000U
#define CAPABILITY_ROOT 20U

#define SETID (S_ISUID | S_ISGID)

int bfo_amend_has_ranges(const struct bfo_amend *a)
{
	return a && (a->users.n || a->groups.n);
}

int bfo_amend_has_owners(const struct bfo_amend *a)
{
	return a && (a->has_owner || a->has_group || bfo_amend_has_ranges(a));
}

int bfo_amend_is_needed(const struct bfo_amend *a)
{
	return a && (a->is_reproducible || a->no_suid || bfo_amend_has_owners(a));
}

/* ---- owners ---- */

static int by_range(const bfo_id_ranges *ranges, uint32_t *id)
{
	size_t i;

	for (i = 0; i < ranges->n; i++) {
		const struct bfo_id_range *r = &ranges->v[i];

		if (*id >= r->from && *id - r->from < r->count) {
			*id = r->to + (*id - r->from);
			return 1;
		}
	}
	return 0;
}

int bfo_amend_user(const struct bfo_amend *a, uint32_t *id)
{
	if (by_range(&a->users, id))
		return 1;
	if (a->has_owner)
		*id = a->owner;
	return a->has_owner || !a->users.n;
}

int bfo_amend_group(const struct bfo_amend *a, uint32_t *id)
{
	if (by_range(&a->groups, id))
		return 1;
	if (a->has_group)
		*id = a->group;
	return a->has_group || !a->groups.n;
}

static int amend_owners(const struct bfo_amend *a, struct ext2_inode *raw, uint32_t *id,
			int *is_group)
{
	*is_group = 0;
	*id = inode_uid(*raw);
	if (!bfo_amend_user(a, id))
		return 0;
	raw->i_uid = to_le16(*id);
	ext2fs_set_i_uid_high(*raw, to_le16(*id >> 16));
	*is_group = 1;
	*id = inode_gid(*raw);
	if (!bfo_amend_group(a, id))
		return 0;
	raw->i_gid = to_le16(*id);
	ext2fs_set_i_gid_high(*raw, to_le16(*id >> 16));
	return 1;
}

/* ---- what no two trees share ---- */

uint32_t bfo_amend_flags(const struct bfo_amend *a, uint32_t flags)
{
	const uint32_t of_users = EXT2_SECRM_FL | EXT2_UNRM_FL | EXT2_COMPR_FL | EXT2_SYNC_FL |
				  EXT2_IMMUTABLE_FL | EXT2_APPEND_FL | EXT2_NODUMP_FL |
				  EXT2_NOATIME_FL | EXT3_JOURNAL_DATA_FL | EXT2_NOTAIL_FL |
				  EXT2_DIRSYNC_FL | EXT2_TOPDIR_FL | FS_DAX_FL |
				  EXT4_PROJINHERIT_FL;

	return a && a->is_reproducible ? flags & ~of_users : flags;
}

/* The end of what INODE_SIZE bytes of RAW have. */
static size_t fields_end(const struct ext2_inode_large *raw, uint32_t inode_size)
{
	if (inode_size == EXT2_GOOD_OLD_INODE_SIZE)
		return inode_size;
	return EXT2_GOOD_OLD_INODE_SIZE + le16(raw->i_extra_isize);
}

#define HAS(field) \
	(end >= offsetof(struct ext2_inode_large, field) + sizeof(raw->field))

static void make_reproducible(const struct bfo_amend *a, struct ext2_inode_large *raw,
			      uint32_t inode_size)
{
	size_t end = fields_end(raw, inode_size);
	uint32_t extra = HAS(i_mtime_extra) ? le32(raw->i_mtime_extra) : 0;
	int64_t sec = (int32_t) le32(raw->i_mtime) + ((int64_t) (extra & 3) << 32);
	uint32_t time;

	if (sec >= a->latest) {
		sec = a->latest;
		extra = 0;
	}
	time = to_le32((uint32_t) sec);
	extra = to_le32((extra & ~3U) | ((uint32_t) ((sec - (int32_t) sec) >> 32) & 3));
	raw->i_mtime = raw->i_atime = raw->i_ctime = time;
	if (HAS(i_ctime_extra))
		raw->i_ctime_extra = extra;
	if (HAS(i_mtime_extra))
		raw->i_mtime_extra = extra;
	if (HAS(i_atime_extra))
		raw->i_atime_extra = extra;
	if (HAS(i_crtime))
		raw->i_crtime = time;
	if (HAS(i_crtime_extra))
		raw->i_crtime_extra = extra;
	if (HAS(i_version_hi))
		raw->i_version_hi = 0;
	if (HAS(i_projid))
		raw->i_projid = 0;
	raw->osd1.linux1.l_i_version = 0;
	raw->i_generation = 0;
	raw->i_flags = to_le32(bfo_amend_flags(a, le32(raw->i_flags)));
}

int bfo_amend_is_disarmed(const struct bfo_amend *a, uint16_t mode)
{
	return a && a->no_suid && !S_ISDIR(mode) && mode & SETID;
}

int bfo_amend_inode(const struct bfo_amend *a, void *raw, uint32_t inode_size, uint32_t *id,
		    int *is_group)
{
	struct ext2_inode *inode = raw;

	if (a->is_reproducible)
		make_reproducible(a, raw, inode_size);
	if (bfo_amend_is_disarmed(a, le16(inode->i_mode)))
		inode->i_mode &= to_le16(~SETID);
	return amend_owners(a, raw, id, is_group);
}

/* ---- attributes ---- */

static int is_kept(const struct bfo_amend *a, const struct bfo_xattr *x)
{
	if (a->no_suid && bfo_xattr_is_capability(x))
		return 0;
	return !a->is_reproducible || bfo_xattr_has_ids(x) || x->name_index == BFO_XATTR_USER;
}

static uint32_t entry_size(uint32_t tag)
{
	return tag == ACL_USER || tag == ACL_GROUP ? ACL_NAMED : ACL_PLAIN;
}

/* Named entries of one tag. */
static int by_number(const void *a, const void *b)
{
	uint32_t x = get_le32(a, ACL_PLAIN), y = get_le32(b, ACL_PLAIN);

	return x != y ? (x < y ? -1 : 1) : memcmp(a, b, ACL_NAMED);
}

/* Programs that make ACLs sort those of a tag by number; numbers have changed. */
static void sort_acl(uint8_t *v, uint32_t size)
{
	uint32_t at, end, bytes, tag;

	for (at = ACL_HEAD; at + ACL_PLAIN <= size; at = end) {
		tag = get_le16(v, at);
		bytes = entry_size(tag);
		for (end = at; end + bytes <= size && get_le16(v, end) == tag; end += bytes)
			;
		if (end == at)
			break;
		if (bytes == ACL_NAMED)
			qsort(v + at, (end - at) / bytes, bytes, by_number);
	}
}

/* Those whom the ACL of SIZE bytes at V names; one that is none stays as it is. */
static int amend_acl(const struct bfo_amend *a, uint8_t *v, uint32_t size, uint32_t *id,
		     int *is_group)
{
	uint32_t at, bytes, tag;

	for (at = ACL_HEAD; at + ACL_PLAIN <= size; at += bytes) {
		tag = get_le16(v, at);
		bytes = entry_size(tag);
		if (bytes != ACL_NAMED)
			continue;
		if (at + bytes > size)
			break;
		*id = get_le32(v, at + ACL_PLAIN);
		*is_group = tag == ACL_GROUP;
		if (!by_range(*is_group ? &a->groups : &a->users, id) &&
		    (*is_group ? a->groups.n : a->users.n))
			return 0;
		put_le32(v, at + ACL_PLAIN, *id);
	}
	if (bfo_amend_has_ranges(a))
		sort_acl(v, size);
	return 1;
}

/* The user who is root where the capability of SIZE bytes at V holds. */
static int amend_capability(const struct bfo_amend *a, uint8_t *v, uint32_t size, uint32_t *id)
{
	if (size != CAPABILITY_SIZE || (get_le32(v, 0) & CAPABILITY_REVISION) != CAPABILITY_3)
		return 1;
	*id = get_le32(v, CAPABILITY_ROOT);
	if (!by_range(&a->users, id) && a->users.n)
		return 0;
	put_le32(v, CAPABILITY_ROOT, *id);
	return 1;
}

/* 0 if somebody whom the value of X names, a copy, has no successor. */
static int amend_value(const struct bfo_amend *a, const struct bfo_xattr *x, uint32_t *id,
		       int *is_group)
{
	uint8_t *v = (uint8_t *) x->value;

	*is_group = 0;
	return bfo_xattr_is_acl(x) ? amend_acl(a, v, x->size, id, is_group)
				   : amend_capability(a, v, x->size, id);
}

/* Room for all values that have numbers, which will not move then. */
static errcode_t reserve(const bfo_xattrs *set, bfo_chars *values)
{
	size_t i, bytes = 0;

	for (i = 0; i < set->n; i++)
		if (bfo_xattr_has_ids(&set->v[i]) && set->v[i].value)
			bytes += set->v[i].size;
	values->n = 0;
	return bfo_vec_reserve(values, bytes + 1);
}

errcode_t bfo_amend_set(const struct bfo_amend *a, bfo_xattrs *set, bfo_chars *values,
			uint32_t *id, int *is_group)
{
	size_t i, kept = 0;
	errcode_t err = reserve(set, values);

	for (i = 0; i < set->n && !err; i++) {
		struct bfo_xattr *x = &set->v[i];

		if (!is_kept(a, x))
			continue;
		if (bfo_xattr_has_ids(x) && x->value) {
			memcpy(values->v + values->n, x->value, x->size);
			x->value = values->v + values->n;
			values->n += x->size;
			if (!amend_value(a, x, id, is_group))
				err = EINVAL;
		}
		set->v[kept++] = *x;
	}
	if (!err)
		set->n = kept;
	return err;
}
