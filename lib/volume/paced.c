// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * paced.c - what libext2fs reads of a volume by itself keeps to the pace, too
 *
 * Superblock and group descriptors are read before there is a channel to be watched.  They are
 * counted afterwards: the next reads wait for them.
 */
#include "volume/paced.h"

static errcode_t read_blk64(io_channel channel, unsigned long long blk, int count, void *data)
{
	struct bfo_volume *vol = channel->app_data;

	bfo_pace_take(vol->device.pace, count < 0 ? -(int64_t) count :
		      (int64_t) count * channel->block_size);
	return vol->unpaced->read_blk64(channel, blk, count, data);
}

static errcode_t read_blk(io_channel channel, unsigned long blk, int count, void *data)
{
	return read_blk64(channel, blk, count, data);
}

void bfo_paced_begin(struct bfo_volume *vol)
{
	io_channel io = vol->fs->io;

	if (!vol->device.pace || vol->unpaced)
		return;
	vol->unpaced = io->manager;
	vol->paced = *io->manager;
	vol->paced.read_blk = read_blk;
	vol->paced.read_blk64 = read_blk64;
	io->app_data = vol;
	io->manager = &vol->paced;
	bfo_pace_take(vol->device.pace, SUPERBLOCK_SIZE + (uint64_t) vol->fs->desc_blocks *
		      vol->block_size);
}
