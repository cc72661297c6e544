/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.h - what a name stands for: tags, options, loop devices, partitions
 */
#ifndef BFO_VOLUME_STORE_H
#define BFO_VOLUME_STORE_H

#include "base/context.h"
#include "volume/volume.h"

/*
 * Takes SPEC (volume/spec.h) apart: PATH (libblkid's answer for TAG=VALUE) and OPTIONS (NULL if there are
 * none); both malloc'ed.
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

/*
 * Refuses what others use: BFO_ET_MOUNTED if a mounted filesystem, whatever it is mounted from, shares
 * bytes with S (a partition of a loop device over the file, for example, which libext2fs does not
 * see), BFO_ET_BUSY if a loop device that does is open exclusively, as it is where another mount
 * namespace has it mounted.  PATH leads to S, and loop devices on the way there do not count.  NAME is
 * for the message.
 */
errcode_t bfo_store_unused(struct bfo_context *ctx, const char *name, const char *path,
			   const struct bfo_store *s);

/* True if two stores share bytes. */
int bfo_store_overlap(const struct bfo_store *a, const struct bfo_store *b);

#endif
