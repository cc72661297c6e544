// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * overlay.c - an I/O manager that shows a filesystem as it will be when its journal is replayed
 *
 *   wanted      [ block | block | block | block | block | block ]
 *   replayed            [ block ]       [ block | block ]         from the journal, a request each
 *   else        [ block ]       [ block ]               [ block ]    in one request each
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "volume/overlay.h"

static errcode_t open_channel(const char *name, int flags, io_channel *out)
{
	io_channel channel;

	*out = NULL;
	if (flags & IO_FLAG_RW)
		return EXT2_ET_RO_FILSYS;
	channel = calloc(1, sizeof(*channel));
	if (!channel)
		return ENOMEM;
	channel->magic = EXT2_ET_MAGIC_IO_CHANNEL;
	channel->manager = bfo_overlay_manager;
	channel->block_size = SUPERBLOCK_SIZE;
	channel->refcount = 1;
	channel->name = strdup(name);
	if (!channel->name) {
		free(channel);
		return ENOMEM;
	}
	*out = channel;
	return 0;
}

static errcode_t close_channel(io_channel channel)
{
	const struct bfo_overlay *o = channel->private_data;
	errcode_t err = 0;

	if (--channel->refcount > 0)
		return 0;
	if (o)
		err = io_channel_close(o->below);
	free(channel->name);
	free(channel);
	return err;
}

static errcode_t set_option(io_channel channel, const char *option, const char *arg)
{
	const struct bfo_overlay *o = channel->private_data;
	void *overlay;

	if (o)
		return o->below->manager->set_option(o->below, option, arg);
	if (strcmp(option, "overlay") || !arg || sscanf(arg, "%p", &overlay) != 1)
		return EXT2_ET_INVALID_ARGUMENT;
	channel->private_data = overlay;
	o = overlay;
	io_channel_bumpcount(o->below);
	return io_channel_set_blksize(o->below, channel->block_size);
}

static errcode_t set_block_size(io_channel channel, int size)
{
	const struct bfo_overlay *o = channel->private_data;

	channel->block_size = size;
	return io_channel_set_blksize(o->below, size);
}

/* LEN bytes from byte AT of the filesystem on, as they stand there. */
static errcode_t read_below(const struct bfo_overlay *o, uint64_t at, uint64_t len, char *data)
{
	if (o->vol->device.fd >= 0)
		return bfo_media_read_bytes(o->vol, at, len, data);
	return io_channel_read_blk64(o->below, at / o->below->block_size, -(int) len, data);
}

/* LEN bytes from byte SKIP on of replayed block B. */
static errcode_t read_replayed(const struct bfo_overlay *o, const struct bfo_replayed *b,
			       uint64_t skip, uint64_t len, char *data)
{
	char *block = malloc(o->journal->block_size);
	errcode_t err = block ? bfo_replay_read(o->ctx, o->journal, b, block) : ENOMEM;

	if (!err)
		memcpy(data, block + skip, len);
	free(block);
	return err;
}

static errcode_t read_blocks(io_channel channel, unsigned long long blk, int count, void *data)
{
	const struct bfo_overlay *o = channel->private_data;
	uint64_t bytes = count < 0 ? -(int64_t) count : (int64_t) count * channel->block_size;
	uint64_t at = blk * channel->block_size, end = at + bytes, size = o->journal->block_size,
		 to;
	const struct bfo_replayed *b;
	errcode_t err = 0;

	for (; at < end && !err; at = to) {
		b = bfo_replay_from(o->replay, at / size);
		if (b && b->blk == at / size) {
			to = (b->blk + 1) * size < end ? (b->blk + 1) * size : end;
			err = read_replayed(o, b, at % size, to - at, data);
		} else {
			to = b && b->blk * size < end ? b->blk * size : end;
			err = read_below(o, at, to - at, data);
		}
		data = (char *) data + (to - at);
	}
	return err;
}

static errcode_t read_few(io_channel channel, unsigned long blk, int count, void *data)
{
	return read_blocks(channel, blk, count, data);
}

static errcode_t write_nothing(io_channel channel, unsigned long blk, int count, const void *data)
{
	(void) channel;
	(void) blk;
	(void) count;
	(void) data;
	return EXT2_ET_RO_FILSYS;
}

static errcode_t write_nothing64(io_channel channel, unsigned long long blk, int count,
				 const void *data)
{
	return write_nothing(channel, blk, count, data);
}

static errcode_t flush(io_channel channel)
{
	(void) channel;
	return 0;
}

static struct struct_io_manager manager = {
	.magic = EXT2_ET_MAGIC_IO_MANAGER,
	.name = "journal overlay of libe2bfo",
	.open = open_channel,
	.close = close_channel,
	.set_blksize = set_block_size,
	.read_blk = read_few,
	.write_blk = write_nothing,
	.flush = flush,
	.set_option = set_option,
	.read_blk64 = read_blocks,
	.write_blk64 = write_nothing64,
};

io_manager bfo_overlay_manager = &manager;
