// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * journal.c - the journal of a filesystem
 *
 * An external journal is known by its UUID, which the filesystem's superblock has.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/error_text.h"
#include "base/jbd2.h"
#include "base/text.h"
#include "volume/journal.h"
#include "device/store.h"

#define MAX_BLOCKS (1U << 31)	/* so that numbers of blocks and of rounds do not overflow */
#define KNOWN_COMPAT BFO_JBD2_COMPAT_CHECKSUM
#define KNOWN_INCOMPAT (BFO_JBD2_INCOMPAT_REVOKE | BFO_JBD2_INCOMPAT_64BIT | \
			BFO_JBD2_INCOMPAT_ASYNC_COMMIT | BFO_JBD2_INCOMPAT_CSUM_V2 | \
			BFO_JBD2_INCOMPAT_CSUM_V3 | BFO_JBD2_INCOMPAT_FAST_COMMIT)

static errcode_t damaged(struct bfo_context *ctx, const struct bfo_journal *j, const char *what)
{
	return bfo_fail(ctx, BFO_ET_JOURNAL, "reading the journal of %s: %s; run e2fsck -f on it%s",
			j->spec, what, j->to_write ? "" : ", or see --ignore-journal");
}

/* ---- the superblock ---- */

/* Features: unknown ones, or those of which only one may be there. */
static errcode_t check_features(struct bfo_context *ctx, const struct bfo_journal *j,
				const void *sb)
{
	uint32_t incompat = j->incompat & ~KNOWN_INCOMPAT;
	uint32_t ro_compat = bfo_jbd2_get32(sb, BFO_JBD2_SB_RO_COMPAT);

	if (bfo_jbd2_get32(sb, BFO_JBD2_H_TYPE) == BFO_JBD2_SUPER_V1)
		return 0;
	if (incompat || ro_compat)
		return bfo_fail(ctx, BFO_ET_FEATURE, "reading the journal of %s: its features, "
				"incompatible 0x%x, read-only compatible 0x%x", j->spec, incompat,
				ro_compat);
	if ((j->incompat & BFO_JBD2_INCOMPAT_CSUM_V2 && j->incompat & BFO_JBD2_INCOMPAT_CSUM_V3) ||
	    (bfo_jbd2_has_csum(j->incompat) && j->compat & BFO_JBD2_COMPAT_CHECKSUM))
		return damaged(ctx, j, "it has two kinds of checksums");
	return 0;
}

static errcode_t check_csum(struct bfo_context *ctx, const struct bfo_journal *j, const void *sb)
{
	if (!bfo_jbd2_has_csum(j->incompat))
		return 0;
	if (((const uint8_t *) sb)[BFO_JBD2_SB_CSUM_TYPE] != BFO_JBD2_CSUM_CRC32C)
		return damaged(ctx, j, "unknown type of checksums");
	if (bfo_jbd2_get32(sb, BFO_JBD2_SB_CSUM) !=
	    bfo_jbd2_block_csum(~0U, sb, BFO_JBD2_SB_BYTES, BFO_JBD2_SB_CSUM))
		return damaged(ctx, j, "checksum of its superblock");
	return 0;
}

/* Where the log, and behind it the fast commit area, begin and end. */
static errcode_t take_bounds(struct bfo_context *ctx, struct bfo_journal *j, const void *sb)
{
	uint32_t length = bfo_jbd2_get32(sb, BFO_JBD2_SB_LENGTH);
	uint32_t fast = bfo_jbd2_get32(sb, BFO_JBD2_SB_FC_BLOCKS);

	if (length > j->length)
		return damaged(ctx, j, "it is shorter than its superblock says");
	j->length = j->last = length;
	if (j->incompat & BFO_JBD2_INCOMPAT_FAST_COMMIT) {
		if (!fast)
			fast = BFO_JBD2_FC_BLOCKS;
		if (fast >= length)
			return damaged(ctx, j, "its fast commit area is too long");
		j->last = length - fast;
		j->fast = j->last + 1;	/* as the kernel has it */
	}
	if (j->last < BFO_JBD2_MIN_BLOCKS)
		return damaged(ctx, j, "it is too short");
	j->first = bfo_jbd2_get32(sb, BFO_JBD2_SB_FIRST);
	j->start = bfo_jbd2_get32(sb, BFO_JBD2_SB_START);
	if (j->first <= j->super || j->first >= j->last || (j->start && (j->start < j->first ||
							       j->start >= j->last)))
		return damaged(ctx, j, "its log begins outside");
	return 0;
}

errcode_t bfo_journal_take_super(struct bfo_context *ctx, struct bfo_journal *j, const void *sb)
{
	uint32_t type = bfo_jbd2_get32(sb, BFO_JBD2_H_TYPE);
	errcode_t err;

	if (bfo_jbd2_get32(sb, BFO_JBD2_H_MAGIC) != BFO_JBD2_MAGIC ||
	    bfo_jbd2_get32(sb, BFO_JBD2_SB_BLOCK_SIZE) != j->block_size ||
	    (type != BFO_JBD2_SUPER_V1 && type != BFO_JBD2_SUPER_V2))
		return damaged(ctx, j, "it has no valid superblock");
	if (type == BFO_JBD2_SUPER_V2) {
		j->compat = bfo_jbd2_get32(sb, BFO_JBD2_SB_COMPAT);
		j->incompat = bfo_jbd2_get32(sb, BFO_JBD2_SB_INCOMPAT);
	}
	j->seed = bfo_jbd2_seed((const char *) sb + BFO_JBD2_SB_UUID);
	j->sequence = bfo_jbd2_get32(sb, BFO_JBD2_SB_SEQUENCE);
	j->aborted = bfo_jbd2_get32(sb, BFO_JBD2_SB_ERRNO);
	err = check_features(ctx, j, sb);
	if (!err)
		err = check_csum(ctx, j, sb);
	return err ? err : take_bounds(ctx, j, sb);
}

static errcode_t read_super(struct bfo_context *ctx, struct bfo_journal *j)
{
	void *block = malloc(j->block_size);
	errcode_t err;

	if (!block)
		return ENOMEM;
	err = bfo_journal_read(ctx, j, j->super, block);
	if (!err)
		err = bfo_journal_take_super(ctx, j, block);
	if (!err && j->external && bfo_jbd2_get32(block, BFO_JBD2_SB_USERS) != 1)
		err = damaged(ctx, j, "it belongs to several filesystems");
	free(block);
	return err;
}

/* ---- where it is ---- */

static errcode_t open_internal(struct bfo_context *ctx, struct bfo_volume *vol,
			       struct bfo_journal *j)
{
	uint32_t ino = vol->fs->super->s_journal_inum;
	errcode_t err;

	j->vol = vol;
	j->io = vol->fs->io;
	err = bfo_inode_map(ctx, vol, ino, MAX_BLOCKS, &j->runs, &j->length);
	if (bfo_media_is_error(err) && !vol->device.writable)
		return bfo_fail(ctx, BFO_ET_JOURNAL_UNREAD, "reading the journal's inode %u of %s "
				"(%s); see --ignore-journal", ino, vol->spec, bfo_error_text(err));
	return err;
}

/* Is SB that of a journal device, and the one that VOL wants? */
static int is_the_one(const struct bfo_volume *vol, const struct ext2_super_block *sb)
{
	size_t csum = offsetof(struct ext2_super_block, s_checksum);

	if (sb->s_magic != EXT2_SUPER_MAGIC || !(sb->s_feature_incompat &
						 EXT3_FEATURE_INCOMPAT_JOURNAL_DEV))
		return 0;
	if (sb->s_feature_ro_compat & EXT4_FEATURE_RO_COMPAT_METADATA_CSUM &&
	    sb->s_checksum != bfo_crc32c(~0U, sb, csum))
		return 0;
	return !memcmp(sb->s_uuid, vol->fs->super->s_journal_uuid, sizeof(sb->s_uuid));
}

/* Blocks count from the begin of the device, where its own superblock stands. */
static void take_device(const struct bfo_volume *vol, const struct ext2_super_block *sb,
			struct bfo_journal *j)
{
	uint64_t blocks = sb->s_blocks_count | (uint64_t) sb->s_blocks_count_hi << 32;

	j->length = blocks > MAX_BLOCKS ? MAX_BLOCKS : blocks;
	j->super = vol->block_size == SUPERBLOCK_SIZE ? 2 : 1;
	j->runs.v[0] = (struct bfo_map_run) { .len = j->length };
	j->runs.n = 1;
}

/* Opens PATH, and reads the superblock that a journal device has. */
static errcode_t read_device(struct bfo_context *ctx, const struct bfo_volume *vol,
			     const char *path, struct bfo_journal *j, struct ext2_super_block *sb)
{
	errcode_t err = unix_io_manager->open(path, 0, &j->io);

	j->external = !err;
	if (!err)
		err = io_channel_set_blksize(j->io, SUPERBLOCK_SIZE);
	if (!err)
		err = io_channel_read_blk64(j->io, SUPERBLOCK_OFFSET / SUPERBLOCK_SIZE,
					    -SUPERBLOCK_SIZE, sb);
	if (!err)
		err = io_channel_set_blksize(j->io, vol->block_size);
	return err ? bfo_fail(ctx, err, "opening journal %s", path) : 0;
}

/* Opens the device SPEC; *FOUND: it holds the journal of VOL. */
static errcode_t try_device(struct bfo_context *ctx, const struct bfo_volume *vol, const char *spec,
			    struct bfo_journal *j, int *found)
{
	struct ext2_super_block sb;
	char *path, *options;
	uint64_t offset;
	errcode_t err = bfo_store_resolve(ctx, spec, &path, &options);

	*found = 0;
	if (err)
		return err;
	err = options ? bfo_fail(ctx, EINVAL, "opening journal %s: it is a whole device or file",
				 spec) : 0;
	if (!err)
		err = bfo_store_locate(ctx, spec, path, NULL, 0, &offset, &j->store);
	bfo_users_init(&j->users, spec, path, 0);
	if (!err)
		err = bfo_users_begin(ctx, &j->users, &j->store, 0);
	if (!err)
		err = bfo_users_check(ctx, &j->users, &j->store, NULL, 0);
	if (!err)
		err = read_device(ctx, vol, path, j, &sb);
	free(path);
	free(options);
	if (!err && is_the_one(vol, &sb)) {
		take_device(vol, &sb, j);
		*found = 1;
	}
	return err;
}

static void close_device(struct bfo_journal *j)
{
	if (j->external)
		io_channel_close(j->io);
	bfo_users_end(&j->users);
	j->external = 0;
	j->io = NULL;
}

/* By the UUID: libblkid knows the devices, USE may name others. */
static errcode_t open_external(struct bfo_context *ctx, const struct bfo_volume *vol,
			       const struct bfo_journal_use *use, struct bfo_journal *j)
{
	char tag[sizeof("UUID=") + BFO_UUID_TEXT_BYTES] = "UUID=";
	const char *const searched[] = { tag };
	const char *const *devices = use->n_devices ? use->devices : searched;
	size_t n = use->n_devices ? use->n_devices : 1, i;
	errcode_t err = bfo_vec_reserve(&j->runs, 1);
	int found = 0;

	bfo_text_uuid(vol->fs->super->s_journal_uuid, tag + strlen(tag));
	for (i = 0; i < n && !err && !found; i++) {
		close_device(j);
		err = try_device(ctx, vol, devices[i], j, &found);
	}
	if (err == BFO_ET_NO_DEVICE && !use->n_devices)
		return bfo_fail(ctx, BFO_ET_NO_JOURNAL, "looking for the journal of %s (%s); "
				"--journal=DEVICE says where it is", vol->spec, tag);
	if (!err && !found)
		err = bfo_fail(ctx, BFO_ET_NO_JOURNAL, "looking for the journal of %s: it has %s, "
			       "%s has not", vol->spec, tag, devices[n - 1]);
	return err;
}

errcode_t bfo_journal_open(struct bfo_context *ctx, struct bfo_volume *vol,
			   const struct bfo_journal_use *use, struct bfo_journal *j)
{
	struct ext2_super_block *sb = vol->fs->super;
	errcode_t err;

	j->spec = vol->spec;
	j->block_size = vol->block_size;
	j->to_write = vol->device.writable;
	if (!ext2fs_has_feature_journal(sb))
		return damaged(ctx, j, "there is none");
	err = sb->s_journal_inum ? open_internal(ctx, vol, j) : open_external(ctx, vol, use, j);
	return err ? err : read_super(ctx, j);
}

static errcode_t read_place(const struct bfo_journal *j, uint64_t blk, void *buf)
{
	if (j->vol && j->vol->device.fd >= 0 && !j->vol->device.writable)
		return bfo_media_read_place(j->vol, blk, buf);
	/* while a filesystem is being opened, its channel still has blocks of another size */
	return io_channel_read_blk64(j->io, blk * (j->block_size / j->io->block_size),
				     -(int) j->block_size, buf);
}

errcode_t bfo_journal_read(struct bfo_context *ctx, const struct bfo_journal *j, uint32_t at,
			   void *buf)
{
	errcode_t err = read_place(j, bfo_map_find(&j->runs, at), buf);

	if (bfo_media_is_error(err))
		return bfo_fail(ctx, BFO_ET_JOURNAL_UNREAD, "reading block %u of the journal of %s "
				"(%s); see --ignore-journal", at, j->spec, bfo_error_text(err));
	return err ? bfo_fail(ctx, err, "reading block %u of the journal of %s", at, j->spec) : 0;
}

void bfo_journal_close(struct bfo_journal *j)
{
	close_device(j);
	bfo_vec_free(&j->runs);
}
