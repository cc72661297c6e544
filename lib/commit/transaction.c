// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * transaction.c - blocks that belong to somebody already, collected and written last
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commit/transaction.h"

static int is_at(const struct bfo_transaction *t, size_t i, uint64_t blk)
{
	return i < t->blocks.n && t->blocks.v[i].blk == blk;
}

/* A new image at place I, not yet filled. */
static errcode_t insert(struct bfo_transaction *t, size_t i, uint64_t blk)
{
	void *data = malloc(t->w->vol->block_size);
	errcode_t err = data ? bfo_vec_reserve(&t->blocks, 1) : ENOMEM;

	if (err) {
		free(data);
		return err;
	}
	memmove(t->blocks.v + i + 1, t->blocks.v + i, (t->blocks.n - i) * sizeof(*t->blocks.v));
	t->blocks.v[i] = (struct bfo_txn_block) { .blk = blk, .data = data };
	t->blocks.n++;
	return 0;
}

errcode_t bfo_transaction_get(struct bfo_transaction *t, uint64_t blk, void **data)
{
	size_t i = bfo_vec_lower(&t->blocks, blk, blk);
	errcode_t err = 0;

	if (!is_at(t, i, blk)) {
		err = insert(t, i, blk);
		if (!err)
			err = bfo_volume_read(t->w->ctx, t->w->vol, blk, 1, t->blocks.v[i].data);
	}
	if (!err)
		*data = t->blocks.v[i].data;
	return err;
}

errcode_t bfo_transaction_set(struct bfo_transaction *t, uint64_t blk, const void *data)
{
	size_t i = bfo_vec_lower(&t->blocks, blk, blk);
	errcode_t err = 0;

	if (!is_at(t, i, blk))
		err = insert(t, i, blk);
	if (!err)
		memcpy(t->blocks.v[i].data, data, t->w->vol->block_size);
	return err;
}

errcode_t bfo_transaction_apply(struct bfo_transaction *t)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < t->blocks.n && !err; i++)
		err = bfo_writer_write(t->w, t->blocks.v[i].blk, 1, t->blocks.v[i].data);
	return err ? err : bfo_writer_flush(t->w);
}

/* Has BLOCK, of an inode table, inodes that e2fsck takes for used ones? */
static int shows_inodes(const struct bfo_volume *vol, const char *block)
{
	const struct ext2_inode *raw;
	uint32_t at;

	for (at = 0; at < vol->block_size; at += vol->inode_size) {
		raw = (const void *) (block + at);
		if (raw->i_links_count)
			return 1;
	}
	return 0;
}

/* BLK becomes zero; SCRATCH is a block.  What cannot be written now, perhaps never was. */
static errcode_t withdraw_block(struct bfo_transaction *t, uint64_t blk, char *scratch)
{
	errcode_t err;

	memset(scratch, 0, t->w->vol->block_size);
	err = bfo_writer_write(t->w, blk, 1, scratch);
	if (!err)
		return 0;
	t->w->failed = 0;
	if (bfo_volume_read(t->w->ctx, t->w->vol, blk, 1, scratch))
		return err;
	return shows_inodes(t->w->vol, scratch) ? err : 0;
}

errcode_t bfo_transaction_withdraw(struct bfo_transaction *t)
{
	errcode_t err = 0;
	uint64_t blk, end;
	char *scratch;
	size_t i;

	if (!t->exposed.n)
		return 0;
	scratch = malloc(t->w->vol->block_size);
	if (!scratch)
		return ENOMEM;
	for (i = 0; i < t->exposed.n && !err; i++) {
		end = t->exposed.v[i].start + t->exposed.v[i].len;
		for (blk = t->exposed.v[i].start; blk < end && !err; blk++)
			err = withdraw_block(t, blk, scratch);
	}
	free(scratch);
	return err ? err : bfo_writer_flush(t->w);
}

void bfo_transaction_free(struct bfo_transaction *t)
{
	size_t i;

	bfo_vec_free(&t->exposed);
	for (i = 0; i < t->blocks.n; i++)
		free(t->blocks.v[i].data);
	bfo_vec_free(&t->blocks);
}
