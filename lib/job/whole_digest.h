/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whole_digest.h - the SHA-256 of all that a source lies on: a device or a file, from end to end
 */
#ifndef BFO_JOB_WHOLE_DIGEST_H
#define BFO_JOB_WHOLE_DIGEST_H

#include "base/hasher.h"
#include "volume/volume.h"

/* Zeroed, it is not known. */
struct bfo_whole_digest {
	uint64_t bytes;
	struct bfo_sums sums;
};

/*
 * Of the device or file in which VOL is, also of what is before and behind it.  Errors: ENOMEM,
 * those of reading and of digests, BFO_ET_CANCELLED.
 */
errcode_t bfo_whole_digest(struct bfo_context *ctx, struct bfo_volume *vol,
			   struct bfo_whole_digest *whole);

#endif
