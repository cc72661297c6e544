// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * look.c - what a copy has left on a target, seen without writing there
 */
#include <string.h>

#include "base/bfo_err.h"
#include "commit/commit.h"
#include "commit/look.h"
#include "volume/open.h"

/* Which blocks are in use is part of what makes a record. */
static errcode_t read_bitmaps(struct bfo_context *ctx, struct bfo_volume *vol)
{
	errcode_t err;

	vol->fs->default_bitmap_type = EXT2FS_BMAP64_RBTREE;
	err = ext2fs_read_bitmaps(vol->fs);
	return err ? bfo_fail(ctx, err, "reading the bitmaps of %s", vol->spec) : 0;
}

/* There is no record: ctx->what says why, unless the journal cannot be read. */
static errcode_t look_for_end(struct bfo_context *ctx, struct bfo_left *left)
{
	struct bfo_what what = bfo_what_keep(ctx);
	errcode_t err;
	int whole = 0;

	err = bfo_commit_was_done(ctx, left->vol, &whole, &left->begun);
	if (err)
		return err;
	if (whole)
		left->state = BFO_LEFT_WHOLE;
	bfo_what_restore(ctx, &what);
	return BFO_ET_NO_RECORD;
}

errcode_t bfo_left_look(struct bfo_context *ctx, const char *spec, struct bfo_left *left)
{
	errcode_t err;

	memset(left, 0, sizeof(*left));
	err = bfo_volume_open_source(ctx, spec, 0, NULL, NULL, NULL, NULL, &left->vol);
	if (!err)
		err = read_bitmaps(ctx, left->vol);
	if (!err)
		err = bfo_record_find(ctx, left->vol, &left->record);
	if (err == BFO_ET_NO_RECORD)
		return look_for_end(ctx, left);
	if (err)
		return err;
	left->state = BFO_LEFT_RECORD;
	left->begun = left->record.now;
	return 0;
}

void bfo_left_free(struct bfo_left *left)
{
	bfo_record_free(&left->record);
	bfo_volume_close(left->vol);
	left->vol = NULL;
}
