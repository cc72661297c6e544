/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.h - what libblkid recognises in a device, a file, or a part of one
 */
#ifndef BFO_DEVICE_PROBE_H
#define BFO_DEVICE_PROBE_H

#include "base/context.h"
#include "device/store.h"

struct bfo_probe {
	int several;		/* contradictory things: nothing below is known */
	char type[32];		/* libblkid's name of a filesystem, RAID, swap ...; or empty */
	char table[16];		/* its name of a partition table; or empty */
	unsigned int partitions;	/* in the table */
	char text[320];		/* all of it for people, with label and UUID; or empty */
};

/* Looks at SIZE bytes (0: all there are) at OFFSET of PATH. */
errcode_t bfo_probe_read(struct bfo_context *ctx, const char *path, uint64_t offset,
			 uint64_t size, struct bfo_probe *probe);

/*
 * Says of SIZE bytes at OFFSET of PATH, which users call SPEC and which have no ext2, ext3 or ext4
 * filesystem, what they hold.  BFO_ET_NOT_EXT, or an error that asks which partition is meant.
 */
errcode_t bfo_probe_complain(struct bfo_context *ctx, const char *spec, const char *path,
			     uint64_t offset, uint64_t size);

/*
 * Refuses to write to what holds something else than an ext2, ext3 or ext4 filesystem; also if such
 * a filesystem seems to be there besides: in a disk with partitions, or a member of a RAID.  SPEC
 * is for messages; see bfo_store_resolve() for PATH and OPTIONS.
 */
errcode_t bfo_probe_target(struct bfo_context *ctx, const char *spec, const char *path,
			   const char *options);

#endif
