// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * transaction.c - blocks that belong to somebody already, collected and written last
 *
 * Through the journal (P5).  Each arrow is a flush; after a crash in
 *
 *   new            nothing leads to it: new contents, tables that nobody uses yet
 *   log            the journal is empty and stays so: nothing happened
 *   recover        RECOVER without a start of the log is nothing to e2fsck and kernel
 *   start          one sector: there is a transaction from here on
 *   in place       whoever replays the journal does all of this again
 *   stop           one sector: there is no transaction any more, and none is needed
 *   recover off    as recover
 *
 *   new, log, recover ──> start ──> in place ──> stop ──> recover off, new, log, recover ──> ...
 *
 * Of what stands between two arrows anything may be on the device, and anything may not: a flush
 * between log and recover, or behind recover off, would order what needs no order.  Whoever ends
 * flushes once more, so that nobody is asked to replay a journal that is empty.
 *
 * Each of the four is needed: without the first there may be a start of a log that is torn, without
 * the second blocks in place of a transaction that there is not, without the third a log that is
 * gone before its blocks are in place, without the fourth a log that nobody is asked to replay,
 * which stops e2fsck -p, and one that the next transaction overwrites.
 *
 * The superblock in the transaction has RECOVER set, since it is written before `stop`.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commit/transaction.h"

#define SUPER_BYTE 1024		/* of the volume */

static int is_at(const struct bfo_transaction *t, size_t i, uint64_t blk)
{
	return i < t->blocks.n && t->blocks.v[i].blk == blk;
}

/* DATA, which is taken over, is the image of block BLK, which has none: it stands at place I. */
static errcode_t insert_data(struct bfo_transaction *t, size_t i, uint64_t blk, void *data)
{
	errcode_t err = data ? bfo_vec_reserve(&t->blocks, 1) : ENOMEM;

	if (err) {
		free(data);
		return err;
	}
	memmove(t->blocks.v + i + 1, t->blocks.v + i, (t->blocks.n - i) * sizeof(*t->blocks.v));
	t->blocks.v[i] = (struct bfo_image) { .blk = blk, .data = data };
	t->blocks.n++;
	return 0;
}

/* A new image at place I, not yet filled. */
static errcode_t insert(struct bfo_transaction *t, size_t i, uint64_t blk)
{
	return insert_data(t, i, blk, malloc(t->w->vol->block_size));
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
	if (err)
		return err;
	memcpy(t->blocks.v[i].data, data, t->w->vol->block_size);
	t->blocks.v[i].is_map = 1;
	return 0;
}

errcode_t bfo_transaction_put(struct bfo_transaction *t, uint64_t blk, void *data)
{
	size_t i = bfo_vec_lower(&t->blocks, blk, blk);

	if (!is_at(t, i, blk))
		return insert_data(t, i, blk, data);
	free(t->blocks.v[i].data);
	t->blocks.v[i].data = data;
	return 0;
}

errcode_t bfo_transaction_late(struct bfo_transaction *t, enum bfo_lateness when, uint64_t blk,
			       uint32_t byte, uint32_t len, const void *data)
{
	struct bfo_late late = { .blk = blk, .byte = byte, .len = len, .when = when,
				 .at = data ? t->late_bytes.n : BFO_LATE_ZEROES };
	struct bfo_image *image;
	errcode_t err;
	void *block;

	err = bfo_transaction_get(t, blk, &block);
	if (!err && data)
		err = bfo_vec_reserve(&t->late_bytes, len);
	if (!err)
		err = bfo_vec_push(&t->late, late);
	if (err)
		return err;
	image = &t->blocks.v[bfo_vec_lower(&t->blocks, blk, blk)];
	image->is_late = 1;
	image->is_last |= when == BFO_LAST;
	if (!data)
		return 0;
	memcpy(t->late_bytes.v + t->late_bytes.n, data, len);
	t->late_bytes.n += len;
	return 0;
}

static void make_late(struct bfo_transaction *t, enum bfo_lateness when)
{
	size_t i, at;
	char *to;

	for (i = 0; i < t->late.n; i++) {
		const struct bfo_late *late = &t->late.v[i];

		if (late->when != when)
			continue;
		at = bfo_vec_lower(&t->blocks, blk, late->blk);
		to = (char *) t->blocks.v[at].data + late->byte;
		if (late->at == BFO_LATE_ZEROES)
			memset(to, 0, late->len);
		else
			memcpy(to, t->late_bytes.v + late->at, late->len);
	}
}

errcode_t bfo_transaction_super(struct bfo_transaction *t, struct ext2_super_block *sb)
{
	uint32_t bs = t->w->vol->block_size;
	struct ext2_super_block *image;
	errcode_t err;
	void *block;

	err = bfo_transaction_get(t, SUPER_BYTE / bs, &block);
	if (err)
		return err;
	image = (void *) ((char *) block + SUPER_BYTE % bs);
	*image = *sb;
	ext2fs_set_feature_journal_needs_recovery(image);
	return ext2fs_superblock_csum_set(t->w->vol->fs, image);
}

/* One that is written AGAIN, with its late changes, is not read back as it is now. */
static errcode_t write_image(struct bfo_transaction *t, const struct bfo_image *image, int again)
{
	int keep_sums = t->w->keep_sums;
	errcode_t err;

	t->w->keep_sums = keep_sums && !again;
	err = bfo_writer_change(t->w, image->blk, image->data);
	t->w->keep_sums = keep_sums;
	return err;
}

/* Both kinds of images, or all but (IS_MAP 0) or only (1) bitmaps and descriptors. */
static errcode_t write_images(struct bfo_transaction *t, int tables, int maps)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < t->blocks.n && !err; i++)
		if (t->blocks.v[i].is_map ? maps : tables)
			err = write_image(t, &t->blocks.v[i], t->blocks.v[i].is_late && !maps);
	return err ? err : bfo_writer_flush(t->w);
}

/* RECOVER in the superblock that stands on the device, once it is flushed. */
static errcode_t put_recover(struct bfo_writer *w, int on)
{
	struct ext2_super_block sb = w->super;

	if (on)
		ext2fs_set_feature_journal_needs_recovery(&sb);
	else
		ext2fs_clear_feature_journal_needs_recovery(&sb);
	return bfo_writer_super(w, &sb);
}

static errcode_t set_recover(struct bfo_writer *w, int on)
{
	errcode_t err = put_recover(w, on);

	return err ? err : bfo_writer_flush(w);
}

/* What the images have put there. */
static void note_super(struct bfo_transaction *t)
{
	uint32_t bs = t->w->vol->block_size;
	size_t i = bfo_vec_lower(&t->blocks, blk, SUPER_BYTE / bs);

	if (is_at(t, i, SUPER_BYTE / bs))
		memcpy(&t->w->super, (char *) t->blocks.v[i].data + SUPER_BYTE % bs,
		       sizeof(t->w->super));
}

/* Everything behind `start`. */
static errcode_t finish(struct bfo_transaction *t, struct bfo_txlog *j)
{
	errcode_t err = write_images(t, 1, 1);

	if (!err)
		note_super(t);
	if (!err)
		err = bfo_txlog_stop(j, t->w);
	return err ? err : put_recover(t->w, 0);
}

/* `start` failed, so that nobody knows whether it was written: it is not, if this returns 0. */
static errcode_t take_back(struct bfo_writer *w, struct bfo_txlog *j)
{
	errcode_t failed = w->failed, err;

	w->failed = 0;
	err = bfo_txlog_cancel(j, w);
	if (!err)
		err = set_recover(w, 0);
	w->failed = failed;
	return err;
}

errcode_t bfo_transaction_commit(struct bfo_transaction *t, struct bfo_txlog *j, int *durable)
{
	errcode_t err;

	*durable = 0;
	make_late(t, BFO_LATE);
	make_late(t, BFO_LAST);
	err = bfo_txlog_log(j, t->w, t->blocks.v, t->blocks.n);
	if (!err)
		err = set_recover(t->w, 1);
	if (err)
		return err;
	err = bfo_txlog_start(j, t->w);
	*durable = !err || take_back(t->w, j);
	return err ? err : finish(t, j);
}

errcode_t bfo_transaction_redo(struct bfo_transaction *t, struct bfo_txlog *j)
{
	t->w->failed = 0;
	return finish(t, j);
}

errcode_t bfo_transaction_settle(struct bfo_writer *w)
{
	return ext2fs_has_feature_journal_needs_recovery(&w->super) ? set_recover(w, 0) : 0;
}

/* The blocks that have changes of that time, with them. */
static errcode_t write_late(struct bfo_transaction *t, enum bfo_lateness when)
{
	errcode_t err = 0;
	uint64_t last = 0;
	size_t i, at;

	make_late(t, when);
	for (i = 0; i < t->late.n && !err; i++) {
		if (t->late.v[i].when != when || t->late.v[i].blk == last)
			continue;
		last = t->late.v[i].blk;
		at = bfo_vec_lower(&t->blocks, blk, last);
		err = write_image(t, &t->blocks.v[at],
				  when == BFO_LATE && t->blocks.v[at].is_last);
	}
	return err || !last ? err : bfo_writer_flush(t->w);
}

errcode_t bfo_transaction_apply(struct bfo_transaction *t)
{
	errcode_t err = write_images(t, 1, 0);

	if (!err)
		err = write_images(t, 0, 1);
	if (!err)
		err = write_late(t, BFO_LATE);
	return err ? err : write_late(t, BFO_LAST);
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
	bfo_vec_free(&t->late);
	bfo_vec_free(&t->late_bytes);
}
