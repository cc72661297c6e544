// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * edit.c - a volume that is being changed: opened, and closed
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "edit/indexed.h"

#define BUFFER_BYTES (8U << 20)

static errcode_t gather(struct bfo_edit *e)
{
	errcode_t err = bfo_target_gather(e->ctx, e->vol, &e->shape);

	if (!err)
		err = bfo_supply_init(&e->supply, e->vol, &e->shape);
	return err;
}

/* A bit for each block of all inode tables, a byte for each group. */
static errcode_t count_tables(struct bfo_edit *e)
{
	uint32_t per_block = e->vol->block_size / e->vol->inode_size;

	e->tables = calloc(e->vol->fs->super->s_inodes_count / per_block / 8 + 1, 1);
	e->groups = calloc(e->vol->fs->group_desc_count, 1);
	return e->tables && e->groups ? 0 : ENOMEM;
}

errcode_t bfo_edit_open(struct bfo_edit *e, struct bfo_context *ctx, struct bfo_volume *vol,
			const struct bfo_edit_options *opt)
{
	errcode_t err;

	memset(e, 0, sizeof(*e));
	e->ctx = ctx;
	e->vol = vol;
	err = bfo_change_begin(&e->change, ctx, vol, 0, opt->undo_file);
	e->change.has_undo = 0;		/* what is too large for the journal is refused */
	if (!err)
		err = bfo_reader_init(&e->reader, ctx, vol, BFO_GAP_OF_DEVICE);
	if (!err)
		err = gather(e);
	if (!err)
		err = count_tables(e);
	if (!err)
		err = bfo_windows_init(&e->windows, ctx, vol, bfo_reader_seek(&e->reader));
	if (!err)
		err = bfo_outflow_init(&e->out, &e->change.w, &e->reader,
				       opt->memory ? opt->memory : BUFFER_BYTES);
	return err;
}

errcode_t bfo_edit_close(struct bfo_edit *e)
{
	errcode_t err;

	bfo_edit_forget(e);
	bfo_indexes_free(&e->indexes);
	bfo_quota_files_free(e->quota);
	free(e->table);
	free(e->tables);
	free(e->groups);
	e->table = NULL;
	e->tables = e->groups = NULL;
	bfo_windows_free(&e->windows);
	bfo_outflow_free(&e->out);
	bfo_supply_free(&e->supply);
	bfo_target_free(&e->shape);
	bfo_reader_free(&e->reader);
	bfo_map_free(&e->map);
	bfo_vec_free(&e->released);
	bfo_vec_free(&e->patches);
	bfo_vec_free(&e->edges);
	bfo_vec_free(&e->pieces);
	bfo_vec_free(&e->last_value);
	err = bfo_change_end(&e->change, BFO_ET_CANCELLED);
	return err == BFO_ET_CANCELLED ? 0 : err;
}
