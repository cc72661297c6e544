// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * itrees_refresh.c - header and catalogue of a container whose trees are right, written in place
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "commit/patch.h"
#include "commit/itrees_change.h"
#include "commit/record.h"

/* Where block LBLK of the container lies. */
static uint64_t block_of(const struct bfo_container *c, uint32_t lblk)
{
	size_t i = bfo_vec_lower(&c->segs, lblk, lblk + 1);

	return bfo_seg_blk(&c->segs.v[i - 1]) + lblk - c->segs.v[i - 1].lblk;
}

static struct itree_header new_header(const struct bfo_container *c, const struct bfo_volume *vol)
{
	const struct ext2_super_block *sb = vol->fs->super;
	struct itree_header h = c->header;

	memcpy(h.uuid, sb->s_uuid, sizeof(h.uuid));
	h.wtime = (uint64_t) sb->s_wtime_hi << 32 | sb->s_wtime;
	h.lastcheck = (uint64_t) sb->s_lastcheck_hi << 32 | sb->s_lastcheck;
	return h;
}

static errcode_t stage(struct bfo_change *change, const struct bfo_container *c,
		       const struct itree_dir *dirs)
{
	struct itree_header h = new_header(c, c->r->vol);
	errcode_t err;
	void *image;
	uint32_t i;

	err = bfo_transaction_get(&change->t, block_of(c, 0), &image);
	if (!err)
		itree_header_pack(&h, image);
	for (i = 0; i < h.catalogue_blocks && !err; i++) {
		err = bfo_transaction_get(&change->t, block_of(c, h.catalogue + i), &image);
		if (!err)
			itree_catalogue_pack(&h, dirs, i, image);
	}
	return err;
}

errcode_t bfo_itrees_refresh(const struct bfo_container *c, const struct itree_dir *dirs,
			     int64_t now, const char *undo_file, enum bfo_fate *fate)
{
	struct bfo_volume *vol = c->r->vol;
	struct bfo_change change;
	errcode_t err = bfo_change_begin(&change, c->r->ctx, vol, now, undo_file);

	vol->fs->super->s_wtime = bfo_record_wtime(now);
	if (!err)
		err = stage(&change, c, dirs);
	err = bfo_change_end(&change, err);
	*fate = change.fate;
	return err;
}
