/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * users.h - who else uses the bytes of a volume
 *
 * Before anything is read a block device is opened exclusively, so that nothing mounts it; then, once
 * it is known which bytes are the filesystem's, everybody is looked for who uses them by whatever
 * name: mounts in all namespaces, loop devices on an image file.  Image files are locked as well
 * (volume/lock.h).
 *
 * A target must be nobody else's.  A source may be mounted, as long as the kernel cannot write to it;
 * that this has stayed so is asked once more when all was read.
 */
#ifndef BFO_VOLUME_USERS_H
#define BFO_VOLUME_USERS_H

#include <stdint.h>

#include "base/context.h"

struct bfo_volume;
struct bfo_store;

/* What the kernel changes when it mounts a filesystem to write to it, or replays its journal. */
struct bfo_users_mark {
	uint64_t wtime, mtime;		/* seconds */
	uint32_t mounts, incompat;
};

struct bfo_users {
	int fd;				/* on the block device; -1 of a file */
	int alone;			/* that is exclusive: nothing can mount the device */
	int lock;			/* on an image file, or -1 */
	int mounted;			/* read-only */
	int is_marked;
	struct bfo_users_mark mark;	/* of the superblock as it was when it was opened */
};

/* Before VOL is opened: takes the device. */
errcode_t bfo_users_begin(struct bfo_context *ctx, struct bfo_volume *vol);

/*
 * Once VOL is open: refuses it if others use its bytes in a way that it cannot be used beside.
 * LOCKED: the caller has its lock.
 */
errcode_t bfo_users_check(struct bfo_context *ctx, struct bfo_volume *vol, int locked);

/* At the end: BFO_ET_CHANGED if somebody may have written to source VOL since it was opened. */
errcode_t bfo_users_check_again(struct bfo_context *ctx, struct bfo_volume *vol);

void bfo_users_end(struct bfo_users *users);

/*
 * The same without a volume: refuses bytes S that anybody uses.  PATH leads to them; NAME is for the
 * message.  BFO_ET_MOUNTED, BFO_ET_BUSY.
 */
errcode_t bfo_users_refuse(struct bfo_context *ctx, const char *name, const char *path,
			   const struct bfo_store *s);

#endif
