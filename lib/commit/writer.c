// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * writer.c - the one place where blocks of a target are written
 */
#include <errno.h>

#include "base/crc32c.h"
#include "commit/writer.h"

#define SUPER_OFFSET 1024	/* bytes; also its size */

errcode_t bfo_writer_write(struct bfo_writer *w, uint64_t blk, uint32_t count, const void *data)
{
	errcode_t err;

	if (w->failed)
		return w->failed;
	errno = 0;
	err = io_channel_write_blk64(w->vol->fs->io, blk, count, data);
	if (err == EXT2_ET_SHORT_WRITE && errno)
		err = errno;		/* it says why: a full disk, a limit */
	w->requests++;
	w->blocks += count;
	if (!err && w->keep_sums)
		err = bfo_vec_push(&w->sums, (struct bfo_sum) { .blk = blk, .count = count,
				   .crc = bfo_crc32c(~0U, data, (size_t) count *
						     w->vol->block_size) });
	if (err)
		w->failed = bfo_fail(w->ctx, err, "writing %u blocks at block %llu of %s", count,
				     (unsigned long long) blk, w->vol->spec);
	return err;
}

errcode_t bfo_writer_super(struct bfo_writer *w, const struct ext2_super_block *sb)
{
	io_channel io = w->vol->fs->io;
	errcode_t err;

	if (w->failed)
		return w->failed;
	err = io_channel_set_blksize(io, SUPER_OFFSET);
	if (!err)
		err = io_channel_write_blk64(io, 1, -(int) sizeof(*sb), sb);
	if (!err)
		err = io_channel_set_blksize(io, w->vol->block_size);
	w->requests++;
	if (err)
		w->failed = bfo_fail(w->ctx, err, "writing the superblock of %s", w->vol->spec);
	return err;
}

errcode_t bfo_writer_flush(struct bfo_writer *w)
{
	errcode_t err;

	if (w->failed)
		return w->failed;
	err = io_channel_flush(w->vol->fs->io);
	if (err)
		w->failed = bfo_fail(w->ctx, err, "flushing %s", w->vol->spec);
	return err;
}
