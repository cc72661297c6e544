/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.h - what a name stands for: tags, options, loop devices, partitions
 *
 * Errors: BFO_ET_NO_DEVICE if no device has a tag, EINVAL of options, ENOMEM; those of open(2).
 */
#ifndef BFO_DEVICE_STORE_H
#define BFO_DEVICE_STORE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/context.h"

/* Bytes of some storage, so that two names of the same bytes are recognised. */
struct bfo_store {
	dev_t dev;		/* filesystem of the image file, or the disk itself */
	ino_t ino;		/* inode of the image file; 0 for a disk */
	uint64_t start, size;	/* bytes */
};

/*
 * Takes SPEC (device/spec.h) apart: PATH (libblkid's answer for TAG=VALUE) and OPTIONS (NULL if
 * there are none); both malloc'ed.
 */
errcode_t bfo_store_resolve(struct bfo_context *ctx, const char *spec, char **path,
			    char **options);

/*
 * Finds the bytes that PATH stands for, OFFSET bytes into it: looks through partitions and loop
 * devices down to the disk or file that holds them.
 */
errcode_t bfo_store_identify(struct bfo_context *ctx, const char *path, uint64_t offset,
			     struct bfo_store *store);

/*
 * The same for PATH with OPTIONS (NULL, offset=BYTES or partition=N; SPEC is for messages): where
 * it begins in PATH is *OFFSET, and a partition's store ends with it.  WRITABLE: it is to be
 * written to, see bfo_partition_find().
 */
errcode_t bfo_store_locate(struct bfo_context *ctx, const char *spec, const char *path,
			   const char *options, int writable, uint64_t *offset,
			   struct bfo_store *store);

/* The same for a block device by its number; no bytes if there is no such device. */
errcode_t bfo_store_of_device(dev_t dev, struct bfo_store *store);

/* *IS_PART: block device DEV is WHOLE, or lies on it: a partition, a loop device. */
errcode_t bfo_store_is_part(dev_t dev, dev_t whole, int *is_part);

/*
 * Notes errno if that is a lack of memory or descriptors.  What is not there says something; what
 * there was no memory for does not, and must not pass for "not mounted".
 */
void bfo_store_note_lack(int *err);

/* True if two stores share bytes. */
int bfo_store_overlap(const struct bfo_store *a, const struct bfo_store *b);

#endif
