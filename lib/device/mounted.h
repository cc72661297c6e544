/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mounted.h - a filesystem that is mounted for writing, and its root directory
 *
 *   name ── device number ── mountinfo ── a mount of its root, for writing ── descriptor
 *
 * The name is a mount point, or the device.  Of several mounts the first is taken that shows the
 * root: mounts of directories below it, those that are read-only, and those that something else is
 * mounted over are passed by.
 */
#ifndef BFO_DEVICE_MOUNTED_H
#define BFO_DEVICE_MOUNTED_H

#include <sys/types.h>

#include "base/context.h"

struct bfo_mounted {
	dev_t dev;
	char *device;		/* the path of it */
	char *where;		/* the mount point */
	int root;		/* descriptor of the root directory, open for reading */
};

/*
 * Finds what NAME stands for: a mount point, a device, TAG=VALUE.  Release M with
 * bfo_mounted_free(), also after an error: EINVAL (it is none of these), BFO_ET_NO_DEVICE (not
 * mounted here), BFO_ET_NOT_EXT, EXDEV (only directories below the root are), EROFS, those of
 * open(2).
 */
errcode_t bfo_mounted_find(struct bfo_context *ctx, const char *name, struct bfo_mounted *m);
void bfo_mounted_free(struct bfo_mounted *m);

#endif
