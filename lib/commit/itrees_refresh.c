// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * itrees_refresh.c - header and catalogue of a container, and blocks of its trees, changed in place
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "commit/patch.h"
#include "commit/itrees_change.h"
#include "commit/record.h"

static struct itree_header new_header(const struct bfo_container *c, const struct bfo_volume *vol)
{
	const struct ext2_super_block *sb = vol->fs->super;
	struct itree_header h = c->header;

	memcpy(h.uuid, sb->s_uuid, sizeof(h.uuid));
	h.wtime = (uint64_t) sb->s_wtime_hi << 32 | sb->s_wtime;
	h.lastcheck = (uint64_t) sb->s_lastcheck_hi << 32 | sb->s_lastcheck;
	return h;
}

/* Blocks of trees become the transaction's. */
static errcode_t stage_blocks(struct bfo_change *change, const struct bfo_container *c,
			      bfo_itrees_blocks *blocks)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; blocks && i < blocks->n && !err; i++) {
		err = bfo_transaction_put(&change->t, bfo_container_block(c, blocks->v[i].blk),
					  blocks->v[i].data);
		blocks->v[i].data = NULL;
	}
	return err;
}

static errcode_t stage(struct bfo_change *change, const struct bfo_container *c,
		       const struct itree_dir *dirs)
{
	struct itree_header h = new_header(c, c->r->vol);
	errcode_t err;
	uint64_t blk;
	void *image;
	uint32_t i;

	err = bfo_transaction_get(&change->t, bfo_container_block(c, 0), &image);
	if (!err)
		itree_header_pack(&h, image);
	for (i = 0; i < h.catalogue_blocks && !err; i++) {
		blk = bfo_container_block(c, h.catalogue + i);
		err = bfo_transaction_get(&change->t, blk, &image);
		if (!err)
			itree_catalogue_pack(&h, dirs, i, image);
	}
	return err;
}

errcode_t bfo_itrees_refresh(const struct bfo_container *c, const struct itree_dir *dirs,
			     bfo_itrees_blocks *blocks, int64_t now, const char *undo_file,
			     struct bfo_itrees_written *out)
{
	struct bfo_volume *vol = c->r->vol;
	struct bfo_change change;
	errcode_t err = bfo_change_begin(&change, c->r->ctx, vol, now, undo_file);

	vol->fs->super->s_wtime = bfo_record_wtime(now);
	if (!err)
		err = stage_blocks(&change, c, blocks);
	if (!err)
		err = stage(&change, c, dirs);
	err = bfo_change_end(&change, err);
	*out = (struct bfo_itrees_written) { change.fate, change.w.requests, change.w.blocks };
	return err;
}
