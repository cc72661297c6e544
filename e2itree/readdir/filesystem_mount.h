/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filesystem_mount.h - where all of an ext2, ext3 or ext4 filesystem is mounted, by its number
 *
 * Asked of /proc/self/mountinfo: the way up from a directory ends at a bind mount, or at the root
 * of a chroot(2), and tells no device.
 */
#ifndef READDIR_FILESYSTEM_MOUNT_H
#define READDIR_FILESYSTEM_MOUNT_H

#include <sys/types.h>

struct filesystem_mount {
	int root;	/* descriptor of its root directory */
	int device;	/* of what it lies on; -1: not to be had */
};

#define FILESYSTEM_MOUNT_NONE { -1, -1 }

/* 0 if there is none that can be opened.  To be closed also then. */
int filesystem_mount_find(struct filesystem_mount *m, dev_t dev);
void filesystem_mount_close(struct filesystem_mount *m);

#endif
