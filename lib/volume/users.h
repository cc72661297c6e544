/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * users.h - who else uses the bytes of a volume
 *
 * Before anything is read a block device is locked, and opened exclusively, so that nothing mounts
 * it; then, once it is known which bytes are the filesystem's, everybody is looked for who uses
 * them by whatever name: mounts in all namespaces, loop devices on an image file.  Image files are
 * locked as well (device/lock.h).
 *
 * A target must be nobody else's.  A source may be read by several, and may be mounted, as long as
 * the kernel cannot write to it; that this has stayed so is asked once more when all was read.  Who
 * only looks may do so while the kernel writes: by the device that is mounted, whose cache has the
 * kernel's own metadata, newer than the disk and than the journal.
 */
#ifndef BFO_VOLUME_USERS_H
#define BFO_VOLUME_USERS_H

#include <stdint.h>

#include "base/context.h"

struct bfo_volume;
struct bfo_store;
struct ext2_super_block;

/* What the kernel changes when it mounts a filesystem to write to it, or replays its journal. */
struct bfo_users_mark {
	uint64_t wtime, mtime;		/* seconds */
	uint32_t mounts, incompat;
};

struct bfo_users {
	const char *name, *path;	/* the caller's: for messages, and of the device or file */
	int write;			/* it is to be written */
	/*
	 * Who may have another part of the device, in this process: the two share what keeps
	 * others from it; or NULL.
	 */
	struct bfo_users *beside;
	int fd;				/* on the block device; -1 of a file */
	int alone;			/* that is exclusive: nothing can mount the device */
	int lock;			/* on an image file, or -1 */
	/* a source that may be mounted read-write, too: it is only looked at */
	int may_move;
	int mounted;			/* read-only; */
	int moving;			/* read-write */
	int is_marked;
	struct bfo_users_mark mark;	/* of the superblock as it was when it was opened */
};

void bfo_users_init(struct bfo_users *u, const char *name, const char *path, int write);

/*
 * Before anything is read: takes the device, of which S are the bytes to be used.  LOCKED: the
 * caller has its lock (bfo_users_lock()).
 */
errcode_t bfo_users_begin(struct bfo_context *ctx, struct bfo_users *u, const struct bfo_store *s,
			  int locked);

/*
 * Then, when it is known that S are the bytes, and what its superblock SB says (NULL: it does not
 * say when it was written): refuses what others use in a way that it cannot be used beside.
 */
errcode_t bfo_users_check(struct bfo_context *ctx, struct bfo_users *u, const struct bfo_store *s,
			  const struct ext2_super_block *sb, int locked);

/* At the end: BFO_ET_CHANGED if somebody may have written to source VOL since it was opened. */
errcode_t bfo_users_check_again(struct bfo_context *ctx, struct bfo_volume *vol);

/* Refuses bytes S that anybody uses: BFO_ET_MOUNTED, BFO_ET_BUSY. */
errcode_t bfo_users_refuse(struct bfo_context *ctx, const struct bfo_users *u,
			   const struct bfo_store *s);

/*
 * What looks damaged in VOL: is it to be read again?  Of one that is moving it is, three times, 100
 * ms apart (which have passed then); *TRIES is 0 at first.
 */
int bfo_users_again(const struct bfo_volume *vol, int *tries);

/*
 * Before mke2fs(8) is at the bytes of U, who has locked them: what U and u->beside share keeps it
 * from the device no longer.  The lock stays.
 */
errcode_t bfo_users_lend(struct bfo_context *ctx, struct bfo_users *u);

/* Locks them, but takes nothing that would keep mke2fs(8) from it. */
errcode_t bfo_users_lock(struct bfo_context *ctx, struct bfo_users *u, const struct bfo_store *s);

void bfo_users_end(struct bfo_users *u);

#endif
