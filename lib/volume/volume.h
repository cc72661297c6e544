/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * volume.h - an ext2/3/4 filesystem on a block device or in an image file
 *
 * The library reads through bfo_volume_read() and its kin, and writes through commit/ alone.
 */
#ifndef BFO_VOLUME_VOLUME_H
#define BFO_VOLUME_VOLUME_H

#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <ext2fs/ext2fs.h>

#include "base/context.h"
#include "base/pace.h"
#include "device/direct.h"
#include "device/store.h"
#include "volume/media.h"
#include "volume/users.h"

struct bfo_volume {
	ext2_filsys fs;
	char *spec;		/* as the user named it: for messages */
	struct bfo_device device;	/* or file, without ?options */
	char *options;		/* for the I/O manager, if something stood behind '?'; or NULL */
	uint64_t offset;	/* bytes into path, from the options */
	struct bfo_store store;
	uint32_t block_size;	/* bytes */
	uint32_t inode_size;	/* bytes */
	uint64_t blocks;	/* of the filesystem */
	uint32_t csum_seed;
	int has_csum;		/* metadata_csum */
	int claimed;		/* its MMP block says that we have it */
	struct bfo_recovery *recovery;	/* its journal, if that had to be read; or NULL */
	int unrecovered;	/* its journal should have been read, but was to be ignored */
	struct bfo_users users;
	struct bfo_media media;
	io_manager unpaced;	/* what its channel has without that, */
	struct struct_io_manager paced;	/* and with it (volume/paced.h) */
};

/* The bytes of the filesystem alone: what it lies on may go on behind it, or end before it does. */
struct bfo_store bfo_volume_store(const struct bfo_volume *vol);

/* True if VOL, or the external journal that is read for it, shares bytes with S. */
int bfo_volume_lies_on(const struct bfo_volume *vol, const struct bfo_store *s);

/* Refuses two volumes that share bytes, and a journal of one on the other. */
errcode_t bfo_volume_distinct(struct bfo_context *ctx, const struct bfo_volume *a,
			      const struct bfo_volume *b);

/* True of two volumes on one disk, or in one image file, as its partitions are. */
int bfo_volume_is_beside(const struct bfo_volume *a, const struct bfo_volume *b);

/* Blocks that one request may ask for: what the volume's pace lets through at once. */
uint32_t bfo_volume_most(const struct bfo_volume *vol);

/*
 * Reads COUNT blocks from block BLK into BUF, in one request if bfo_volume_most() permits;
 * bfo_media_why(), without asking, if one of them is known to be bad.
 */
errcode_t bfo_volume_read(struct bfo_context *ctx, struct bfo_volume *vol, uint64_t blk,
			  uint32_t count, void *buf);

/* True if bfo_volume_scatter() is worth a try. */
int bfo_volume_can_scatter(const struct bfo_volume *vol, uint64_t blk, uint32_t count);

/*
 * Reads COUNT blocks from block BLK into the N pieces of IOV, which have as many bytes together.
 * Returns 0 if that has failed, or cannot be done in one request: then read with bfo_volume_read().
 */
int bfo_volume_scatter(struct bfo_volume *vol, uint64_t blk, uint32_t count,
		       const struct iovec *iov, int n);

/*
 * The same around the page cache, where the volume is to be read so (device/direct.h); EINVAL,
 * without a word of why, where not.
 */
errcode_t bfo_volume_direct(struct bfo_context *ctx, struct bfo_volume *vol, uint64_t blk,
			    uint32_t count, const struct iovec *iov, int n);

/* False of a device that says it has no moving parts (BLKROTATIONAL). */
int bfo_volume_seeks(const struct bfo_volume *vol);

/* Hints that COUNT blocks from BLK on will be read. */
void bfo_volume_ask_for(struct bfo_volume *vol, uint64_t blk, uint64_t count);

/* Hints that COUNT written blocks from BLK should begin their way to the device. */
void bfo_volume_write_back(struct bfo_volume *vol, uint64_t blk, uint32_t count);

/* True if COUNT > 0 blocks from BLK lie inside the filesystem. */
int bfo_volume_contains(const struct bfo_volume *vol, uint64_t blk, uint64_t count);

/*
 * Brings COUNT blocks from BLK on into the page cache, as they stand there, whatever a journal has
 * for them, by way of BUF, which has room for them.  0 if that could not be done for all.
 */
int bfo_volume_fetch(struct bfo_volume *vol, uint64_t blk, uint32_t count, void *buf);

/* The page cache need not keep them any more. */
void bfo_volume_forget(struct bfo_volume *vol, uint64_t blk, uint32_t count);

/* The hash of directory names: version with the signedness of the superblock's flags. */
int bfo_volume_hash_version(const struct bfo_volume *vol);

/* The block of the inode tables in which inode INO stands; *BYTE is where it begins there. */
uint64_t bfo_volume_inode_block(const struct bfo_volume *vol, ext2_ino_t ino, uint32_t *byte);

/* Inodes of GROUP that may be in use: those before bg_itable_unused. */
uint32_t bfo_volume_group_used(const struct bfo_volume *vol, dgrp_t group);

/*
 * True if e2fsck has checked it, or mke2fs made it, since it was last mounted for writing.  (The
 * mount count tells where a mount came in the same second.)
 */
int bfo_volume_is_checked(const struct bfo_volume *vol);

/*
 * True if there is more than what mke2fs makes: reserved inodes, lost+found, the filesystem's own.
 */
int bfo_volume_holds_files(const struct bfo_volume *vol);

/* True for numbers that belong to the filesystem itself (journal, quota, orphan file ...). */
int bfo_volume_is_system_inode(const struct bfo_volume *vol, ext2_ino_t ino);

#endif
