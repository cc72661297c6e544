/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mounts.h - which bytes the kernel has mounted, and how: mountinfo of proc(5)
 */
#ifndef BFO_DEVICE_MOUNTS_H
#define BFO_DEVICE_MOUNTS_H

#include "base/vec.h"
#include "device/store.h"

/* A mounted filesystem; several mounts of one are one. */
struct bfo_mount {
	dev_t dev;
	int read_only;		/* the filesystem itself, not just a place where it can be seen */
	int unreplayed;		/* its journal was left alone (noload) */
	int process;		/* one that sees it, where this one does not; 0: this one does */
};

typedef BFO_VEC(struct bfo_mount) bfo_mounts;

/*
 * Appends to MOUNTS those that share bytes with S: of this mount namespace, and (EVERYWHERE) of all
 * that some process is in.  Returns 0 or an errno.
 */
errcode_t bfo_mounts_find(const struct bfo_store *s, int everywhere, bfo_mounts *mounts);

/* True if NAME is among OPTIONS, words with commas between them. */
int bfo_mount_has_option(const char *options, const char *name);

#endif
