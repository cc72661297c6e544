// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * media.c - what of a volume cannot be read
 *
 * Requests go to the volume's own descriptor where there is one: unix_io asks a second time after
 * each failure, which a dying disk answers slowly, and its descriptor cannot be told to read
 * nothing ahead, as is necessary where a mapfile says what must not be touched.
 *
 *   mapfile, bytes   |++++++++++++|---|+++++++++++|????????|
 *   device, bytes    |===============================================|
 *   blocks           | good | good | bad  | good  | bad |  ...  | bad |  ...   good if all of it is
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "volume/recovery.h"
#include "volume/volume.h"

#define SUPER_OFFSET 1024	/* bytes; also its size */
#define DIRECT_ALIGN 4096	/* bytes; what O_DIRECT may want of memory */
#define DONE_SETTLE 4096	/* ranges */

void bfo_media_free(struct bfo_media *media)
{
	bfo_vec_free(&media->bad);
	bfo_vec_free(&media->found);
	bfo_vec_free(&media->done);
	free(media->exact);
	media->exact = NULL;
}

uint64_t bfo_media_missing(const struct bfo_volume *vol)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(vol->blocks, (uint64_t) vol->block_size, &bytes))
		return UINT64_MAX;
	return bytes > vol->store.size ? bytes - vol->store.size : 0;
}

errcode_t bfo_media_why(const struct bfo_volume *vol, uint64_t blk)
{
	if (blk >= vol->media.end)
		return BFO_ET_TRUNCATED;
	return bfo_ranges_contain(&vol->media.found, blk) ? EIO : BFO_ET_NOT_RESCUED;
}

int bfo_media_is_error(errcode_t err)
{
	switch (err) {
	case EIO:
	case ENODATA:		/* what the block layer calls a medium error */
	case EILSEQ:		/* protection information */
	case EREMOTEIO:
	case ETIMEDOUT:
	case EBADMSG:		/* an image file on a damaged filesystem */
	case EUCLEAN:
	case EXT2_ET_SHORT_READ:
	case BFO_ET_NOT_RESCUED:
	case BFO_ET_TRUNCATED:
		return 1;
	}
	return 0;
}

static errcode_t read_bytes(const struct bfo_volume *vol, uint64_t at, size_t len, void *buf)
{
	ssize_t got;

	bfo_pace_take(vol->device.pace, len);
	do
		got = pread(vol->device.fd, buf, len, at);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return errno;
	return (size_t) got == len ? 0 : EXT2_ET_SHORT_READ;
}

/* The first block that the journal has, from BLK on; NULL: none. Of a target it means nothing. */
static const struct bfo_replayed *replayed_from(const struct bfo_volume *vol, uint64_t blk)
{
	return vol->recovery && !vol->device.writable ? bfo_replay_from(&vol->recovery->replay, blk)
						      : NULL;
}

static const struct bfo_replayed *replayed_at(const struct bfo_volume *vol, uint64_t blk)
{
	const struct bfo_replayed *b = replayed_from(vol, blk);

	return b && b->blk == blk ? b : NULL;
}

static errcode_t read_replayed(struct bfo_volume *vol, const struct bfo_replayed *b, void *buf)
{
	return bfo_replay_read(vol->recovery->overlay.ctx, &vol->recovery->journal, b, buf);
}

/* COUNT blocks from BLK on, 0, or why one of them must not be asked for. */
static errcode_t check(const struct bfo_volume *vol, uint64_t blk, uint32_t count)
{
	uint32_t good = bfo_media_fit(vol, blk, count, NULL);

	return good == count ? 0 : bfo_media_why(vol, blk + good);
}

/* What stands on the medium. */
static errcode_t read_raw(struct bfo_volume *vol, uint64_t blk, uint32_t count, void *buf)
{
	errcode_t err;

	if (vol->device.fd >= 0 && !vol->device.writable)
		err = read_bytes(vol, vol->offset + blk * vol->block_size,
				 (size_t) count * vol->block_size, buf);
	else
		err = io_channel_read_blk64(vol->fs->io, blk, count, buf);
	return err ? err : bfo_media_note_done(vol, blk, count);
}

errcode_t bfo_media_read(struct bfo_volume *vol, uint64_t blk, uint32_t count, void *buf)
{
	const struct bfo_replayed *b;
	errcode_t err = check(vol, blk, count);
	uint32_t n;

	for (; count && !err; blk += n, count -= n) {
		b = replayed_from(vol, blk);
		n = !b || b->blk - blk >= count ? count : b->blk == blk ? 1 : b->blk - blk;
		err = b && b->blk == blk ? read_replayed(vol, b, buf) : read_raw(vol, blk, n, buf);
		buf = (char *) buf + (size_t) n * vol->block_size;
	}
	return err;
}

errcode_t bfo_media_read_bytes(const struct bfo_volume *vol, uint64_t at, size_t len, void *buf)
{
	uint64_t first = at / vol->block_size, n = (at + len - 1) / vol->block_size - first + 1;
	errcode_t err = check(vol, first, n);

	return err ? err : read_bytes(vol, vol->offset + at, len, buf);
}

static errcode_t read_exact(struct bfo_volume *vol, uint64_t blk, void *buf)
{
	struct bfo_media *m = &vol->media;
	struct iovec iov = { .iov_len = vol->block_size };
	errcode_t err = EINVAL;

	if (vol->device.fd >= 0 && !m->exact)
		m->exact = aligned_alloc(DIRECT_ALIGN, vol->block_size < DIRECT_ALIGN ?
						       DIRECT_ALIGN : vol->block_size);
	iov.iov_base = m->exact;
	if (m->exact)
		err = bfo_direct_read(&vol->device, vol->offset + blk * vol->block_size,
				      iov.iov_len, &iov, 1);
	if (err == EINVAL)		/* sectors larger than blocks */
		return read_raw(vol, blk, 1, buf);
	if (err)
		return err;
	memcpy(buf, m->exact, vol->block_size);
	return bfo_media_note_done(vol, blk, 1);
}

errcode_t bfo_media_read_exact(struct bfo_volume *vol, uint64_t blk, void *buf)
{
	const struct bfo_replayed *b = replayed_at(vol, blk);
	errcode_t err;

	if (b)
		return read_replayed(vol, b, buf);
	err = check(vol, blk, 1);
	return err ? err : read_exact(vol, blk, buf);
}

errcode_t bfo_media_read_place(struct bfo_volume *vol, uint64_t blk, void *buf)
{
	errcode_t err = check(vol, blk, 1), noted;

	if (err)
		return err;
	err = read_raw(vol, blk, 1, buf);
	if (bfo_media_is_error(err))
		err = read_exact(vol, blk, buf);
	if (!bfo_media_is_error(err))
		return err;
	noted = bfo_media_note_bad(vol, blk);
	return noted ? noted : err;
}

/* Reads are mostly ascending; now and then what is not is put in order, so that it stays short. */
errcode_t bfo_media_note_done(struct bfo_volume *vol, uint64_t blk, uint32_t count)
{
	struct bfo_media *m = &vol->media;
	struct bfo_range *last = m->done.n ? &m->done.v[m->done.n - 1] : NULL;

	if (!m->opt.keep_done)
		return 0;
	if (last && last->start + last->len == blk) {
		last->len += count;
		return 0;
	}
	if (m->done.n >= DONE_SETTLE + 2 * m->settled) {
		bfo_ranges_settle(&m->done);
		m->settled = m->done.n;
	}
	return bfo_vec_push(&m->done, (struct bfo_range) { .start = blk, .len = count });
}

errcode_t bfo_media_note_bad(struct bfo_volume *vol, uint64_t blk)
{
	errcode_t err = bfo_ranges_add(&vol->media.found, blk, 1);

	return err ? err : bfo_ranges_add(&vol->media.bad, blk, 1);
}

uint32_t bfo_media_fit(const struct bfo_volume *vol, uint64_t blk, uint32_t count, uint32_t *bad)
{
	const struct bfo_range *r = vol->media.bad.n ? bfo_ranges_from(&vol->media.bad, blk) : NULL;
	uint64_t left;

	if (!r || r->start >= blk + count)
		return count;
	if (r->start > blk)
		return r->start - blk;
	left = r->start + r->len - blk;
	if (bad)
		*bad = left < count ? left : count;
	return 0;
}

/* Reads LEN bytes at AT of the device or file, if the mapfile has them. */
static errcode_t warm(struct bfo_context *ctx, const struct bfo_volume *vol, uint64_t at,
		      uint32_t len, const char *what)
{
	char *buf = malloc(len);
	errcode_t err;

	if (!buf)
		return bfo_fail(ctx, ENOMEM, "opening %s", vol->spec);
	err = bfo_mapfile_has(vol->media.opt.map, at, len) ? read_bytes(vol, at, len, buf)
							   : BFO_ET_NOT_RESCUED;
	free(buf);
	return err ? bfo_fail(ctx, err, "reading %s of %s; -b opens it by a backup (mke2fs -n "
			      "says where they are)", what, vol->spec) : 0;
}

static errcode_t warm_descriptors(struct bfo_context *ctx, struct bfo_volume *vol, ext2_filsys fs)
{
	uint64_t group_block = vol->media.opt.superblock;
	errcode_t err = 0;
	dgrp_t i;

	if (!group_block)
		group_block = fs->super->s_first_data_block;
	for (i = 0; i < fs->desc_blocks && !err; i++)
		err = warm(ctx, vol,
			   vol->offset +
				   ext2fs_descriptor_block_loc2(fs, group_block, i) * fs->blocksize,
			   fs->blocksize, "the group descriptors");
	return err;
}

errcode_t bfo_media_open_super(const struct bfo_volume *vol, io_manager io, ext2_filsys *fs)
{
	return ext2fs_open2(vol->device.path, vol->options,
			    EXT2_FLAG_64BITS | EXT2_FLAG_SUPER_ONLY | EXT2_FLAG_FORCE |
				    EXT2_FLAG_JOURNAL_DEV_OK | EXT2_FLAG_SKIP_MMP,
			    vol->media.opt.superblock, vol->media.opt.block_size, io, fs);
}

errcode_t bfo_media_prepare(struct bfo_context *ctx, struct bfo_volume *vol, io_manager io)
{
	const struct bfo_media_options *opt = &vol->media.opt;
	uint64_t at = SUPER_OFFSET;
	ext2_filsys fs;
	errcode_t err;

	if (!opt->map)
		return 0;
	if (vol->device.fd < 0)
		vol->device.fd = open(vol->device.path, O_RDONLY | O_CLOEXEC);
	if (vol->device.fd < 0)
		return bfo_fail(ctx, errno, "opening %s", vol->spec);
	posix_fadvise(vol->device.fd, 0, 0, POSIX_FADV_RANDOM);
	if (opt->superblock)
		at = opt->superblock * opt->block_size;
	err = warm(ctx, vol, vol->offset + at, SUPER_OFFSET, "the superblock");
	if (err)
		return err;
	if (bfo_media_open_super(vol, io, &fs))
		return 0;		/* opening it in earnest will say why */
	err = warm_descriptors(ctx, vol, fs);
	ext2fs_free(fs);
	return err;
}

errcode_t bfo_media_warm(const struct bfo_volume *vol, uint64_t blk)
{
	errcode_t err;
	char *buf;

	if (replayed_at(vol, blk))
		return 0;
	if (!vol->media.opt.map)
		return check(vol, blk, 1);
	buf = malloc(vol->block_size);
	err = buf ? bfo_media_read_bytes(vol, blk * vol->block_size, vol->block_size, buf) : ENOMEM;
	free(buf);
	return err;
}

/* What lies between START and END, bytes of the volume, cannot be had: the blocks that it meets. */
static errcode_t lack(struct bfo_volume *vol, uint64_t start, uint64_t end)
{
	uint64_t first = start / vol->block_size, last = end ? (end - 1) / vol->block_size : 0;

	if (start >= end || first >= vol->blocks)
		return 0;
	last = last < vol->blocks ? last : vol->blocks - 1;
	return bfo_ranges_add(&vol->media.bad, first, last - first + 1);
}

static errcode_t apply_map(struct bfo_volume *vol, const struct bfo_mapfile *map)
{
	uint64_t end = 0, at;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < map->areas.n && !err; i++) {
		const struct bfo_area *a = &map->areas.v[i];

		end = a->start + a->len;
		if (a->status == '+' || end <= vol->offset)
			continue;
		at = a->start > vol->offset ? a->start - vol->offset : 0;
		err = lack(vol, at, end - vol->offset);
	}
	return err ? err : lack(vol, end > vol->offset ? end - vol->offset : 0, UINT64_MAX);
}

errcode_t bfo_media_begin(struct bfo_volume *vol)
{
	struct bfo_media *m = &vol->media;
	errcode_t err = 0;

	m->bad.n = 0;			/* it is opened twice if its journal has to be replayed */
	m->end = UINT64_MAX;
	if (m->opt.map)
		err = apply_map(vol, m->opt.map);
	if (err || !m->opt.accept_short || !bfo_media_missing(vol))
		return err;
	m->end = vol->store.size / vol->block_size;
	return lack(vol, vol->store.size, UINT64_MAX);
}

errcode_t bfo_media_excuse_replayed(struct bfo_volume *vol)
{
	bfo_ranges *bad = &vol->media.bad, kept = { 0 };
	const struct bfo_replayed *b;
	uint64_t at, end, to;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < bad->n && !err; i++) {
		end = bad->v[i].start + bad->v[i].len;
		for (at = bad->v[i].start; at < end && !err; at = to + 1) {
			b = replayed_from(vol, at);
			to = b && b->blk < end ? b->blk : end;
			err = to > at ? bfo_ranges_append(&kept, at, to - at) : 0;
		}
	}
	if (err) {
		bfo_vec_free(&kept);
		return err;
	}
	bfo_vec_free(bad);
	*bad = kept;
	return 0;
}

/* libext2fs has read these, but perhaps not all of each block; what fails is no matter now. */
errcode_t bfo_media_note_opening(struct bfo_context *ctx, struct bfo_volume *vol)
{
	const struct bfo_media_options *opt = &vol->media.opt;
	struct ext2_super_block *sb = vol->fs->super;
	uint64_t super = opt->superblock ? opt->superblock : SUPER_OFFSET / vol->block_size;
	uint64_t group_block = opt->superblock ? opt->superblock : sb->s_first_data_block;
	void *block;
	dgrp_t i;

	if (!opt->keep_done)
		return 0;
	block = malloc(vol->block_size);
	if (!block)
		return bfo_fail(ctx, ENOMEM, "opening %s", vol->spec);
	bfo_media_read(vol, super, 1, block);
	for (i = 0; i < vol->fs->desc_blocks; i++)
		bfo_media_read(vol, ext2fs_descriptor_block_loc2(vol->fs, group_block, i), 1,
			       block);
	if (ext2fs_has_feature_mmp(sb))
		bfo_media_read(vol, sb->s_mmp_block, 1, block);
	free(block);
	return 0;
}

/* Blocks of the volume as bytes of the device or file. */
static errcode_t to_bytes(const struct bfo_volume *vol, const bfo_ranges *blocks, bfo_ranges *out)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < blocks->n && !err; i++)
		err = bfo_ranges_append(out, vol->offset + blocks->v[i].start * vol->block_size,
					blocks->v[i].len * vol->block_size);
	return err;
}

errcode_t bfo_media_update_map(struct bfo_volume *vol, struct bfo_mapfile *map)
{
	bfo_ranges done = { 0 }, found = { 0 };
	errcode_t err;

	bfo_ranges_settle(&vol->media.done);
	err = to_bytes(vol, &vol->media.done, &done);
	if (!err)
		err = to_bytes(vol, &vol->media.found, &found);
	if (!err)
		err = bfo_mapfile_mark(map, &done, '?', '+');
	if (!err)
		err = bfo_mapfile_mark(map, &found, '+', '-');
	if (!err)
		err = bfo_mapfile_mark(map, &found, '?', '-');
	bfo_vec_free(&done);
	bfo_vec_free(&found);
	return err;
}
