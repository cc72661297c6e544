// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * txlog.c - the target's own journal, written one transaction at a time
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "commit/txlog.h"

#define KNOWN_INCOMPAT (BFO_JBD2_INCOMPAT_REVOKE | BFO_JBD2_INCOMPAT_64BIT | \
			BFO_JBD2_INCOMPAT_ASYNC_COMMIT | BFO_JBD2_INCOMPAT_CSUM_V2 | \
			BFO_JBD2_INCOMPAT_CSUM_V3 | BFO_JBD2_INCOMPAT_FAST_COMMIT)
#define LOG_BYTES (1U << 20)	/* of the log, written together */

static errcode_t unhealthy(struct bfo_context *ctx, const struct bfo_volume *vol, const char *why)
{
	return bfo_fail(ctx, BFO_ET_UNHEALTHY, "reading the journal of %s: %s; please run e2fsck -f "
			"%s first", vol->spec, why, vol->spec);
}

/* ---- where it lies ---- */

static int note_block(ext2_filsys fs, blk64_t *blk, e2_blkcnt_t lblk, blk64_t ref, int offset,
		      void *priv)
{
	struct bfo_txlog *j = priv;
	struct bfo_range *last = j->map.n ? &j->map.v[j->map.n - 1] : NULL;

	(void) fs;
	(void) ref;
	(void) offset;
	if (!bfo_volume_contains(j->vol, *blk, 1) || (uint64_t) lblk != j->blocks)
		return BLOCK_ABORT;		/* outside, or behind a hole */
	j->blocks++;
	if (last && last->start + last->len == *blk) {
		last->len++;
		return 0;
	}
	return bfo_vec_push(&j->map, (struct bfo_range) { .start = *blk, .len = 1 }) ?
	       BLOCK_ABORT : 0;
}

/* Where block AT of the journal lies; *LEN: how many from there on are contiguous. */
static uint64_t block_of(const struct bfo_txlog *j, uint64_t at, uint64_t *len)
{
	size_t i = 0;

	while (at >= j->map.v[i].len)
		at -= j->map.v[i++].len;
	*len = j->map.v[i].len - at;
	return j->map.v[i].start + at;
}

/* ---- its superblock ---- */

static void set_csum(struct bfo_txlog *j)
{
	if (bfo_jbd2_has_csum(j->incompat))
		bfo_jbd2_put32(j->super, BFO_JBD2_SB_CSUM,
			       bfo_jbd2_block_csum(~0U, j->super, sizeof(j->super),
						   BFO_JBD2_SB_CSUM));
}

static const char *read_features(struct bfo_txlog *j)
{
	const uint32_t both = BFO_JBD2_INCOMPAT_CSUM_V2 | BFO_JBD2_INCOMPAT_CSUM_V3;
	uint32_t type = bfo_jbd2_get32(j->super, BFO_JBD2_H_TYPE);

	if (bfo_jbd2_get32(j->super, BFO_JBD2_H_MAGIC) != BFO_JBD2_MAGIC ||
	    (type != BFO_JBD2_SUPER_V1 && type != BFO_JBD2_SUPER_V2))
		return "it has no superblock";
	if (type == BFO_JBD2_SUPER_V1)
		return j->vol->blocks >> 32 ? "it cannot count the filesystem's blocks" : NULL;
	j->incompat = bfo_jbd2_get32(j->super, BFO_JBD2_SB_INCOMPAT);
	j->seed = bfo_jbd2_seed(j->super + BFO_JBD2_SB_UUID);
	if ((j->incompat & both) == both ||
	    (bfo_jbd2_has_csum(j->incompat) &&
	     j->super[BFO_JBD2_SB_CSUM_TYPE] != BFO_JBD2_CSUM_CRC32C))
		return "nobody knows its checksums";
	if (j->incompat & ~KNOWN_INCOMPAT || bfo_jbd2_get32(j->super, BFO_JBD2_SB_RO_COMPAT))
		return "it has features that are not known";
	if (bfo_jbd2_has_csum(j->incompat) &&
	    bfo_jbd2_get32(j->super, BFO_JBD2_SB_CSUM) !=
	    bfo_jbd2_block_csum(~0U, j->super, sizeof(j->super), BFO_JBD2_SB_CSUM))
		return "the checksum of its superblock is wrong";
	if (j->vol->blocks >> 32)
		j->incompat |= BFO_JBD2_INCOMPAT_64BIT;
	bfo_jbd2_put32(j->super, BFO_JBD2_SB_INCOMPAT, j->incompat);
	return NULL;
}

static const char *read_shape(struct bfo_txlog *j)
{
	uint32_t len = bfo_jbd2_get32(j->super, BFO_JBD2_SB_LENGTH), fast = 0;

	if (j->incompat & BFO_JBD2_INCOMPAT_FAST_COMMIT) {
		fast = bfo_jbd2_get32(j->super, BFO_JBD2_SB_FC_BLOCKS);
		fast = fast ? fast : BFO_JBD2_FC_BLOCKS;
	}
	j->first = bfo_jbd2_get32(j->super, BFO_JBD2_SB_FIRST);
	j->sequence = bfo_jbd2_get32(j->super, BFO_JBD2_SB_SEQUENCE);
	if (bfo_jbd2_get32(j->super, BFO_JBD2_SB_BLOCK_SIZE) != j->vol->block_size)
		return "it has another block size";
	if (len > j->blocks || fast >= len || !j->first || j->first >= len - fast)
		return "its superblock does not fit its inode";
	if (bfo_jbd2_get32(j->super, BFO_JBD2_SB_ERRNO))
		return "it was aborted after an error";
	if (bfo_jbd2_get32(j->super, BFO_JBD2_SB_START))
		return "it is not empty";
	j->last = len - fast;
	return NULL;
}

errcode_t bfo_txlog_open(struct bfo_context *ctx, struct bfo_volume *vol, struct bfo_txlog *j)
{
	ext2_filsys fs = vol->fs;
	void *block = malloc(vol->block_size);
	const char *why = NULL;
	errcode_t err;

	memset(j, 0, sizeof(*j));
	j->vol = vol;
	if (!block)
		return ENOMEM;
	if (!ext2fs_has_feature_journal(fs->super) || !fs->super->s_journal_inum) {
		free(block);
		return bfo_fail(ctx, BFO_ET_NOT_JOURNALED, "opening %s", vol->spec);
	}
	err = ext2fs_block_iterate3(fs, fs->super->s_journal_inum,
				    BLOCK_FLAG_READ_ONLY | BLOCK_FLAG_DATA_ONLY, NULL, note_block, j);
	if (err || !j->map.n) {
		err = unhealthy(ctx, vol, "its inode is damaged");
	} else {
		err = bfo_volume_read(ctx, vol, j->map.v[0].start, 1, block);
		memcpy(j->super, block, sizeof(j->super));
		why = err ? NULL : read_features(j);
		if (!err && !why)
			why = read_shape(j);
		if (why)
			err = unhealthy(ctx, vol, why);
	}
	free(block);
	if (err)
		bfo_txlog_free(j);
	return err;
}

void bfo_txlog_free(struct bfo_txlog *j)
{
	bfo_vec_free(&j->map);
}

/* ---- a transaction ---- */

/* Tags that one descriptor has room for. */
static uint32_t tags_of(const struct bfo_txlog *j)
{
	uint32_t tail = bfo_jbd2_has_csum(j->incompat) ? BFO_JBD2_TAIL_BYTES : 0;

	return (j->vol->block_size - BFO_JBD2_TAGS - BFO_JBD2_UUID_BYTES - tail) /
	       bfo_jbd2_tag_bytes(j->incompat);
}

uint64_t bfo_txlog_need(const struct bfo_txlog *j, uint64_t n)
{
	uint32_t tags = tags_of(j);

	return n + (n + tags - 1) / tags + 2;	/* commit, zeroes */
}

uint64_t bfo_txlog_room(const struct bfo_txlog *j)
{
	return j->last - j->first;
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
	uint32_t bs = l->j->vol->block_size, done = 0;
	errcode_t err = 0;
	uint64_t len, blk;

	for (; done < l->n && !err; done += len) {
		blk = block_of(l->j, l->at + done, &len);
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
	bfo_jbd2_put32(block, BFO_JBD2_H_SEQUENCE, j->sequence);
}

static int is_escaped(const struct bfo_image *image)
{
	return bfo_jbd2_get32(image->data, 0) == BFO_JBD2_MAGIC;
}

/* The checksum of an image as it is going to stand in the log. */
static uint32_t image_csum(const struct bfo_txlog *j, const struct bfo_image *image)
{
	uint32_t be = htobe32(j->sequence), csum = bfo_crc32c(j->seed, &be, sizeof(be)), head = 0;

	if (!is_escaped(image))
		memcpy(&head, image->data, sizeof(head));
	csum = bfo_crc32c(csum, &head, sizeof(head));
	return bfo_crc32c(csum, (char *) image->data + sizeof(head),
			  j->vol->block_size - sizeof(head));
}

static void put_tag(const struct bfo_txlog *j, char *tag, const struct bfo_image *image,
		    uint32_t flags)
{
	uint32_t csum = bfo_jbd2_has_csum(j->incompat) ? image_csum(j, image) : 0;

	if (is_escaped(image))
		flags |= BFO_JBD2_TAG_ESCAPE;
	bfo_jbd2_put32(tag, 0, image->blk);
	if (j->incompat & BFO_JBD2_INCOMPAT_CSUM_V3) {
		bfo_jbd2_put32(tag, 4, flags);
		bfo_jbd2_put32(tag, 8, image->blk >> 32);
		bfo_jbd2_put32(tag, 12, csum);
		return;
	}
	bfo_jbd2_put16(tag, 4, csum);
	bfo_jbd2_put16(tag, 6, flags);
	if (j->incompat & BFO_JBD2_INCOMPAT_64BIT)
		bfo_jbd2_put32(tag, 8, image->blk >> 32);
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
		tag += bfo_jbd2_tag_bytes(l->j->incompat);
		if (i)
			continue;
		memcpy(tag, l->j->super + BFO_JBD2_SB_UUID, BFO_JBD2_UUID_BYTES);
		tag += BFO_JBD2_UUID_BYTES;
	}
	if (bfo_jbd2_has_csum(l->j->incompat))
		bfo_jbd2_put32(block, tail, bfo_jbd2_block_csum(l->j->seed, block, bs, tail));
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
	if (bfo_jbd2_has_csum(j->incompat))
		bfo_jbd2_put32(block, BFO_JBD2_C_CSUM,
			       bfo_jbd2_block_csum(j->seed, block, j->vol->block_size,
						   BFO_JBD2_C_CSUM));
	if (l->at + l->n < j->last)
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
	struct log l = { .j = j, .w = w, .at = j->first, .max = LOG_BYTES / j->vol->block_size };
	errcode_t err;

	if (bfo_txlog_need(j, n) > bfo_txlog_room(j))
		return bfo_fail(w->ctx, BFO_ET_JOURNAL_SMALL, "logging %zu blocks in the journal of "
				"%s", n, j->vol->spec);
	l.buf = malloc(LOG_BYTES);
	if (!l.buf)
		return bfo_fail(w->ctx, ENOMEM, "logging in the journal of %s", j->vol->spec);
	err = log_all(&l, images, n);
	free(l.buf);
	return err ? err : bfo_writer_flush(w);
}

static errcode_t write_super(struct bfo_txlog *j, struct bfo_writer *w)
{
	errcode_t err;

	set_csum(j);
	err = bfo_writer_change_part(w, j->map.v[0].start, sizeof(j->super), j->super);
	return err ? err : bfo_writer_flush(w);
}

errcode_t bfo_txlog_start(struct bfo_txlog *j, struct bfo_writer *w)
{
	bfo_jbd2_put32(j->super, BFO_JBD2_SB_SEQUENCE, j->sequence);
	bfo_jbd2_put32(j->super, BFO_JBD2_SB_START, j->first);
	return write_super(j, w);
}

errcode_t bfo_txlog_stop(struct bfo_txlog *j, struct bfo_writer *w)
{
	if (bfo_jbd2_get32(j->super, BFO_JBD2_SB_START))
		j->sequence++;		/* else this is another try */
	bfo_jbd2_put32(j->super, BFO_JBD2_SB_SEQUENCE, j->sequence);
	return bfo_txlog_cancel(j, w);
}

errcode_t bfo_txlog_cancel(struct bfo_txlog *j, struct bfo_writer *w)
{
	bfo_jbd2_put32(j->super, BFO_JBD2_SB_START, 0);
	return write_super(j, w);
}

/* Walks over the descriptors at the beginning of the log to the commit block behind them. */
static int find_commit(const struct bfo_txlog *j, const char *block, int *count)
{
	uint32_t tail = bfo_jbd2_has_csum(j->incompat) ? BFO_JBD2_TAIL_BYTES : 0;
	uint32_t size = bfo_jbd2_tag_bytes(j->incompat), at = BFO_JBD2_TAGS, flags;

	for (*count = 0; at + size <= j->vol->block_size - tail; at += size) {
		++*count;
		flags = j->incompat & BFO_JBD2_INCOMPAT_CSUM_V3 ? bfo_jbd2_get32(block, at + 4) :
			bfo_jbd2_get16(block, at + 6);
		if (flags & BFO_JBD2_TAG_LAST)
			return 1;
		if (!(flags & BFO_JBD2_TAG_SAME_UUID))
			at += BFO_JBD2_UUID_BYTES;
	}
	return 0;
}

errcode_t bfo_txlog_last_is(struct bfo_context *ctx, struct bfo_txlog *j, const void *tag,
			      int *yes)
{
	char *block = malloc(j->vol->block_size);
	uint64_t at = j->first, len;
	errcode_t err = block ? 0 : ENOMEM;
	uint32_t type = BFO_JBD2_DESCRIPTOR, age;
	int count;

	*yes = 0;		/* who replays counts one transaction more */
	while (!err && type == BFO_JBD2_DESCRIPTOR && at < j->last) {
		err = bfo_volume_read(ctx, j->vol, block_of(j, at, &len), 1, block);
		age = j->sequence - bfo_jbd2_get32(block, BFO_JBD2_H_SEQUENCE);
		if (err || bfo_jbd2_get32(block, BFO_JBD2_H_MAGIC) != BFO_JBD2_MAGIC || age < 1 ||
		    age > 2)
			break;
		type = bfo_jbd2_get32(block, BFO_JBD2_H_TYPE);
		if (type != BFO_JBD2_DESCRIPTOR || !find_commit(j, block, &count))
			break;
		at += 1 + count;
	}
	if (!err && at < j->last && type == BFO_JBD2_COMMIT)
		*yes = !memcmp(block + BFO_TXLOG_TAG_BYTE, tag, BFO_TXLOG_TAG_BYTES);
	free(block);
	return err;
}
