// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * io_log.c - an io_manager on top of unix_io that writes down what passes through it
 *
 *   library ── io_log channel ── unix_io channel ── image
 *                    `─ log
 *
 * Whatever is not passed on here (discard, zeroout, readahead) the library does not get: a write
 * that the log does not show cannot happen.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "io_log.h"
#include "unit.h"

#define MAX_NAMES 8
#define MAX_BAD 64

static struct {
	pthread_mutex_t lock;
	BFO_VEC(struct io_log_entry) entries;
	char *names[MAX_NAMES];
	size_t fail_in, fail_count;	/* writes until, and how many then */
	errcode_t fail_code;
	struct {
		uint64_t at, len;
	} bad[MAX_BAD];
	size_t n_bad;
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

struct layer {
	io_channel below;
	unsigned int name;
};

static struct layer *layer_of(io_channel io)
{
	return io->private_data;
}

static void append(io_channel io, struct io_log_entry e)
{
	e.name = layer_of(io)->name;
	pthread_mutex_lock(&state.lock);
	if (bfo_vec_push(&state.entries, e))
		abort();
	pthread_mutex_unlock(&state.lock);
}

static void note(io_channel io, enum io_log_op op, uint64_t at, uint64_t bytes, int flags)
{
	append(io, (struct io_log_entry) { .op = op, .flags = flags, .at = at, .bytes = bytes });
}

unsigned int io_log_name(const char *name)
{
	unsigned int i;

	for (i = 0; state.names[i] && strcmp(state.names[i], name); i++)
		want(i + 1 < MAX_NAMES);
	if (!state.names[i])
		state.names[i] = unit_copy(name, strlen(name) + 1);
	return i;
}

static errcode_t log_open(const char *name, int flags, io_channel *channel)
{
	io_channel io = unit_alloc(sizeof(*io));
	struct layer *layer = unit_alloc(sizeof(*layer));
	errcode_t err = unix_io_manager->open(name, flags, &layer->below);

	if (err) {
		free(layer);
		free(io);
		return err;
	}
	layer->name = io_log_name(name);
	io->magic = EXT2_ET_MAGIC_IO_CHANNEL;
	io->manager = io_log_manager;
	io->name = unit_copy(name, strlen(name) + 1);
	io->block_size = layer->below->block_size;
	io->refcount = 1;
	io->private_data = layer;
	note(io, IO_LOG_OPEN, 0, 0, flags);
	*channel = io;
	return 0;
}

static errcode_t log_close(io_channel io)
{
	errcode_t err = 0;

	if (--io->refcount > 0)
		return 0;
	note(io, IO_LOG_CLOSE, 0, 0, 0);
	err = io_channel_close(layer_of(io)->below);
	free(io->private_data);
	free(io->name);
	free(io);
	return err;
}

static errcode_t log_set_blksize(io_channel io, int blksize)
{
	io->block_size = blksize;
	return io_channel_set_blksize(layer_of(io)->below, blksize);
}

/* COUNT as libext2fs counts: negative ones are bytes. */
static uint64_t bytes_of(io_channel io, int count)
{
	return count < 0 ? (uint64_t) -(int64_t) count : (uint64_t) count * io->block_size;
}

static int is_bad(uint64_t at, uint64_t bytes)
{
	size_t i;

	for (i = 0; i < state.n_bad; i++)
		if (state.bad[i].at < at + bytes && at < state.bad[i].at + state.bad[i].len)
			return 1;
	return 0;
}

static errcode_t log_read(io_channel io, unsigned long long block, int count, void *data)
{
	note(io, IO_LOG_READ, block * io->block_size, bytes_of(io, count), 0);
	if (is_bad(block * io->block_size, bytes_of(io, count)))
		return EIO;
	return io_channel_read_blk64(layer_of(io)->below, block, count, data);
}

static int fails_now(void)
{
	int now;

	pthread_mutex_lock(&state.lock);
	now = state.fail_in == 1 && state.fail_count;
	state.fail_count -= now;
	state.fail_in -= state.fail_in > 1;
	pthread_mutex_unlock(&state.lock);
	return now;
}

static errcode_t log_write(io_channel io, unsigned long long block, int count, const void *data)
{
	struct io_log_entry e = { .op = IO_LOG_WRITE, .at = block * io->block_size,
				  .bytes = bytes_of(io, count) };

	if (e.bytes == SUPERBLOCK_SIZE)
		e.data = unit_copy(data, e.bytes);
	append(io, e);
	if (fails_now())
		return state.fail_code;
	return io_channel_write_blk64(layer_of(io)->below, block, count, data);
}

static errcode_t log_read_short(io_channel io, unsigned long block, int count, void *data)
{
	return log_read(io, block, count, data);
}

static errcode_t log_write_short(io_channel io, unsigned long block, int count, const void *data)
{
	return log_write(io, block, count, data);
}

static errcode_t log_write_byte(io_channel io, unsigned long offset, int count, const void *data)
{
	note(io, IO_LOG_WRITE, offset, count, 0);
	if (fails_now())
		return state.fail_code;
	return io_channel_write_byte(layer_of(io)->below, offset, count, data);
}

static errcode_t log_flush(io_channel io)
{
	note(io, IO_LOG_FLUSH, 0, 0, 0);
	return io_channel_flush(layer_of(io)->below);
}

static errcode_t log_set_option(io_channel io, const char *option, const char *arg)
{
	io_channel below = layer_of(io)->below;

	return below->manager->set_option(below, option, arg);
}

static struct struct_io_manager manager = {
	.magic = EXT2_ET_MAGIC_IO_MANAGER,
	.name = "I/O log",
	.open = log_open,
	.close = log_close,
	.set_blksize = log_set_blksize,
	.read_blk = log_read_short,
	.write_blk = log_write_short,
	.flush = log_flush,
	.write_byte = log_write_byte,
	.set_option = log_set_option,
	.read_blk64 = log_read,
	.write_blk64 = log_write,
};

io_manager io_log_manager = &manager;

void io_log_reset(void)
{
	size_t k;
	int i;

	for (k = 0; k < state.entries.n; k++)
		free(state.entries.v[k].data);
	bfo_vec_free(&state.entries);
	for (i = 0; i < MAX_NAMES; i++) {
		free(state.names[i]);
		state.names[i] = NULL;
	}
	io_log_fail_write(0);
	state.n_bad = 0;
}

size_t io_log_count(void)
{
	return state.entries.n;
}

const struct io_log_entry *io_log_entry(size_t i)
{
	return &state.entries.v[i];
}

void io_log_fail_write(size_t nth)
{
	io_log_fail_writes(nth, 1);
}

void io_log_fail_writes(size_t nth, size_t count)
{
	state.fail_in = nth;
	state.fail_count = count;
	state.fail_code = EIO;
}

void io_log_cut_write(size_t nth)
{
	io_log_fail_writes(nth, 1);
	state.fail_code = EXT2_ET_SHORT_WRITE;
}

void io_log_fail_reads(uint64_t at, uint64_t len)
{
	want(state.n_bad < MAX_BAD);
	state.bad[state.n_bad].at = at;
	state.bad[state.n_bad++].len = len;
}
