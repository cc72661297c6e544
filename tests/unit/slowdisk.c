// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slowdisk.c - a volume in memory that waits and fails when told
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "slowdisk.h"
#include "unit.h"

#define BS SLOWDISK_BS
#define BLOCKS SLOWDISK_BLOCKS

struct request {
	uint64_t blk;
	uint32_t len;
};

static struct disk {
	pthread_mutex_t lock;
	pthread_cond_t change;
	BFO_VEC(struct request) log;
	uint64_t first[BLOCKS], last[BLOCKS];	/* words of the blocks */
	size_t fail_at;				/* this request (from 1) fails */
	int held;				/* requests wait, having been logged */
} disk = { .lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER };

static errcode_t disk_write(io_channel io, unsigned long long blk, int count, const void *data)
{
	const char *p = data;
	errcode_t err;
	int i;

	(void) io;
	if (blk + count > BLOCKS)
		abort();
	pthread_mutex_lock(&disk.lock);
	if (bfo_vec_push(&disk.log, (struct request) { .blk = blk, .len = count }))
		abort();
	err = disk.log.n == disk.fail_at ? EIO : 0;
	pthread_cond_broadcast(&disk.change);
	while (disk.held)
		pthread_cond_wait(&disk.change, &disk.lock);
	for (i = 0; i < count && !err; i++, p += BS) {
		memcpy(&disk.first[blk + i], p, sizeof(uint64_t));
		memcpy(&disk.last[blk + i], p + BS - sizeof(uint64_t), sizeof(uint64_t));
	}
	pthread_mutex_unlock(&disk.lock);
	return err;
}

static struct struct_io_manager manager = {
	.magic = EXT2_ET_MAGIC_IO_MANAGER,
	.name = "slow disk",
	.write_blk64 = disk_write,
};

static struct struct_io_channel channel = {
	.magic = EXT2_ET_MAGIC_IO_CHANNEL,
	.manager = &manager,
	.block_size = BS,
};

static struct struct_ext2_filsys fs = { .magic = EXT2_ET_MAGIC_EXT2FS_FILSYS, .io = &channel };

struct bfo_volume *slowdisk_volume(void)
{
	static char spec[] = "disk";
	static struct bfo_volume vol = { .fs = &fs, .spec = spec, .block_size = BS,
					 .blocks = BLOCKS, .device.fd = -1 };

	return &vol;
}

void slowdisk_reset(void)
{
	disk.log.n = disk.fail_at = disk.held = 0;
	memset(disk.first, 0, sizeof(disk.first));
	memset(disk.last, 0, sizeof(disk.last));
}

void slowdisk_fail(size_t nth)
{
	disk.fail_at = nth;
}

void slowdisk_hold(int held)
{
	pthread_mutex_lock(&disk.lock);
	disk.held = held;
	pthread_cond_broadcast(&disk.change);
	pthread_mutex_unlock(&disk.lock);
}

size_t slowdisk_requests(void)
{
	size_t n;

	pthread_mutex_lock(&disk.lock);
	n = disk.log.n;
	pthread_mutex_unlock(&disk.lock);
	return n;
}

void slowdisk_wait(size_t n)
{
	pthread_mutex_lock(&disk.lock);
	while (disk.log.n < n)
		pthread_cond_wait(&disk.change, &disk.lock);
	pthread_mutex_unlock(&disk.lock);
}

uint64_t slowdisk_request(size_t i, uint32_t *len)
{
	struct request r;

	slowdisk_wait(i + 1);
	pthread_mutex_lock(&disk.lock);
	r = disk.log.v[i];
	pthread_mutex_unlock(&disk.lock);
	*len = r.len;
	return r.blk;
}

void slowdisk_want(size_t i, uint64_t blk, uint32_t len)
{
	uint32_t got;

	want_eq(slowdisk_request(i, &got), blk);
	want_eq(got, len);
}

void slowdisk_holds(uint64_t blk, uint32_t len)
{
	for (; len; blk++, len--) {
		want_eq(disk.first[blk], blk);
		want_eq(disk.last[blk], blk);
	}
}
