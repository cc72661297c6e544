// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * quota_write.c - the target's new quota files
 */
#include <stdlib.h>

#include "commit/quota_write.h"
#include "plan/charge.h"

#define WRITE_BYTES (4U << 20)		/* longest write */

/* BLOCKS blocks at DATA to stem block STEM and following. */
static errcode_t write_stem(const struct bfo_plan *plan, struct bfo_writer *w, uint64_t stem,
			    uint64_t blocks, const char *data)
{
	uint32_t bs = plan->target->block_size;
	errcode_t err = 0;
	uint64_t blk, n;

	for (; blocks && !err; stem += n, blocks -= n, data += n * bs) {
		blk = bfo_plan_block(plan, stem, &n);
		if (n > blocks)
			n = blocks;
		if (n > WRITE_BYTES / bs)
			n = WRITE_BYTES / bs;
		err = bfo_writer_write(w, blk, n, data);
	}
	return err;
}

errcode_t bfo_quotas_write(struct bfo_plan *plan, struct bfo_writer *w)
{
	uint32_t bs = plan->target->block_size;
	errcode_t err = 0;
	void *data;
	int type;

	for (type = 0; plan->charges && type < BFO_QUOTA_TYPES && !err; type++) {
		struct bfo_charge_file *f = &plan->charges->files[type];
		const struct bfo_inode *rec;

		if (!f->ino)
			continue;
		rec = &plan->tree->inodes.v[f->inode];
		err = bfo_charges_build(plan, f, &data);
		if (!err)
			err = write_stem(plan, w, rec->stem, (rec->size + bs - 1) / bs, data);
		free(data);
	}
	return err;
}
