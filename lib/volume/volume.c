// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * volume.c - reading a volume, and where things are in it
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "volume/recovery.h"
#include "device/store.h"
#include "volume/volume.h"

struct bfo_store bfo_volume_store(const struct bfo_volume *vol)
{
	struct bfo_store s = vol->store;

	if (!bfo_media_missing(vol))
		s.size = vol->blocks * vol->block_size;
	return s;
}

int bfo_volume_lies_on(const struct bfo_volume *vol, const struct bfo_store *s)
{
	const struct bfo_journal *j = vol->recovery ? &vol->recovery->journal : NULL;
	struct bfo_store own = bfo_volume_store(vol);

	return bfo_store_overlap(&own, s) || (j && j->external && bfo_store_overlap(&j->store, s));
}

errcode_t bfo_volume_distinct(struct bfo_context *ctx, const struct bfo_volume *a,
			      const struct bfo_volume *b)
{
	struct bfo_store x = bfo_volume_store(a), y = bfo_volume_store(b);

	if (!bfo_volume_lies_on(a, &y) && !bfo_volume_lies_on(b, &x))
		return 0;
	return bfo_fail(ctx, BFO_ET_SAME_VOLUME, "comparing %s and %s", a->spec, b->spec);
}

int bfo_volume_is_beside(const struct bfo_volume *a, const struct bfo_volume *b)
{
	return a->store.dev == b->store.dev && a->store.ino == b->store.ino;
}

uint32_t bfo_volume_most(const struct bfo_volume *vol)
{
	uint64_t most = vol->device.pace ? vol->device.pace->burst / vol->block_size : UINT32_MAX;

	return most < UINT32_MAX ? most : UINT32_MAX;
}

errcode_t bfo_volume_read(struct bfo_context *ctx, struct bfo_volume *vol, uint64_t blk,
			  uint32_t count, void *buf)
{
	uint32_t most = bfo_volume_most(vol), at, n;
	errcode_t err = 0;

	for (at = 0; at < count && !err; at += n) {
		n = count - at < most ? count - at : most;
		err = bfo_media_read(vol, blk + at, n,
				     (char *) buf + (size_t) at * vol->block_size);
	}
	if (err == BFO_ET_JOURNAL_UNREAD)
		return err;		/* ctx->what says which block of it */
	if (err)
		return bfo_fail(ctx, err, "reading %u blocks at block %llu of %s", count,
				(unsigned long long) blk, vol->spec);
	return 0;
}

int bfo_volume_can_scatter(const struct bfo_volume *vol, uint64_t blk, uint32_t count)
{
	return vol->device.fd >= 0 &&
	       !(vol->recovery && bfo_replay_touches(&vol->recovery->replay, blk, count));
}

int bfo_volume_scatter(struct bfo_volume *vol, uint64_t blk, uint32_t count,
		       const struct iovec *iov, int n)
{
	ssize_t want = (ssize_t) count * vol->block_size;

	if (!bfo_volume_can_scatter(vol, blk, count))
		return 0;
	bfo_pace_take(vol->device.pace, want);
	return preadv(vol->device.fd, iov, n, vol->offset + blk * vol->block_size) == want &&
	       !bfo_media_note_done(vol, blk, count);
}

int bfo_volume_fetch(struct bfo_volume *vol, uint64_t blk, uint32_t count, void *buf)
{
	ssize_t want = (ssize_t) count * vol->block_size;

	if (vol->device.fd < 0)
		return 0;
	bfo_pace_take(vol->device.pace, want);
	return pread(vol->device.fd, buf, want, vol->offset + blk * vol->block_size) == want;
}

void bfo_volume_ask_for(struct bfo_volume *vol, uint64_t blk, uint64_t count)
{
	if (vol->device.fd >= 0)
		posix_fadvise(vol->device.fd, vol->offset + blk * vol->block_size,
			      (off_t) count * vol->block_size, POSIX_FADV_WILLNEED);
}

void bfo_volume_forget(struct bfo_volume *vol, uint64_t blk, uint32_t count)
{
	if (vol->device.fd >= 0)
		posix_fadvise(vol->device.fd, vol->offset + blk * vol->block_size,
			      (off_t) count * vol->block_size, POSIX_FADV_DONTNEED);
}

errcode_t bfo_volume_direct(struct bfo_context *ctx, struct bfo_volume *vol, uint64_t blk,
			    uint32_t count, const struct iovec *iov, int n)
{
	errcode_t err;

	if (!bfo_direct_wanted(&vol->device) || !bfo_volume_can_scatter(vol, blk, count))
		return EINVAL;
	err = bfo_direct_read(&vol->device, vol->offset + blk * vol->block_size,
			      (uint64_t) count * vol->block_size, iov, n);
	if (!err)
		return bfo_media_note_done(vol, blk, count);
	return err == EINVAL ? err :
	       bfo_fail(ctx, err, "reading %u blocks at block %llu of %s", count,
			(unsigned long long) blk, vol->spec);
}

int bfo_volume_seeks(const struct bfo_volume *vol)
{
	unsigned short rotational = 1;

	if (vol->device.fd >= 0)
		ioctl(vol->device.fd, BLKROTATIONAL, &rotational);
	return rotational;
}

/* A page cache left to itself begins to write when it is full, not while there is time. */
void bfo_volume_write_back(struct bfo_volume *vol, uint64_t blk, uint32_t count)
{
	if (vol->device.fd >= 0)
		sync_file_range(vol->device.fd, vol->offset + blk * vol->block_size,
				(uint64_t) count * vol->block_size, SYNC_FILE_RANGE_WRITE);
}

int bfo_volume_contains(const struct bfo_volume *vol, uint64_t blk, uint64_t count)
{
	return blk >= vol->fs->super->s_first_data_block && blk < vol->blocks &&
	       count <= vol->blocks - blk;
}

int bfo_volume_hash_version(const struct bfo_volume *vol)
{
	const struct ext2_super_block *sb = vol->fs->super;

	if (sb->s_def_hash_version <= EXT2_HASH_TEA && (sb->s_flags & EXT2_FLAGS_UNSIGNED_HASH))
		return sb->s_def_hash_version + 3;
	return sb->s_def_hash_version;
}

uint64_t bfo_volume_inode_block(const struct bfo_volume *vol, ext2_ino_t ino, uint32_t *byte)
{
	uint32_t ipg = EXT2_INODES_PER_GROUP(vol->fs->super), index = (ino - 1) % ipg;
	uint64_t offset = (uint64_t) index * vol->inode_size;

	*byte = offset % vol->block_size;
	return ext2fs_inode_table_loc(vol->fs, (ino - 1) / ipg) + offset / vol->block_size;
}

uint32_t bfo_volume_group_used(const struct bfo_volume *vol, dgrp_t group)
{
	ext2_filsys fs = vol->fs;
	uint32_t all = EXT2_INODES_PER_GROUP(fs->super), unused;

	if (!ext2fs_has_group_desc_csum(fs))
		return all;
	if (ext2fs_bg_flags_test(fs, group, EXT2_BG_INODE_UNINIT))
		return 0;
	unused = ext2fs_bg_itable_unused(fs, group);
	return unused < all ? all - unused : 0;
}

int bfo_volume_is_system_inode(const struct bfo_volume *vol, ext2_ino_t ino)
{
	const struct ext2_super_block *sb = vol->fs->super;

	if (ino == EXT2_ROOT_INO)
		return 0;
	return ino < EXT2_FIRST_INODE(sb) || ino == sb->s_journal_inum ||
	       ino == sb->s_usr_quota_inum || ino == sb->s_grp_quota_inum ||
	       ino == sb->s_prj_quota_inum || ino == sb->s_orphan_file_inum;
}

int bfo_volume_is_checked(const struct bfo_volume *vol)
{
	const struct ext2_super_block *sb = vol->fs->super;
	uint64_t checked = (uint64_t) sb->s_lastcheck_hi << 32 | sb->s_lastcheck;
	uint64_t mounted = (uint64_t) sb->s_mtime_hi << 32 | sb->s_mtime;

	return !sb->s_mnt_count && checked >= mounted;
}

int bfo_volume_holds_files(const struct bfo_volume *vol)
{
	const struct ext2_super_block *sb = vol->fs->super;
	const uint32_t own[] = { sb->s_usr_quota_inum, sb->s_grp_quota_inum,
				 sb->s_prj_quota_inum, sb->s_orphan_file_inum };
	uint32_t made = EXT2_FIRST_INODE(sb);
	size_t i;

	for (i = 0; i < sizeof(own) / sizeof(*own); i++)
		made += own[i] >= EXT2_FIRST_INODE(sb);
	return sb->s_inodes_count - sb->s_free_inodes_count > made;
}
