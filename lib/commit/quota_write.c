// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * quota_write.c - the target's quota files: new ones, or a change of those there are
 */
#include <stdlib.h>

#include "commit/quota_write.h"
#include "commit/stem.h"
#include "base/bfo_err.h"
#include "gather/quota_read.h"
#include "plan/charge.h"

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
		rec = &plan->tree->inodes.v[f->row];
		err = bfo_charges_build(plan, f, &data);
		if (!err)
			err = bfo_stem_write(plan, w, rec->stem, (rec->size + bs - 1) / bs, data);
		free(data);
	}
	return err;
}

static errcode_t adjust_file(struct bfo_transaction *t, const struct bfo_quota_file *file,
			     uint32_t id, int64_t inodes, int64_t bytes)
{
	uint32_t bs = t->w->vol->block_size;
	uint64_t at;
	blk64_t blk;
	errcode_t err;
	void *image;

	err = bfo_quota_slot(file->data, file->size, id, &at);
	if (!err)
		err = ext2fs_bmap2(t->w->vol->fs, file->ino, NULL, NULL, 0, at / bs, NULL, &blk);
	if (!err)
		err = bfo_transaction_get(t, blk, &image);
	if (err)
		return bfo_fail(t->w->ctx, err, "charging quota in inode %u of %s", file->ino,
				t->w->vol->spec);
	bfo_quota_slot_add((char *) image + at % bs, inodes, bytes);
	return 0;
}

errcode_t bfo_quota_adjust(struct bfo_transaction *t, const uint32_t owner[3], int64_t inodes,
			   int64_t bytes)
{
	struct bfo_quota_file files[BFO_QUOTA_FILES];
	errcode_t err;
	int type;

	if (!ext2fs_has_feature_quota(t->w->vol->fs->super))
		return 0;
	err = bfo_quota_files_read(t->w->ctx, t->w->vol, files);
	for (type = 0; type < BFO_QUOTA_FILES && !err; type++)
		if (files[type].ino)
			err = adjust_file(t, &files[type], owner[type], inodes, bytes);
	bfo_quota_files_free(files);
	return err;
}
