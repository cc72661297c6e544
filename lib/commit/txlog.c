// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * txlog.c - the target's own journal, written one transaction at a time
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "commit/txlog.h"
#include "volume/recovery.h"

#define LOG_BYTES (1U << 20)	/* of the log, written together */

static errcode_t unhealthy(struct bfo_context *ctx, const struct bfo_volume *vol, const char *why)
{
	return bfo_fail(ctx, BFO_ET_UNHEALTHY,
			"reading the journal of %s: %s; please run e2fsck -f "
			"%s first",
			vol->spec, why, vol->spec);
}

static void set_csum(struct bfo_txlog *j)
{
	if (bfo_jbd2_has_csum(j->journal.incompat))
		bfo_jbd2_put32(j->super, BFO_JBD2_SB_CSUM,
			       bfo_jbd2_block_csum(~0U, j->super, sizeof(j->super),
						   BFO_JBD2_SB_CSUM));
}

/* What may be wrong with a journal that is going to be written; blocks beyond 2^32 want 64BIT. */
static const char *check(struct bfo_txlog *j)
{
	if (j->journal.aborted)
		return "it was aborted after an error";
	if (j->journal.start)
		return "it is not empty";
	if (!(j->vol->blocks >> 32))
		return NULL;
	if (bfo_jbd2_get32(j->super, BFO_JBD2_H_TYPE) == BFO_JBD2_SUPER_V1)
		return "it cannot count the filesystem's blocks";
	j->journal.incompat |= BFO_JBD2_INCOMPAT_64BIT;
	bfo_jbd2_put32(j->super, BFO_JBD2_SB_INCOMPAT, j->journal.incompat);
	return NULL;
}

static errcode_t read_journal(struct bfo_context *ctx, struct bfo_txlog *j, void *block)
{
	const struct bfo_journal_use use = { 0 };
	const char *why;
	errcode_t err = bfo_journal_open(ctx, j->vol, &use, &j->journal);

	if (!err)
		err = bfo_journal_read(ctx, &j->journal, j->journal.super, block);
	if (err)
		return err == BFO_ET_JOURNAL || err == BFO_ET_FEATURE || err == BFO_ET_DAMAGED ?
		       BFO_ET_UNHEALTHY : err;
	memcpy(j->super, block, sizeof(j->super));
	why = check(j);
	return why ? unhealthy(ctx, j->vol, why) : 0;
}

errcode_t bfo_txlog_open(struct bfo_context *ctx, struct bfo_volume *vol, struct bfo_txlog *j)
{
	struct ext2_super_block *sb = vol->fs->super;
	void *block;
	errcode_t err;

	memset(j, 0, sizeof(*j));
	j->vol = vol;
	if (!ext2fs_has_feature_journal(sb) || !sb->s_journal_inum)
		return bfo_fail(ctx, BFO_ET_NOT_JOURNALED, "opening %s", vol->spec);
	block = malloc(vol->block_size);
	err = block ? read_journal(ctx, j, block) : ENOMEM;
	free(block);
	if (err)
		bfo_txlog_free(j);
	return err;
}

struct bfo_txlog bfo_txlog_replayed(struct bfo_volume *vol)
{
	struct bfo_txlog j = { .vol = vol, .journal = vol->recovery->journal };

	j.journal.sequence += vol->recovery->replay.transactions;
	return j;
}

void bfo_txlog_free(struct bfo_txlog *j)
{
	bfo_journal_close(&j->journal);
}

/* ---- a transaction ---- */

/* Tags that one descriptor has room for. */
static uint32_t tags_of(const struct bfo_txlog *j)
{
	uint32_t room = bfo_jbd2_room(j->journal.incompat, j->vol->block_size);

	return (room - BFO_JBD2_TAGS - BFO_JBD2_UUID_BYTES) /
	       bfo_jbd2_tag_bytes(j->journal.incompat);
}

uint64_t bfo_txlog_need(const struct bfo_txlog *j, uint64_t n)
{
	uint32_t tags = tags_of(j);

	return n + (n + tags - 1) / tags + 2;	/* commit, zeroes */
}

uint64_t bfo_txlog_room(const struct bfo_txlog *j)
{
	return j->journal.last - j->journal.first;
}

/* Blocks on their way into the log: consecutive ones leave in one write. */
struct log {
	struct bfo_txlog *j;
	struct bfo_writer *w;
	char *buf;
	uint32_t at;		/* block of the journal that buf begins with */
	uint32_t n, max;	/* blocks in buf, blocks that fit */
};

static errcode_t drain(struct log *l)
{
	uint32_t bs = l->j->vol->block_size, done = 0, len;
	errcode_t err = 0;
	uint64_t blk;

	for (; done < l->n && !err; done += len) {
		blk = bfo_map_run(&l->j->journal.runs, l->at + done, &len);
		if (len > l->n - done)
			len = l->n - done;
		err = bfo_writer_write(l->w, blk, len, l->buf + (size_t) done * bs);
	}
	l->at += l->n;
	l->n = 0;
	return err;
}

/* The next block of the log, zeroed. */
static errcode_t next_block(struct log *l, char **block)
{
	uint32_t bs = l->j->vol->block_size;
	errcode_t err = l->n == l->max ? drain(l) : 0;

	*block = l->buf + (size_t) l->n++ * bs;
	memset(*block, 0, bs);
	return err;
}

static void put_header(struct bfo_txlog *j, char *block, enum bfo_jbd2_type type)
{
	bfo_jbd2_put32(block, BFO_JBD2_H_MAGIC, BFO_JBD2_MAGIC);
	bfo_jbd2_put32(block, BFO_JBD2_H_TYPE, type);
	bfo_jbd2_put32(block, BFO_JBD2_H_SEQUENCE, j->journal.sequence);
}

static int is_escaped(const struct bfo_image *image)
{
	return bfo_jbd2_get32(image->data, 0) == BFO_JBD2_MAGIC;
}

/* The checksum of an image as it is going to stand in the log. */
static uint32_t image_csum(const struct bfo_txlog *j, const struct bfo_image *image)
{
	uint32_t be = htobe32(j->journal.sequence), head = 0;
	uint32_t csum = bfo_crc32c(j->journal.seed, &be, sizeof(be));

	if (!is_escaped(image))
		memcpy(&head, image->data, sizeof(head));
	csum = bfo_crc32c(csum, &head, sizeof(head));
	return bfo_crc32c(csum, (char *) image->data + sizeof(head),
			  j->vol->block_size - sizeof(head));
}

static void put_tag(const struct bfo_txlog *j, char *tag, const struct bfo_image *image,
		    uint32_t flags)
{
	uint32_t csum = bfo_jbd2_has_csum(j->journal.incompat) ? image_csum(j, image) : 0;

	if (is_escaped(image))
		flags |= BFO_JBD2_TAG_ESCAPE;
	bfo_jbd2_put32(tag, BFO_JBD2_T_BLOCK, image->blk);
	if (j->journal.incompat & BFO_JBD2_INCOMPAT_CSUM_V3) {
		bfo_jbd2_put32(tag, BFO_JBD2_T_FLAGS32, flags);
		bfo_jbd2_put32(tag, BFO_JBD2_T_BLOCK_HIGH, image->blk >> 32);
		bfo_jbd2_put32(tag, BFO_JBD2_T_CSUM, csum);
		return;
	}
	bfo_jbd2_put16(tag, BFO_JBD2_T_CSUM16, csum);
	bfo_jbd2_put16(tag, BFO_JBD2_T_FLAGS, flags);
	if (j->journal.incompat & BFO_JBD2_INCOMPAT_64BIT)
		bfo_jbd2_put32(tag, BFO_JBD2_T_BLOCK_HIGH, image->blk >> 32);
}

static errcode_t log_descriptor(struct log *l, const struct bfo_image *images, size_t n)
{
	uint32_t bs = l->j->vol->block_size, tail = bs - BFO_JBD2_TAIL_BYTES, flags;
	char *block, *tag;
	errcode_t err = next_block(l, &block);
	size_t i;

	if (err)
		return err;
	put_header(l->j, block, BFO_JBD2_DESCRIPTOR);
	tag = block + BFO_JBD2_TAGS;
	for (i = 0; i < n; i++) {
		flags = (i ? BFO_JBD2_TAG_SAME_UUID : 0) | (i + 1 == n ? BFO_JBD2_TAG_LAST : 0);
		put_tag(l->j, tag, &images[i], flags);
		tag += bfo_jbd2_tag_bytes(l->j->journal.incompat);
		if (i)
			continue;
		memcpy(tag, l->j->super + BFO_JBD2_SB_UUID, BFO_JBD2_UUID_BYTES);
		tag += BFO_JBD2_UUID_BYTES;
	}
	if (bfo_jbd2_has_csum(l->j->journal.incompat))
		bfo_jbd2_put32(block, tail, bfo_jbd2_block_csum(l->j->journal.seed, block, bs,
								tail));
	return 0;
}

static errcode_t log_image(struct log *l, const struct bfo_image *image)
{
	char *block;
	errcode_t err = next_block(l, &block);

	if (err)
		return err;
	memcpy(block, image->data, l->j->vol->block_size);
	if (is_escaped(image))
		memset(block, 0, sizeof(uint32_t));
	return 0;
}

/* The commit block, and the zeroed one behind it. */
static errcode_t log_commit(struct log *l)
{
	struct bfo_txlog *j = l->j;
	char *block;
	errcode_t err = next_block(l, &block);

	if (err)
		return err;
	put_header(j, block, BFO_JBD2_COMMIT);
	bfo_jbd2_put64(block, BFO_JBD2_C_SECONDS, j->now);
	memcpy(block + BFO_TXLOG_TAG_BYTE, j->tag, sizeof(j->tag));
	memcpy(block + BFO_TXLOG_TAG_BYTE + sizeof(j->tag), j->note, sizeof(j->note));
	if (bfo_jbd2_has_csum(j->journal.incompat))
		bfo_jbd2_put32(block, BFO_JBD2_C_CSUM,
			       bfo_jbd2_block_csum(j->journal.seed, block, j->vol->block_size,
						   BFO_JBD2_C_CSUM));
	if (l->at + l->n < j->journal.last)
		err = next_block(l, &block);
	return err ? err : drain(l);
}

static errcode_t log_all(struct log *l, const struct bfo_image *images, size_t n)
{
	uint32_t tags = tags_of(l->j);
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < n && !err; i++) {
		if (i % tags == 0)
			err = log_descriptor(l, images + i, n - i < tags ? n - i : tags);
		if (!err)
			err = log_image(l, &images[i]);
	}
	return err ? err : log_commit(l);
}

errcode_t bfo_txlog_log(struct bfo_txlog *j, struct bfo_writer *w,
			const struct bfo_image *images, size_t n)
{
	struct log l = { .j = j, .w = w, .at = j->journal.first,
			 .max = LOG_BYTES / j->vol->block_size };
	errcode_t err;

	if (bfo_txlog_need(j, n) > bfo_txlog_room(j))
		return bfo_fail(w->ctx, BFO_ET_JOURNAL_SMALL,
				"logging %zu blocks in the journal of "
				"%s",
				n, j->vol->spec);
	l.buf = malloc(LOG_BYTES);
	if (!l.buf)
		return bfo_fail(w->ctx, ENOMEM, "logging in the journal of %s", j->vol->spec);
	err = log_all(&l, images, n);
	free(l.buf);
	return err;
}

static errcode_t write_super(struct bfo_txlog *j, struct bfo_writer *w)
{
	errcode_t err;

	set_csum(j);
	err = bfo_writer_change_part(w, bfo_map_find(&j->journal.runs, j->journal.super),
				     sizeof(j->super), j->super);
	return err ? err : bfo_writer_flush(w);
}

errcode_t bfo_txlog_start(struct bfo_txlog *j, struct bfo_writer *w)
{
	bfo_jbd2_put32(j->super, BFO_JBD2_SB_SEQUENCE, j->journal.sequence);
	bfo_jbd2_put32(j->super, BFO_JBD2_SB_START, j->journal.first);
	return write_super(j, w);
}

errcode_t bfo_txlog_stop(struct bfo_txlog *j, struct bfo_writer *w)
{
	if (bfo_jbd2_get32(j->super, BFO_JBD2_SB_START))
		j->journal.sequence++;		/* else this is another try */
	bfo_jbd2_put32(j->super, BFO_JBD2_SB_SEQUENCE, j->journal.sequence);
	return bfo_txlog_cancel(j, w);
}

errcode_t bfo_txlog_cancel(struct bfo_txlog *j, struct bfo_writer *w)
{
	bfo_jbd2_put32(j->super, BFO_JBD2_SB_START, 0);
	return write_super(j, w);
}

/* Counts the tags of descriptor BLOCK.  False if none of them is flagged as the last. */
static int count_tags(const struct bfo_txlog *j, const char *block, int *count)
{
	uint32_t at = BFO_JBD2_TAGS, last = at;

	for (*count = 0; at; ++*count) {
		last = at;
		at = bfo_jbd2_tag_next(j->journal.incompat, j->vol->block_size, block, at);
	}
	return bfo_jbd2_tag_flags(block, last) & BFO_JBD2_TAG_LAST;
}

/* The block that the tag at byte AT of a descriptor is about. */
static uint64_t tag_block(const struct bfo_txlog *j, const char *block, uint32_t at)
{
	const uint32_t wide = BFO_JBD2_INCOMPAT_64BIT | BFO_JBD2_INCOMPAT_CSUM_V3;
	uint64_t blk = bfo_jbd2_get32(block, at + BFO_JBD2_T_BLOCK);

	if (j->journal.incompat & wide)
		blk |= (uint64_t) bfo_jbd2_get32(block, at + BFO_JBD2_T_BLOCK_HIGH) << 32;
	return blk;
}

/*
 * Whether what the log has at FROM, for the tag at byte AT of DESCRIPTOR, stands in its place.  Of
 * the block with the superblock nobody knows: each mount changes it.  BUF: two blocks.
 */
static errcode_t look_in_place(struct bfo_context *ctx, const struct bfo_txlog *j,
			       const char *descriptor, uint32_t at, uint64_t from, char *buf,
			       int *is_there)
{
	uint32_t bs = j->vol->block_size, skip = 0;
	uint64_t blk = tag_block(j, descriptor, at);
	errcode_t err;

	*is_there = 1;
	if (blk == SUPERBLOCK_OFFSET / bs)
		return 0;
	*is_there = bfo_volume_contains(j->vol, blk, 1);
	if (!*is_there)
		return 0;
	err = bfo_journal_read(ctx, &j->journal, from, buf);
	if (!err)
		err = bfo_volume_read(ctx, j->vol, blk, 1, buf + bs);
	if (bfo_jbd2_tag_flags(descriptor, at) & BFO_JBD2_TAG_ESCAPE)
		skip = sizeof(uint32_t);
	*is_there = !err && !memcmp(buf + skip, buf + bs + skip, bs - skip);
	return err;
}

/*
 * The same of all that DESCRIPTOR, at block AT of the log, has.  A log that was written, and never
 * became valid, looks as one that was replayed, once somebody has replayed nothing of it.
 */
static errcode_t look_all_in_place(struct bfo_context *ctx, const struct bfo_txlog *j,
				   const char *descriptor, uint64_t at, int *are_there)
{
	char *buf = malloc(2 * (size_t) j->vol->block_size);
	errcode_t err = buf ? 0 : ENOMEM;
	uint32_t tag = BFO_JBD2_TAGS;

	*are_there = 1;
	while (!err && *are_there && tag) {
		err = look_in_place(ctx, j, descriptor, tag, ++at, buf, are_there);
		tag = bfo_jbd2_tag_next(j->journal.incompat, j->vol->block_size, descriptor, tag);
	}
	free(buf);
	return err;
}

/* Walks over the descriptors at the beginning of the log to the commit block behind them. */
errcode_t bfo_txlog_last(struct bfo_context *ctx, const struct bfo_txlog *j, const void *tag,
			 size_t len, struct bfo_txlog_end *end)
{
	char *block = malloc(j->vol->block_size);
	uint64_t at = j->journal.first;
	errcode_t err = block ? 0 : ENOMEM;
	uint32_t type = BFO_JBD2_DESCRIPTOR, age;
	int count, in_place = 1;

	memset(end, 0, sizeof(*end));	/* who replays counts one transaction more */
	while (!err && type == BFO_JBD2_DESCRIPTOR && at < j->journal.last) {
		err = bfo_journal_read(ctx, &j->journal, at, block);
		age = j->journal.sequence - bfo_jbd2_get32(block, BFO_JBD2_H_SEQUENCE);
		if (err || bfo_jbd2_get32(block, BFO_JBD2_H_MAGIC) != BFO_JBD2_MAGIC || age < 1 ||
		    age > 2)
			break;
		type = bfo_jbd2_get32(block, BFO_JBD2_H_TYPE);
		if (type != BFO_JBD2_DESCRIPTOR || !count_tags(j, block, &count))
			break;
		if (at + count >= j->journal.last)
			break;
		err = look_all_in_place(ctx, j, block, at, &in_place);
		if (err || !in_place)
			break;
		at += 1 + count;
	}
	if (!err && in_place && at < j->journal.last && type == BFO_JBD2_COMMIT &&
	    !memcmp(block + BFO_TXLOG_TAG_BYTE, tag, len)) {
		end->is_it = 1;
		end->when = bfo_jbd2_get64(block, BFO_JBD2_C_SECONDS);
		memcpy(end->note, block + BFO_TXLOG_TAG_BYTE + sizeof(j->tag), sizeof(end->note));
	}
	free(block);
	return err;
}
