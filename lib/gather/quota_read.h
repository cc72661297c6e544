/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quota_read.h - the hidden quota files of a volume, as bytes
 *
 * The feature `quota` keeps usage and limits in files of the filesystem itself; what they say is
 * plan/quota.h's business.
 */
#ifndef BFO_GATHER_QUOTA_READ_H
#define BFO_GATHER_QUOTA_READ_H

#include "base/range.h"
#include "volume/volume.h"

#define BFO_QUOTA_FILES 3	/* user, group, project: as enum bfo_quota_type counts */

struct bfo_quota_file {
	uint32_t ino;		/* 0: the volume has no such file */
	uint32_t generation;
	void *data;		/* SIZE bytes */
	uint64_t size;
	bfo_ranges blocks;	/* its own, data and map, whole clusters, in the file's order */
};

/*
 * Reads all quota files of VOL, of which there are none without the feature; FILES is overwritten.
 * Returns BFO_ET_DAMAGED if one cannot be read or is longer than the format can be, or ENOMEM;
 * the caller frees in any case.
 */
errcode_t bfo_quota_files_read(struct bfo_context *ctx, const struct bfo_volume *vol,
			       struct bfo_quota_file files[BFO_QUOTA_FILES]);
void bfo_quota_files_free(struct bfo_quota_file files[BFO_QUOTA_FILES]);

#endif
