/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mmp.h - multiple mount protection: a block that says which host has a filesystem
 *
 * Format: kernel Documentation/filesystems/ext4/mmp.rst.  A number in it is CLEAN when nobody has
 * the filesystem, changes every few seconds while it is mounted, and is FSCK while a program works
 * on it: then kernels and programs of other hosts refuse it at once.
 */
#ifndef BFO_VOLUME_MMP_H
#define BFO_VOLUME_MMP_H

#include "volume/volume.h"

/*
 * Refuses a volume with the feature mmp (of others nothing is asked) unless the block says CLEAN:
 * BFO_ET_BUSY.  Reads past the page cache.
 */
errcode_t bfo_mmp_check(struct bfo_context *ctx, const struct bfo_volume *vol);

/* Claims a writable volume, which takes some seconds, until bfo_mmp_release(). */
errcode_t bfo_mmp_claim(struct bfo_context *ctx, struct bfo_volume *vol);

/* Returns BFO_ET_BUSY if somebody else has written to the block meanwhile. */
errcode_t bfo_mmp_confirm(struct bfo_context *ctx, struct bfo_volume *vol);

/*
 * Says CLEAN again if the volume was claimed, unless somebody else has written to the block; the
 * volume is about to be closed.
 */
void bfo_mmp_release(struct bfo_volume *vol);

#endif
