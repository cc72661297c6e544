// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * writer.c - the one place where blocks of a target are written
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "commit/writer.h"

#define BULK_BYTES (64 << 10)	/* less than that is left to the page cache */
#define SUPER_OFFSET 1024	/* bytes; also its size */

/*
 * A second channel to the volume, on top of its I/O manager.  The undo file is told its block size,
 * else it takes that of the first write, of a superblock, and e2undo puts blocks elsewhere.
 */
static errcode_t open_undo(struct bfo_writer *w, const char *undo_file)
{
	struct bfo_volume *vol = w->vol;
	char size[40];
	errcode_t err;
	int fd;

	fd = open(undo_file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || close(fd))
		return bfo_fail(w->ctx, errno, "making undo file %s", undo_file);
	err = set_undo_io_backing_manager(vol->fs->io->manager);
	if (!err)
		err = set_undo_io_backup_file((char *) undo_file);
	if (!err)
		err = undo_io_manager->open(vol->device.path, IO_FLAG_RW, &w->live);
	if (!err && !w->live)
		err = EIO;		/* libext2fs does not always say why */
	if (!err && vol->options)
		err = io_channel_set_options(w->live, vol->options);
	snprintf(size, sizeof(size), "tdb_data_size=%u", vol->block_size);
	if (!err)
		err = io_channel_set_options(w->live, size);
	if (!err)
		err = io_channel_set_blksize(w->live, vol->block_size);
	return err ? bfo_fail(w->ctx, err, "making undo file %s", undo_file) : 0;
}

errcode_t bfo_writer_reread_super(struct bfo_writer *w)
{
	io_channel io = w->vol->fs->io;
	errcode_t err = io_channel_set_blksize(io, SUPER_OFFSET), back;

	if (!err)
		err = io_channel_read_blk64(io, 1, -SUPER_OFFSET, &w->super);
	back = io_channel_set_blksize(io, w->vol->block_size);
	err = err ? err : back;
	return err ? bfo_fail(w->ctx, err, "reading the superblock of %s", w->vol->spec) : 0;
}

errcode_t bfo_writer_open(struct bfo_writer *w, struct bfo_context *ctx, struct bfo_volume *vol,
			  const char *undo_file)
{
	errcode_t err;

	memset(w, 0, sizeof(*w));
	w->ctx = ctx;
	w->vol = vol;
	err = bfo_writer_reread_super(w);
	if (!err && undo_file)
		err = open_undo(w, undo_file);
	if (!w->live)
		w->live = vol->fs->io;
	return err;
}

errcode_t bfo_writer_close(struct bfo_writer *w)
{
	errcode_t err = 0;

	if (w->live && w->live != w->vol->fs->io)
		err = io_channel_close(w->live);
	w->live = NULL;
	bfo_vec_free(&w->sums);
	return err ? bfo_fail(w->ctx, err, "finishing the undo file of %s", w->vol->spec) : 0;
}

static errcode_t note_sum(struct bfo_writer *w, uint64_t blk, uint32_t count, const void *data)
{
	uint32_t crc = bfo_crc32c(~0U, data, (size_t) count * w->vol->block_size);

	return bfo_vec_push(&w->sums, (struct bfo_sum) { .blk = blk, .count = count, .crc = crc });
}

/* EINVAL, with nothing written, if that is not done here. */
static errcode_t write_direct(struct bfo_writer *w, uint64_t blk, int count, const void *data)
{
	struct bfo_volume *vol = w->vol;

	return bfo_direct_wanted(&vol->device) ?
	       bfo_direct_write(&vol->device, vol->offset + blk * vol->block_size,
				(uint64_t) count * vol->block_size, data) : EINVAL;
}

/*
 * A full disk, or a limit, that is met in the middle of a write makes it short; why, only who goes
 * on is told: so its last block is tried again.
 */
static errcode_t write_cached(io_channel io, uint64_t blk, int count, const void *data)
{
	errcode_t err, why;

	errno = 0;
	err = io_channel_write_blk64(io, blk, count, data);
	if (err != EXT2_ET_SHORT_WRITE)
		return err;
	if (errno || count <= 1)	/* less than 0: a part of a block */
		return errno ? errno : err;
	why = write_cached(io, blk + count - 1, 1,
			   (const char *) data + (size_t) (count - 1) * io->block_size);
	return why ? why : err;
}

/*
 * COUNT as libext2fs has it: blocks, or less than 0 bytes.  No sum of the superblock's block: it
 * changes several times.
 */
static errcode_t put(struct bfo_writer *w, io_channel io, uint64_t blk, int count,
		     const void *data)
{
	uint32_t blocks = count < 0 ? 1 : count;
	errcode_t err;

	if (w->failed)
		return w->failed;
	err = count >= BULK_BYTES / (int) w->vol->block_size && io == w->vol->fs->io ?
	      write_direct(w, blk, count, data) : EINVAL;
	if (err == EINVAL)
		err = write_cached(io, blk, count, data);
	w->is_dirty = 1;
	w->requests++;
	w->blocks += blocks;
	if (!err && w->keep_sums && count > 0 && blk != SUPER_OFFSET / w->vol->block_size)
		err = note_sum(w, blk, blocks, data);
	if (err)
		w->failed = bfo_fail(w->ctx, err, "writing %u blocks at block %llu of %s", blocks,
				     (unsigned long long) blk, w->vol->spec);
	return err;
}

errcode_t bfo_writer_write(struct bfo_writer *w, uint64_t blk, uint32_t count, const void *data)
{
	return put(w, w->vol->fs->io, blk, count, data);
}

errcode_t bfo_writer_part(struct bfo_writer *w, uint64_t blk, uint32_t bytes, const void *data)
{
	return put(w, w->vol->fs->io, blk, -(int) bytes, data);
}

errcode_t bfo_writer_change(struct bfo_writer *w, uint64_t blk, const void *data)
{
	return put(w, w->live, blk, 1, data);
}

errcode_t bfo_writer_change_part(struct bfo_writer *w, uint64_t blk, uint32_t bytes,
				 const void *data)
{
	return put(w, w->live, blk, -(int) bytes, data);
}

errcode_t bfo_writer_super(struct bfo_writer *w, struct ext2_super_block *sb)
{
	errcode_t err, back;

	if (w->failed)
		return w->failed;
	err = ext2fs_superblock_csum_set(w->vol->fs, sb);
	if (!err)
		err = io_channel_set_blksize(w->live, SUPER_OFFSET);
	if (!err)
		err = io_channel_write_blk64(w->live, 1, -(int) sizeof(*sb), sb);
	if (!err)
		memmove(&w->super, sb, sizeof(*sb));
	back = io_channel_set_blksize(w->live, w->vol->block_size);	/* others write, too */
	err = err ? err : back;
	w->is_dirty = 1;
	w->requests++;
	if (err)
		w->failed = bfo_fail(w->ctx, err, "writing the superblock of %s", w->vol->spec);
	return err;
}

errcode_t bfo_writer_flush(struct bfo_writer *w)
{
	errcode_t err;

	if (w->failed || !w->is_dirty)
		return w->failed;
	err = io_channel_flush(w->vol->fs->io);
	if (!err && w->live != w->vol->fs->io)
		err = io_channel_flush(w->live);
	w->is_dirty = !!err;
	if (err)
		w->failed = bfo_fail(w->ctx, err, "flushing %s", w->vol->spec);
	return err;
}

/* ---- a pipe's end ---- */

static errcode_t drain_write(void *priv, uint64_t blk, uint32_t len, const void *data)
{
	struct bfo_writer *w = priv;
	errcode_t err = bfo_writer_write(w, blk, len, data);

	bfo_volume_write_back(w->vol, blk, len);
	return err;
}

static void seal_attributes(void *priv, uint64_t blk, void *block)
{
	struct bfo_writer *w = priv;

	ext2fs_ext_attr_block_csum_set(w->vol->fs, 0, blk, block);
}

static errcode_t settle(void *priv)
{
	return bfo_writer_flush(priv);
}

struct bfo_drain bfo_writer_drain(struct bfo_writer *w, int is_one_disk)
{
	return (struct bfo_drain) { .block_size = w->vol->block_size, .write = drain_write,
				    .settle = is_one_disk ? settle : NULL,
				    .seal_attributes = seal_attributes, .priv = w, .ctx = &w->ctx };
}
