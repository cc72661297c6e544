/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.h - what a name stands for: tags, options, loop devices, partitions
 */
#ifndef BFO_VOLUME_STORE_H
#define BFO_VOLUME_STORE_H

#include "base/context.h"
#include "volume/volume.h"

/*
 * Splits SPEC into PATH (libblkid's answer for TAG=VALUE) and OPTIONS (behind the first '?',
 * NULL if there are none); both malloc'ed.
 */
errcode_t bfo_store_resolve(struct bfo_context *ctx, const char *spec, char **path,
			    char **options);

/*
 * Finds the bytes that PATH stands for, OFFSET bytes into it: looks through partitions and loop
 * devices down to the disk or file that holds them.
 */
errcode_t bfo_store_identify(struct bfo_context *ctx, const char *path, uint64_t offset,
			     struct bfo_store *store);

/* True if two stores share bytes. */
int bfo_store_overlap(const struct bfo_store *a, const struct bfo_store *b);

#endif
