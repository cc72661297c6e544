// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fields.c - fields of an inode that is changed: raw bytes, in disk byte order
 *
 * Format: kernel Documentation/filesystems/ext4/inodes.rst.
 */
#include <stddef.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "edit/edit.h"

#define SECTOR 512
#define EPOCH_BITS 2			/* of an extra field: seconds above 32 bits */

/* True if FIELD of the large inode is inside i_extra_isize. */
#define HAS_FIELD(e, raw, field) \
	((e)->vol->inode_size > EXT2_GOOD_OLD_INODE_SIZE && \
	 EXT2_GOOD_OLD_INODE_SIZE + (size_t) le16((raw)->i_extra_isize) >= \
	 offsetof(struct ext2_inode_large, field) + sizeof((raw)->field))

/* The field of a time, and that of what does not fit there; NULL: there is none. */
struct clock {
	uint32_t *seconds, *extra;
};

static struct clock clock_of(const struct bfo_edit *e, const struct bfo_draft *n,
			     enum bfo_draft_time which)
{
	struct ext2_inode_large *raw = (struct ext2_inode_large *) n->raw;

	switch (which) {
	case BFO_DRAFT_ATIME:
		return (struct clock) { &raw->i_atime, HAS_FIELD(e, raw, i_atime_extra) ?
					&raw->i_atime_extra : NULL };
	case BFO_DRAFT_MTIME:
		return (struct clock) { &raw->i_mtime, HAS_FIELD(e, raw, i_mtime_extra) ?
					&raw->i_mtime_extra : NULL };
	case BFO_DRAFT_CTIME:
		return (struct clock) { &raw->i_ctime, HAS_FIELD(e, raw, i_ctime_extra) ?
					&raw->i_ctime_extra : NULL };
	case BFO_DRAFT_CRTIME:
		if (HAS_FIELD(e, raw, i_crtime_extra))
			return (struct clock) { &raw->i_crtime, &raw->i_crtime_extra };
	}
	return (struct clock) { NULL, NULL };
}

static void put_time(const struct bfo_edit *e, struct bfo_draft *n, enum bfo_draft_time which,
		     struct timespec t)
{
	struct clock c = clock_of(e, n, which);
	int64_t sec = t.tv_sec;

	if (c.seconds && !c.extra && sec > INT32_MAX)
		sec = INT32_MAX;
	if (c.seconds)
		*c.seconds = to_le32((uint32_t) sec);
	if (c.extra)
		*c.extra = to_le32(((sec - (int32_t) sec) >> 32 & 3) |
				   (uint32_t) t.tv_nsec << EPOCH_BITS);
}

void bfo_draft_set_time(const struct bfo_edit *e, struct bfo_draft *n, enum bfo_draft_time which,
		       struct timespec t)
{
	n->stamps &= ~(1U << which);
	put_time(e, n, which, t);
}

void bfo_draft_stamp(const struct bfo_edit *e, struct bfo_draft *n, enum bfo_draft_time which)
{
	n->stamps |= 1U << which;
	put_time(e, n, which, e->now);
}

void bfo_draft_settle_times(const struct bfo_edit *e, struct bfo_draft *n)
{
	enum bfo_draft_time which;

	for (which = BFO_DRAFT_ATIME; which <= BFO_DRAFT_CRTIME; which++)
		if (n->stamps & 1U << which)
			put_time(e, n, which, e->now);
}

struct timespec bfo_draft_time(const struct bfo_edit *e, const struct bfo_draft *n,
			      enum bfo_draft_time which)
{
	struct clock c = clock_of(e, n, which);
	struct timespec t = { 0 };

	if (c.seconds)
		t.tv_sec = (int32_t) le32(*c.seconds);
	if (c.extra) {
		t.tv_sec += (int64_t) (le32(*c.extra) & 3) << 32;
		t.tv_nsec = le32(*c.extra) >> EPOCH_BITS;
	}
	return t;
}

int bfo_draft_has_time(const struct bfo_edit *e, const struct bfo_draft *n,
		       enum bfo_draft_time which)
{
	return clock_of(e, n, which).seconds != NULL;
}

void bfo_draft_set_owner(struct bfo_draft *n, uint32_t uid, uint32_t gid)
{
	n->raw->i_uid = to_le16(uid & 0xffff);
	n->raw->osd2.linux2.l_i_uid_high = to_le16(uid >> 16);
	n->raw->i_gid = to_le16(gid & 0xffff);
	n->raw->osd2.linux2.l_i_gid_high = to_le16(gid >> 16);
}

uint32_t bfo_draft_uid(const struct bfo_draft *n)
{
	return le16(n->raw->i_uid) | (uint32_t) le16(n->raw->osd2.linux2.l_i_uid_high) << 16;
}

uint32_t bfo_draft_gid(const struct bfo_draft *n)
{
	return le16(n->raw->i_gid) | (uint32_t) le16(n->raw->osd2.linux2.l_i_gid_high) << 16;
}

int bfo_draft_set_project(const struct bfo_edit *e, struct bfo_draft *n, uint32_t project)
{
	if (!HAS_FIELD(e, n->raw, i_projid) || !e->shape.has_project)
		return 0;
	n->raw->i_projid = to_le32(project);
	return 1;
}

uint32_t bfo_draft_project(const struct bfo_edit *e, const struct bfo_draft *n)
{
	return HAS_FIELD(e, n->raw, i_projid) && e->shape.has_project ? le32(n->raw->i_projid) : 0;
}

void bfo_draft_touch(const struct bfo_edit *e, struct bfo_draft *n, int content)
{
	struct ext2_inode_large *raw = n->raw;
	uint32_t version = le32(raw->osd1.linux1.l_i_version) + 1;

	bfo_draft_stamp(e, n, BFO_DRAFT_CTIME);
	if (content)
		bfo_draft_stamp(e, n, BFO_DRAFT_MTIME);
	raw->osd1.linux1.l_i_version = to_le32(version);
	if (!version && HAS_FIELD(e, raw, i_version_hi))
		raw->i_version_hi = to_le32(le32(raw->i_version_hi) + 1);
}

void bfo_draft_set_version(const struct bfo_edit *e, struct bfo_draft *n, uint64_t version)
{
	n->raw->osd1.linux1.l_i_version = to_le32((uint32_t) version);
	if (HAS_FIELD(e, n->raw, i_version_hi))
		n->raw->i_version_hi = to_le32((uint32_t) (version >> 32));
}

uint64_t bfo_draft_blocks(const struct bfo_edit *e, const struct bfo_draft *n)
{
	uint64_t count = le32(n->raw->i_blocks) |
			 (uint64_t) le16(n->raw->osd2.linux2.l_i_blocks_hi) << 32;

	if (!e->shape.has_huge_file)
		count &= UINT32_MAX;
	else if (bfo_draft_flags(n) & EXT4_HUGE_FILE_FL)
		return count;
	return count / (e->vol->block_size / SECTOR);
}

errcode_t bfo_draft_set_blocks(const struct bfo_edit *e, struct bfo_draft *n, uint64_t blocks)
{
	uint64_t count = blocks * (e->vol->block_size / SECTOR);
	uint32_t flags = bfo_draft_flags(n) & ~EXT4_HUGE_FILE_FL;

	if (count >> 32 && !e->shape.has_huge_file)
		return BFO_ET_FILE_TOO_BIG;
	if (count >> 48) {
		count = blocks;
		flags |= EXT4_HUGE_FILE_FL;
	}
	n->raw->i_blocks = to_le32((uint32_t) count);
	n->raw->osd2.linux2.l_i_blocks_hi = to_le16(count >> 32);
	n->raw->i_flags = to_le32(flags);
	return 0;
}

void bfo_draft_set_size(struct bfo_draft *n, uint64_t size)
{
	n->raw->i_size = to_le32((uint32_t) size);
	n->raw->i_size_high = to_le32((uint32_t) (size >> 32));
}
