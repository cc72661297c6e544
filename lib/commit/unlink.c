// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unlink.c - inodes of files that lose names to what is copied
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commit/unlink.h"
#include "gather/inode_check.h"
#include "plan/charge.h"
#include "plan/inode_image.h"

/* RAW, of an inode that stays. */
static errcode_t lose(struct bfo_plan *plan, const struct bfo_volume *vol,
		      const struct bfo_displaced_inode *x, void *raw)
{
	if (x->is_value)
		bfo_inode_set_value_refs(raw, bfo_inode_value_refs(raw) - x->names);
	else
		bfo_inode_unlink(plan, raw, x->names);
	return ext2fs_inode_csum_set(vol->fs, x->ino, raw);
}

static errcode_t write_one(struct bfo_plan *plan, struct bfo_transaction *t,
			   const struct bfo_displaced_inode *x, char *raw)
{
	const struct bfo_volume *vol = t->w->vol;
	uint32_t byte, size = vol->inode_size;
	uint64_t blk = bfo_volume_inode_block(vol, x->ino, &byte);
	void *image;
	errcode_t err = bfo_transaction_get(t, blk, &image);

	if (err)
		return err;
	memcpy(raw, (char *) image + byte, size);
	if (x->goes && !x->is_value)
		bfo_charges_drop(plan, raw, 1 + x->values);
	if (!x->goes)
		err = lose(plan, vol, x, raw);
	return err ? err : bfo_transaction_late(t, BFO_LAST, blk, byte, size,
						x->goes ? NULL : raw);
}

errcode_t bfo_unlink_write(struct bfo_plan *plan, struct bfo_transaction *t)
{
	char *raw = malloc(t->w->vol->inode_size);
	errcode_t err = raw ? 0 : ENOMEM;
	size_t i;

	for (i = 0; i < plan->displaced.inodes.n && !err; i++)
		err = write_one(plan, t, &plan->displaced.inodes.v[i], raw);
	free(raw);
	return err ? bfo_fail(plan->ctx, err, "freeing inodes of %s", t->w->vol->spec) : 0;
}
