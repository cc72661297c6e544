// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inode_image.c - raw inodes for the target
 */
#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/disk.h"
#include "plan/inode_image.h"
#include "plan/itrees.h"
#include "plan/loss.h"

#define SECTOR 512

/* True if field FIELD of the large inode is inside i_extra_isize. */
#define HAS_FIELD(plan, raw, field) \
	((plan)->target->inode_size > EXT2_GOOD_OLD_INODE_SIZE && \
	 EXT2_GOOD_OLD_INODE_SIZE + (size_t) to_le16((raw)->i_extra_isize) >= \
	 offsetof(struct ext2_inode_large, field) + sizeof((raw)->field))

/* 34 bits of seconds: 32 in the field, two more in its *_extra (inodes.rst, timestamps). */
static uint32_t extra_time(int64_t t)
{
	return to_le32(((t - (int32_t) t) >> 32) & 3);
}

static void set_ctime(const struct bfo_plan *plan, struct ext2_inode_large *raw)
{
	raw->i_ctime = to_le32((uint32_t) plan->now);
	if (HAS_FIELD(plan, raw, i_ctime_extra))
		raw->i_ctime_extra = extra_time(plan->now);
}

static void set_change_times(const struct bfo_plan *plan, struct ext2_inode_large *raw)
{
	set_ctime(plan, raw);
	raw->i_mtime = to_le32((uint32_t) plan->now);
	if (HAS_FIELD(plan, raw, i_mtime_extra))
		raw->i_mtime_extra = extra_time(plan->now);
}

/* i_version counts changes; its upper half exists in large inodes only. */
static void count_change(const struct bfo_plan *plan, struct ext2_inode_large *raw)
{
	uint32_t lo = to_le32(raw->osd1.linux1.l_i_version) + 1;

	raw->osd1.linux1.l_i_version = to_le32(lo);
	if (!lo && HAS_FIELD(plan, raw, i_version_hi))
		raw->i_version_hi = to_le32(to_le32(raw->i_version_hi) + 1);
}

/* A directory, or the inode of a value; the owner is root. */
static void make_inode(const struct bfo_plan *plan, const struct bfo_inode *rec,
		       struct ext2_inode_large *raw)
{
	memset(raw, 0, plan->target->inode_size);
	raw->i_mode = to_le16(rec->mode);
	raw->i_flags = to_le32(rec->flags);
	if (plan->target->inode_size > EXT2_GOOD_OLD_INODE_SIZE)
		raw->i_extra_isize = to_le16(plan->target->extra_isize);
	set_change_times(plan, raw);
	raw->i_atime = to_le32((uint32_t) plan->now);
	if (HAS_FIELD(plan, raw, i_atime_extra))
		raw->i_atime_extra = extra_time(plan->now);
	if (HAS_FIELD(plan, raw, i_crtime_extra)) {
		raw->i_crtime = to_le32((uint32_t) plan->now);
		raw->i_crtime_extra = extra_time(plan->now);
	}
}

/* i_blocks: in sectors, or in blocks with a flag once sectors do not fit (huge_file). */
static errcode_t set_blocks(const struct bfo_plan *plan, struct ext2_inode_large *raw,
			    uint64_t blocks)
{
	uint64_t count = blocks * (plan->target->block_size / SECTOR);
	uint32_t flags = to_le32(raw->i_flags) & ~EXT4_HUGE_FILE_FL;

	if (count >> 32 && !plan->target->has_huge_file)
		return BFO_ET_FILE_TOO_BIG;
	if (count >> 48) {
		count = blocks;
		flags |= EXT4_HUGE_FILE_FL;
	}
	raw->i_blocks = to_le32((uint32_t) count);
	raw->osd2.linux2.l_i_blocks_hi = to_le16(count >> 32);
	raw->i_flags = to_le32(flags);
	return 0;
}

static void set_ea_block(const struct bfo_plan *plan, const struct bfo_inode *rec,
			 struct ext2_inode_large *raw)
{
	uint64_t blk = 0;

	if (rec->ea != BFO_NONE && !plan->tree->eas.v[rec->ea].no_block)
		blk = bfo_plan_block(plan, plan->tree->eas.v[rec->ea].stem, NULL);
	raw->i_file_acl = to_le32((uint32_t) blk);
	raw->osd2.linux2.l_i_file_acl_high = to_le16(blk >> 32);
}

/*
 * Everything behind i_extra_isize, where attributes stand, goes.  If they were damaged because
 * i_extra_isize itself is, it becomes what mke2fs would have made it.
 */
static void drop_inode_xattrs(const struct bfo_plan *plan, struct ext2_inode_large *raw)
{
	uint32_t room = plan->target->inode_size - EXT2_GOOD_OLD_INODE_SIZE;
	uint32_t extra = to_le16(raw->i_extra_isize);

	if (extra % 4 || extra > room)
		extra = plan->target->extra_isize;
	raw->i_extra_isize = to_le16(extra);
	memset((char *) raw + EXT2_GOOD_OLD_INODE_SIZE + extra, 0, room - extra);
}

/* What devices, fifos and sockets must not have. */
static void strip(struct ext2_inode_large *raw)
{
	raw->i_size = raw->i_size_high = 0;
	raw->i_flags &= to_le32(~(EXT2_IMMUTABLE_FL | EXT2_APPEND_FL));
	memset(&raw->i_block[4], 0, sizeof(raw->i_block) - 4 * sizeof(raw->i_block[0]));
}

static void set_checksum(const struct bfo_plan *plan, const struct bfo_inode *rec,
			 struct ext2_inode_large *raw)
{
	uint32_t crc;

	raw->i_checksum_lo = 0;
	if (HAS_FIELD(plan, raw, i_checksum_hi))
		raw->i_checksum_hi = 0;
	if (!plan->target->has_csum)
		return;
	crc = bfo_crc32c_inode_seed(plan->target->csum_seed, rec->new_ino,
				    to_le32(raw->i_generation));
	crc = bfo_crc32c(crc, raw, plan->target->inode_size);
	raw->i_checksum_lo = to_le16(crc & 0xffff);
	if (HAS_FIELD(plan, raw, i_checksum_hi))
		raw->i_checksum_hi = to_le16(crc >> 16);
}

static void set_size(const struct bfo_inode *rec, struct ext2_inode_large *raw)
{
	raw->i_size = to_le32((uint32_t) rec->size);
	raw->i_size_high = to_le32((uint32_t) (rec->size >> 32));
}

static void set_dir(const struct bfo_inode *rec, struct ext2_inode_large *raw)
{
	uint32_t flags = to_le32(raw->i_flags) & ~EXT2_INDEX_FL;

	set_size(rec, raw);
	if (rec->state & BFO_INODE_INDEX)
		flags |= EXT2_INDEX_FL;
	raw->i_flags = to_le32(flags);
}

/* Blocks that belong to attributes. */
static uint64_t ea_blocks(const struct bfo_plan *plan, const struct ext2_inode_large *raw,
			  const struct bfo_inode_scratch *scratch)
{
	int has_block = raw->i_file_acl || raw->osd2.linux2.l_i_file_acl_high;

	return scratch->charge + (has_block ? plan->target->cluster_blocks : 0);
}

static errcode_t set_map(const struct bfo_plan *plan, bfo_row row,
			 struct ext2_inode_large *raw, struct bfo_inode_scratch *scratch)
{
	struct bfo_map *map = &scratch->map;
	errcode_t err = bfo_map_init(map, plan, row);

	if (err)
		return err;
	bfo_map_root(map, plan, map->blocks ? bfo_plan_tree(plan, row) : NULL, raw->i_block);
	raw->i_flags &= to_le32(~EXT4_EXTENTS_FL);
	if (plan->target->has_extents)
		raw->i_flags |= to_le32(EXT4_EXTENTS_FL);
	return set_blocks(plan, raw, map->allocated + ea_blocks(plan, raw, scratch));
}

/* Files without a block map: what stands in i_block stays (device number, symlink target). */
static errcode_t keep_i_block(const struct bfo_plan *plan, struct ext2_inode_large *raw,
			      const struct bfo_inode_scratch *scratch)
{
	raw->i_flags &= to_le32(~EXT4_EXTENTS_FL);
	return set_blocks(plan, raw, ea_blocks(plan, raw, scratch));
}

static int has_map(const struct bfo_inode *rec)
{
	if (rec->state & BFO_INODE_STUFF)
		return 0;
	return S_ISREG(rec->mode) || S_ISDIR(rec->mode) ||
	       (S_ISLNK(rec->mode) && !(rec->state & BFO_INODE_FAST));
}

/* Bytes of RAW, an inode of SIZE bytes, up to the end of its fields. */
static uint32_t fields_end(const struct ext2_inode_large *raw, uint32_t size)
{
	uint32_t end;

	if (size == EXT2_GOOD_OLD_INODE_SIZE)
		return size;
	end = EXT2_GOOD_OLD_INODE_SIZE + to_le16(raw->i_extra_isize);
	return end <= size ? end : EXT2_GOOD_OLD_INODE_SIZE;
}

/* Seconds after 2038 that lose their upper bits become the latest that are left. */
static void clamp_time(uint32_t *seconds, uint32_t extra)
{
	if (to_le32(extra) & 3)
		*seconds = to_le32(INT32_MAX);
}

static void clamp_times(const struct ext2_inode_large *from, uint32_t end,
			struct ext2_inode_large *to)
{
	if (end >= offsetof(struct ext2_inode_large, i_crtime)) {
		clamp_time(&to->i_ctime, from->i_ctime_extra);
		clamp_time(&to->i_mtime, from->i_mtime_extra);
		clamp_time(&to->i_atime, from->i_atime_extra);
	}
}

void bfo_inode_recast(const struct bfo_plan *plan, const void *from, uint32_t from_size, void *to)
{
	uint32_t size = plan->target->inode_size, end;
	struct ext2_inode_large *raw = to;

	if (!plan->tree->repacked) {
		assert(from_size == size);
		memcpy(to, from, size);
		return;
	}
	end = fields_end(from, from_size);
	if (end > EXT2_GOOD_OLD_INODE_SIZE + plan->target->extra_isize)
		end = EXT2_GOOD_OLD_INODE_SIZE + plan->target->extra_isize;
	memset(to, 0, size);
	memcpy(to, from, end);
	if (size > EXT2_GOOD_OLD_INODE_SIZE)
		raw->i_extra_isize = to_le16(plan->target->extra_isize);
	else
		clamp_times(from, fields_end(from, from_size), to);
}

/* The content of directory ROW, which is to stand in its inode. */
static errcode_t make_content(const struct bfo_plan *plan, bfo_row row,
			      struct bfo_inode_scratch *scratch)
{
	const struct bfo_inode *rec = &plan->tree->inodes.v[row];
	uint32_t parent = plan->tree->inodes.v[bfo_plan_parent(plan, row)].new_ino;
	struct bfo_dirimage img;
	errcode_t err;

	scratch->content.n = 0;
	err = bfo_vec_reserve(&scratch->content, rec->size);
	if (err)
		return err;
	err = bfo_dirimage_init(&img, plan->tree, plan->target, row, plan->dir_fill);
	bfo_dirimage_number(&img, rec->new_ino, parent, rec->generation);
	if (!err)
		bfo_inline_dir(&img, rec->size, scratch->content.v);
	scratch->content.n = rec->size;
	bfo_dirimage_free(&img);
	return err;
}

/* Content that stands in the inode: its head in i_block, its tail becomes an attribute. */
static errcode_t set_inline(const struct bfo_plan *plan, bfo_row row,
			    struct ext2_inode_large *raw, struct bfo_inode_scratch *scratch)
{
	uint32_t size, head;
	errcode_t err = 0;

	if (S_ISDIR(plan->tree->inodes.v[row].mode))
		err = make_content(plan, row, scratch);
	if (err)
		return err;
	size = scratch->content.n;
	head = size < BFO_INLINE_HEAD ? size : BFO_INLINE_HEAD;
	memset(raw->i_block, 0, BFO_INLINE_HEAD);
	if (head)
		memcpy(raw->i_block, scratch->content.v, head);
	raw->i_flags |= to_le32(EXT4_INLINE_DATA_FL);
	return bfo_eaimage_add_data(&scratch->ea, scratch->content.v + head, size - head);
}

/* Where attributes stand in the inode and in a block, and which. */
static errcode_t set_xattrs(const struct bfo_plan *plan, bfo_row row,
			    struct ext2_inode_large *raw, struct bfo_inode_scratch *scratch)
{
	const struct bfo_inode *rec = &plan->tree->inodes.v[row];
	errcode_t err;

	set_ea_block(plan, rec, raw);
	raw->i_flags &= to_le32(~EXT4_INLINE_DATA_FL);
	if (!plan->tree->repacked)
		return 0;
	err = bfo_eaimage_open(&scratch->ea, plan, rec->ea);
	scratch->charge = bfo_eaimage_charge(&scratch->ea, plan);
	bfo_eaimage_number(&scratch->ea, plan);
	if (!err && rec->state & BFO_INODE_STUFF)
		err = set_inline(plan, row, raw, scratch);
	if (!err && plan->target->inode_size > EXT2_GOOD_OLD_INODE_SIZE)
		bfo_eaimage_inode(&scratch->ea, plan, raw);
	return err;
}

void bfo_inode_scratch_free(struct bfo_inode_scratch *scratch)
{
	bfo_map_free(&scratch->map);
	bfo_eaimage_free(&scratch->ea);
	bfo_vec_free(&scratch->content);
}

/* Of a value in an inode of its own: atime is its hash, ctime and version count references. */
static void set_value(const struct bfo_plan *plan, bfo_row row, struct ext2_inode_large *raw)
{
	const struct bfo_value *v = bfo_tree_value(plan->tree, row);

	set_size(&plan->tree->inodes.v[row], raw);
	raw->i_atime = to_le32(v->hash);
	if (HAS_FIELD(plan, raw, i_atime_extra))
		raw->i_atime_extra = extra_time(v->hash);
	raw->i_ctime = 0;
	if (HAS_FIELD(plan, raw, i_ctime_extra))
		raw->i_ctime_extra = 0;
	raw->osd1.linux1.l_i_version = to_le32(v->refs);
	if (HAS_FIELD(plan, raw, i_version_hi))
		raw->i_version_hi = 0;
}

/* What is taken over from the source, or made: not of a directory that keeps what it has. */
static errcode_t set_attributes(const struct bfo_plan *plan, bfo_row row,
				struct ext2_inode_large *raw, struct bfo_inode_scratch *scratch)
{
	const struct bfo_inode *rec = &plan->tree->inodes.v[row];

	if (rec->state & (BFO_INODE_MADE | BFO_INODE_MOVED))
		make_inode(plan, rec, raw);
	if (rec->state & BFO_INODE_NO_XATTR && plan->target->inode_size > EXT2_GOOD_OLD_INODE_SIZE)
		drop_inode_xattrs(plan, raw);
	if (rec->state & BFO_INODE_STRIP)
		strip(raw);
	raw->i_flags &= to_le32(rec->flags);	/* what its type cannot have is not in the record */
	if (rec->flags & EXT4_EA_INODE_FL)
		set_value(plan, row, raw);
	raw->i_dtime = 0;
	raw->i_faddr = 0;		/* fragments never came to be; e2fsck objects to others */
	raw->i_flags &= to_le32(~bfo_loss_flags(plan->target, plan->tree));
	return set_xattrs(plan, row, raw, scratch);
}

/* Blocks of RANGES, whole clusters; neighbours may share one. */
static uint64_t cluster_blocks(const bfo_ranges *ranges, uint64_t ratio)
{
	uint64_t sum = 0, last = UINT64_MAX, first, end;
	size_t i;

	for (i = 0; i < ranges->n; i++) {
		first = ranges->v[i].start / ratio;
		end = (ranges->v[i].start + ranges->v[i].len - 1) / ratio + 1;
		sum += end - first - (first == last);
		last = end - 1;
	}
	return sum * ratio;
}

/* What i_blocks of a directory that keeps its attributes, RAW, counts for values in inodes. */
static uint64_t kept_charge(const struct bfo_plan *plan, const struct bfo_inode *rec,
			    const struct ext2_inode_large *raw)
{
	const struct bfo_merged *m = bfo_plan_merged(plan, rec->new_ino);
	uint64_t ratio = plan->target->cluster_blocks, own, count;

	if (!plan->target->has_ea_inode || !m)
		return 0;
	count = to_le32(raw->i_blocks) | (uint64_t) to_le16(raw->osd2.linux2.l_i_blocks_hi) << 32;
	if (!(to_le32(raw->i_flags) & EXT4_HUGE_FILE_FL))
		count /= plan->target->block_size / SECTOR;
	own = cluster_blocks(&m->freed, ratio) + (raw->i_file_acl ? ratio : 0);
	return count > own ? count - own : 0;
}

/* A directory of the target's that stood in its inode gets blocks: system.data goes. */
static errcode_t leave_inode(const struct bfo_plan *plan, struct ext2_inode_large *raw,
			     struct bfo_inode_scratch *scratch)
{
	uint32_t size = plan->target->inode_size;
	bfo_xattrs *set = &scratch->ea.set;
	size_t i, kept = 0;
	errcode_t err;

	if (!(to_le32(raw->i_flags) & EXT4_INLINE_DATA_FL))
		return 0;
	raw->i_flags &= to_le32(~EXT4_INLINE_DATA_FL);
	set->n = scratch->ea.inside.n = scratch->content.n = 0;
	err = bfo_vec_reserve(&scratch->content, size);
	if (err)
		return err;
	memcpy(scratch->content.v, raw, size);
	err = bfo_xattrs_of_inode(set, scratch->content.v, size);
	for (i = 0; i < set->n && !err; i++)
		if (!bfo_xattr_is_data(&set->v[i])) {
			set->v[kept++] = set->v[i];
			err = bfo_vec_push(&scratch->ea.inside, 1);
		}
	set->n = kept;
	bfo_xattrs_sort(set);
	if (!err)
		bfo_eaimage_inode(&scratch->ea, plan, raw);
	return err;
}

errcode_t bfo_inode_image(const struct bfo_plan *plan, bfo_row row, void *data,
			  struct bfo_inode_scratch *scratch)
{
	const struct bfo_inode *rec = &plan->tree->inodes.v[row];
	struct ext2_inode_large *raw = data;
	errcode_t err = 0;

	scratch->charge = 0;
	if (rec->state & BFO_INODE_KEEP) {
		scratch->charge = kept_charge(plan, rec, raw);
		set_change_times(plan, raw);
		count_change(plan, raw);
		err = leave_inode(plan, raw, scratch);
	} else {
		err = set_attributes(plan, row, raw, scratch);
	}
	raw->i_links_count = to_le16(bfo_plan_links(plan, rec));
	if (S_ISDIR(rec->mode))
		set_dir(rec, raw);
	else
		raw->i_flags &= to_le32(~EXT2_INDEX_FL);
	if (bfo_plan_is_written_last(plan, rec))
		set_size(rec, raw);
	if (!err)
		err = has_map(rec) ? set_map(plan, row, raw, scratch)
				   : keep_i_block(plan, raw, scratch);
	if (err)
		return bfo_fail(plan->ctx, err, "making inode %u", rec->new_ino);
	set_checksum(plan, rec, raw);
	return 0;
}

void bfo_inode_unlink(const struct bfo_plan *plan, void *data, uint32_t names)
{
	struct ext2_inode_large *raw = data;

	raw->i_links_count = to_le16(le16(raw->i_links_count) - names);
	set_ctime(plan, raw);
	count_change(plan, raw);
}
