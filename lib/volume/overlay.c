// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * overlay.c - an I/O manager that shows a filesystem as it will be when its journal is replayed
 *
 *   read        [ block | block | block | block | block | block ]    in one request
 *   replayed            [ block ]       [ block | block ]            a request each
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jbd2.h"
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

/* Puts the part of replayed block B that lies in bytes [FROM, FROM + BYTES) over DATA. */
static errcode_t put_over(const struct bfo_overlay *o, const struct bfo_replayed *b, uint64_t from,
			  uint64_t bytes, char *data, char *block)
{
	uint64_t size = o->journal->block_size, begin = b->blk * size, end = begin + size;
	errcode_t err = bfo_journal_read(o->ctx, o->journal, b->at, block);

	if (err)
		return err;
	if (b->escaped)
		bfo_jbd2_put32(block, BFO_JBD2_H_MAGIC, BFO_JBD2_MAGIC);
	if (end > from + bytes)
		end = from + bytes;
	if (begin >= from)
		memcpy(data + (begin - from), block, end - begin);
	else
		memcpy(data, block + (from - begin), end - from);
	return 0;
}

static errcode_t read_blocks(io_channel channel, unsigned long long blk, int count, void *data)
{
	const struct bfo_overlay *o = channel->private_data;
	uint64_t bytes = count < 0 ? -(int64_t) count : (int64_t) count * channel->block_size;
	uint64_t from = blk * channel->block_size, size = o->journal->block_size;
	errcode_t err = io_channel_read_blk64(o->below, blk, count, data);
	size_t i = bfo_vec_lower(&o->replay->blocks, blk, from / size);
	char *block = NULL;

	for (; !err && i < o->replay->blocks.n; i++) {
		const struct bfo_replayed *b = &o->replay->blocks.v[i];

		if (b->blk * size >= from + bytes)
			break;
		if (!block)
			block = malloc(size);
		err = block ? put_over(o, b, from, bytes, data, block) : ENOMEM;
	}
	free(block);
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
