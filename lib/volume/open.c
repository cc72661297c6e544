// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * open.c - opening and closing a volume
 *
 * P1: a source is opened without EXT2_FLAG_RW, so that its descriptor cannot write.  Who else uses
 * it is the business of users.c.  The channel's own cache is switched off: every read is one
 * pread(2) of the size that the caller chose.
 *
 * A target with multiple mount protection is claimed before its bitmaps are read: that is the one
 * write that comes before the decisions (P2), and closing it the one that comes after a failure.
 * Of a source the MMP block is only read.
 *
 * A source whose journal needs recovery is opened twice: as it stands, to read the journal; then,
 * superblock, descriptors and all, through the overlay that shows it replayed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "base/bfo_err.h"
#include "base/range.h"
#include "volume/backup.h"
#include "volume/gate.h"
#include "volume/mmp.h"
#include "volume/open.h"
#include "volume/paced.h"
#include "device/probe.h"
#include "volume/recovery.h"
#include "device/store.h"

static errcode_t open_once(struct bfo_context *ctx, struct bfo_volume *vol, const char *options,
			   int flags, io_manager io)
{
	const struct bfo_media_options *m = &vol->media.opt;
	errcode_t err = vol->recovery ? 0 : bfo_media_prepare(ctx, vol, io);

	return err ? err
		   : ext2fs_open2(vol->device.path, options, flags, m->superblock, m->block_size,
				  io, &vol->fs);
}

/* Where a backup's block lies depends on the size of blocks: if it is not known, all are tried. */
static errcode_t open_backup(struct bfo_context *ctx, struct bfo_volume *vol, int flags,
			     io_manager io)
{
	struct bfo_media_options *m = &vol->media.opt;
	uint32_t size = m->block_size ? m->block_size : EXT2_MIN_BLOCK_SIZE;
	uint32_t last = m->block_size ? m->block_size : EXT2_MAX_BLOCK_SIZE;
	errcode_t err = EXT2_ET_BAD_MAGIC;

	for (; err && size <= last; size *= 2) {
		m->block_size = size;
		err = open_once(ctx, vol, vol->options, flags, io);
	}
	return err ? bfo_fail(ctx, err == EXT2_ET_SHORT_READ ? EXT2_ET_BAD_MAGIC : err,
			      "opening %s by the superblock at block %llu", vol->spec,
			      (unsigned long long) m->superblock) : 0;
}

/* No filesystem, or the beginning of one: without its group descriptors nothing can be read. */
static errcode_t explain_short_read(struct bfo_context *ctx, struct bfo_volume *vol, io_manager io)
{
	unsigned long long missing;
	ext2_filsys fs;

	if (vol->recovery || bfo_media_open_super(vol, io, &fs))
		return bfo_probe_complain(ctx, vol->spec, vol->device.path, vol->offset,
					  vol->store.size);
	vol->block_size = fs->blocksize;
	vol->blocks = ext2fs_blocks_count(fs->super);
	ext2fs_free(fs);
	missing = bfo_media_missing(vol);
	return bfo_fail(ctx, BFO_ET_TRUNCATED,
			"opening %s: it ends before its group descriptors do; "
			"it has %llu bytes, its filesystem needs %llu more",
			vol->spec, (unsigned long long) vol->store.size, missing);
}

/* libext2fs says EPERM of a device that was set read-only, as of a file that is immutable. */
static errcode_t explain_refusal(const struct bfo_volume *vol)
{
	int fd = open(vol->device.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), read_only = 0;

	if (fd < 0)
		return EPERM;
	if (ioctl(fd, BLKROGET, &read_only))
		read_only = 0;
	close(fd);
	return read_only ? EROFS : EPERM;
}

static errcode_t open_fs(struct bfo_context *ctx, struct bfo_volume *vol, const char *options,
			 io_manager io)
{
	int flags = EXT2_FLAG_64BITS | EXT2_FLAG_FORCE | EXT2_FLAG_JOURNAL_DEV_OK |
		    EXT2_FLAG_SKIP_MMP;
	errcode_t err;

	if (vol->device.writable)
		flags |= EXT2_FLAG_RW;
	io = io ? io : unix_io_manager;
	err = vol->media.opt.superblock ? open_backup(ctx, vol, flags, io)
					: open_once(ctx, vol, options, flags, io);
	if (err && (vol->media.opt.superblock || err == BFO_ET_JOURNAL_UNREAD ||
		    (err == BFO_ET_NOT_RESCUED && !vol->recovery)))
		return err;
	if (err == EXT2_ET_BAD_MAGIC)
		return bfo_probe_complain(ctx, vol->spec, vol->device.path, vol->offset,
					  vol->store.size);
	if (err == EXT2_ET_SHORT_READ)
		return explain_short_read(ctx, vol, io);
	if (err)
		return bfo_fail(ctx, err == EPERM ? explain_refusal(vol) : err, "opening %s",
				vol->spec);
	io_channel_set_options(vol->fs->io, "cache=off");
	vol->block_size = vol->fs->blocksize;
	vol->inode_size = EXT2_INODE_SIZE(vol->fs->super);
	vol->blocks = ext2fs_blocks_count(vol->fs->super);
	vol->csum_seed = vol->fs->csum_seed;
	vol->has_csum = ext2fs_has_feature_metadata_csum(vol->fs->super);
	bfo_paced_begin(vol);
	return bfo_media_begin(vol);
}

/*
 * From what stood behind '?' to what libext2fs's unix_io knows.  Without options libext2fs would
 * look for some in the name, and find those of a file with a '?' in its name.
 */
static errcode_t tell_unix_io(struct bfo_volume *vol)
{
	if (!vol->options && !strchr(vol->device.path, '?'))
		return 0;
	free(vol->options);
	if (asprintf(&vol->options, "offset=%llu", (unsigned long long) vol->offset) >= 0)
		return 0;
	vol->options = NULL;
	return ENOMEM;
}

/* Once more, with what the journal has put over it. */
static errcode_t open_replayed(struct bfo_context *ctx, struct bfo_volume *vol)
{
	uint32_t block_size = vol->block_size;
	ext2_filsys raw = vol->fs;
	char option[64];
	errcode_t err;

	snprintf(option, sizeof(option), BFO_OVERLAY_OPTION, (void *) &vol->recovery->overlay);
	vol->fs = NULL;
	err = open_fs(ctx, vol, option, bfo_overlay_manager);
	ext2fs_free(raw);	/* its channel stays, below the overlay */
	if (!err && vol->block_size != block_size)
		err = bfo_fail(ctx, BFO_ET_JOURNAL, "opening %s: its journal has a superblock "
			       "of another block size", vol->spec);
	if (!err)
		err = bfo_media_excuse_replayed(vol);
	return err ? err : bfo_gate_features(ctx, vol);
}

/* USE: what is done about a journal that needs recovery. */
static errcode_t recover(struct bfo_context *ctx, struct bfo_volume *vol, int how,
			 const struct bfo_journal_use *use)
{
	errcode_t err;

	if (how & BFO_OPEN_RECOVER)
		return bfo_recovery_read(ctx, vol, use);
	if (vol->device.writable || !ext2fs_has_feature_journal_needs_recovery(vol->fs->super) ||
	    (vol->media.opt.superblock && !use->ignore))
		return bfo_gate_recovery(ctx, vol);
	vol->unrecovered = use->ignore;
	if (use->ignore)
		return 0;
	err = bfo_recovery_read(ctx, vol, use);
	return err || !vol->recovery->replay.blocks.n ? err : open_replayed(ctx, vol);
}

/* A backup of the superblock does not say that the journal needs recovery. */
static errcode_t check_backup(struct bfo_context *ctx, struct bfo_volume *vol,
			      const struct bfo_journal_use *use)
{
	errcode_t err = bfo_backup_check_journal(ctx, vol);

	if (err != BFO_ET_RECOVERY || !use->ignore)
		return err;
	vol->unrecovered = 1;
	return 0;
}

/* The library goes to and fro between the bitmaps of blocks and those of inodes, block by block. */
static errcode_t ask_for_bitmaps(struct bfo_volume *vol)
{
	bfo_ranges all = { 0 };
	errcode_t err = bfo_vec_reserve(&all, 2 * (size_t) vol->fs->group_desc_count);
	dgrp_t g;
	size_t i;

	if (err)
		return err;
	for (g = 0; g < vol->fs->group_desc_count; g++) {
		uint64_t blocks = ext2fs_block_bitmap_loc(vol->fs, g);
		uint64_t inodes = ext2fs_inode_bitmap_loc(vol->fs, g);

		if (!ext2fs_bg_flags_test(vol->fs, g, EXT2_BG_BLOCK_UNINIT))
			all.v[all.n++] = (struct bfo_range) { .start = blocks, .len = 1 };
		if (!ext2fs_bg_flags_test(vol->fs, g, EXT2_BG_INODE_UNINIT))
			all.v[all.n++] = (struct bfo_range) { .start = inodes, .len = 1 };
	}
	bfo_ranges_settle(&all);
	for (i = 0; i < all.n; i++)
		bfo_volume_ask_for(vol, all.v[i].start, all.v[i].len);
	bfo_vec_free(&all);
	return 0;
}

static errcode_t read_bitmaps(struct bfo_context *ctx, struct bfo_volume *vol)
{
	errcode_t err = ask_for_bitmaps(vol);

	if (err)
		return err;
	vol->fs->default_bitmap_type = EXT2FS_BMAP64_RBTREE;
	err = ext2fs_read_bitmaps(vol->fs);
	return err ? bfo_fail(ctx, err, "reading the bitmaps of %s; please run e2fsck -f %s first",
			      vol->spec, vol->spec) : 0;
}

/* Everything that may be wrong with a filesystem that could be opened. */
static errcode_t pass_gates(struct bfo_context *ctx, struct bfo_volume *vol, int how,
			    const struct bfo_journal_use *use)
{
	struct bfo_store store = bfo_volume_store(vol);
	errcode_t err;

	/* a backup of the superblock does not say when it was written */
	err = how & BFO_OPEN_SCRATCH ? 0 :
	      bfo_users_check(ctx, &vol->users, &store,
			      vol->media.opt.superblock ? NULL : vol->fs->super,
			      how & BFO_OPEN_LOCKED);
	if (!err)
		err = bfo_gate_features(ctx, vol);
	if (!err && !(how & BFO_OPEN_SCRATCH) && !vol->users.moving)
		err = bfo_mmp_check(ctx, vol);
	if (!err && !vol->users.moving)
		err = recover(ctx, vol, how, use);
	if (how & BFO_OPEN_RECOVER)
		return err;
	if (!err)
		err = bfo_gate_intact(ctx, vol);
	if (!err)
		err = check_backup(ctx, vol, use);
	if (err || !vol->device.writable)
		return err;
	err = bfo_gate_healthy(ctx, vol, how);
	if (!err && !(how & (BFO_OPEN_SCRATCH | BFO_OPEN_LOOK)))
		err = bfo_mmp_claim(ctx, vol);
	if (err)
		return err;
	return read_bitmaps(ctx, vol);
}

/* How that is to be done; see open.h. */
struct opening {
	int how;
	struct bfo_journal_use use;
	const struct bfo_media_options *media;
	struct bfo_volume *beside;
	io_manager io;
	int tries;		/* there were */
};

static errcode_t open_any(struct bfo_context *ctx, const char *spec, struct opening *o,
			  struct bfo_volume **out)
{
	struct bfo_volume *vol = calloc(1, sizeof(*vol));
	int how = o->how, again;
	errcode_t err;

	*out = NULL;
	if (!vol)
		return ENOMEM;
	vol->device.writable = !!(how & BFO_OPEN_TARGET);
	vol->device.pace = vol->device.writable ? NULL : ctx->pace;
	vol->device.fd = -1;
	if (o->media)
		vol->media.opt = *o->media;
	vol->spec = strdup(how & BFO_OPEN_SCRATCH ? "a scratch file like the target" : spec);
	err = vol->spec ? 0 : ENOMEM;
	if (!err)
		err = bfo_store_resolve(ctx, spec, &vol->device.path, &vol->options);
	if (!err)
		err = bfo_store_locate(ctx, spec, vol->device.path, vol->options,
				       vol->device.writable, &vol->offset, &vol->store);
	if (!err && vol->offset && !vol->store.size)
		err = bfo_fail(ctx, BFO_ET_TRUNCATED,
			       "opening %s: %s ends before byte %llu, where it "
			       "begins",
			       vol->spec, vol->device.path, (unsigned long long) vol->offset);
	if (!err)
		err = tell_unix_io(vol);
	bfo_users_init(&vol->users, vol->spec, vol->device.path, vol->device.writable);
	vol->users.beside = o->beside ? &o->beside->users : NULL;
	vol->users.may_move = !!(how & BFO_OPEN_MOVING);
	if (!err && !(how & BFO_OPEN_SCRATCH))
		err = bfo_users_begin(ctx, &vol->users, &vol->store, how & BFO_OPEN_LOCKED);
	if (!err)
		err = open_fs(ctx, vol, vol->options, o->io);
	if (!err && !o->io && vol->device.fd < 0)
		vol->device.fd = open(vol->device.path, O_RDONLY | O_CLOEXEC);
	if (!err)
		err = pass_gates(ctx, vol, how, &o->use);
	if (!err)
		err = bfo_media_note_opening(ctx, vol);
	if (!err)
		*out = vol;
	again = err == BFO_ET_DAMAGED && bfo_users_again(vol, &o->tries);
	if (err)
		bfo_volume_close(vol);
	return again ? open_any(ctx, spec, o, out) : err;
}

errcode_t bfo_volume_open(struct bfo_context *ctx, const char *spec, int how, io_manager io,
			  struct bfo_volume **out)
{
	struct opening o = { .how = how, .io = io };

	return open_any(ctx, spec, &o, out);
}

errcode_t bfo_volume_open_beside(struct bfo_context *ctx, const char *spec, int how,
				 struct bfo_volume *beside, struct bfo_volume **out)
{
	struct opening o = { .how = how, .beside = beside };

	return open_any(ctx, spec, &o, out);
}

errcode_t bfo_volume_open_source(struct bfo_context *ctx, const char *spec, int how,
				 const struct bfo_journal_use *use,
				 const struct bfo_media_options *media, struct bfo_volume *beside,
				 io_manager io, struct bfo_volume **out)
{
	struct opening o = { .how = how, .media = media, .beside = beside, .io = io };

	if (use)
		o.use = *use;
	return open_any(ctx, spec, &o, out);
}

void bfo_volume_close(struct bfo_volume *vol)
{
	if (!vol)
		return;
	if (vol->fs) {
		bfo_mmp_release(vol);
		ext2fs_free(vol->fs);	/* not ext2fs_close(): that one may write */
	}
	bfo_recovery_free(vol->recovery);
	if (vol->device.fd >= 0)
		close(vol->device.fd);
	bfo_direct_close(&vol->device);
	bfo_media_free(&vol->media);
	bfo_users_end(&vol->users);
	free(vol->spec);
	free(vol->device.path);
	free(vol->options);
	free(vol);
}
