// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stem.c - what is made here, in memory, to its place in the stem
 */
#include "commit/stem.h"

#define WRITE_BYTES (4U << 20)		/* longest write */

errcode_t bfo_stem_write(const struct bfo_plan *plan, struct bfo_writer *w, uint64_t stem,
			 uint64_t blocks, const void *data)
{
	uint32_t bs = plan->target->block_size;
	const char *at = data;
	errcode_t err = 0;
	uint64_t blk, n;

	for (; blocks && !err; stem += n, blocks -= n, at += n * bs) {
		blk = bfo_plan_block(plan, stem, &n);
		if (n > blocks)
			n = blocks;
		if (n > WRITE_BYTES / bs)
			n = WRITE_BYTES / bs;
		err = bfo_writer_write(w, blk, n, at);
	}
	return err;
}
