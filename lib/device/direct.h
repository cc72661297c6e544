/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * direct.h - requests that go around the page cache
 *
 * Bulk passes through memory once and is not wanted again: on a block device, O_DIRECT saves a
 * copy of every byte and leaves the page cache to others.  Image files keep to the cache: a file
 * that is being filled is laid out better by the filesystem below if that sees more of it at once.
 * The kernel keeps requests of both kinds in step, as long as no two threads use the same page.
 */
#ifndef BFO_DEVICE_DIRECT_H
#define BFO_DEVICE_DIRECT_H

#include <stdint.h>
#include <sys/uio.h>
#include <et/com_err.h>

#include "base/pace.h"

enum bfo_direct_use {
	BFO_DIRECT_DEVICES = 0,	/* block devices, not files */
	BFO_DIRECT_ALWAYS,
	BFO_DIRECT_NEVER,
};

struct bfo_direct {
	enum bfo_direct_use use;	/* for bulk */
	int tried;			/* fd was asked for */
	int fd;				/* opened like the device; -1 if that cannot be done */
	int device;			/* it is a block device */
	uint32_t align;			/* bytes: addresses, places and lengths are multiples */
};

/* A device or file that is open. */
struct bfo_device {
	char *path;
	int writable;
	int fd;			/* read-only, beside libext2fs's channel, for what that cannot do */
				/* (scattered reads, hints); -1 with another I/O manager */
	struct bfo_pace *pace;	/* how fast it may be read; or NULL */
	struct bfo_direct direct;
};

/* From now on. */
void bfo_direct_choose(struct bfo_device *dev, enum bfo_direct_use use);

/* True if bulk of DEV is to be read, and written, directly. */
int bfo_direct_wanted(struct bfo_device *dev);

/* True if that was chosen for whatever DEV is. */
int bfo_direct_always(const struct bfo_device *dev);

/*
 * Reads into the N pieces of IOV, LEN bytes together, from byte AT; EINVAL if that
 * cannot be done directly, whatever is wanted: then the page cache has to do.
 */
errcode_t bfo_direct_read(struct bfo_device *dev, uint64_t at, uint64_t len,
			  const struct iovec *iov, int n);

/* Writes LEN bytes of DATA to byte AT; EINVAL, with nothing written, if that cannot be done. */
errcode_t bfo_direct_write(struct bfo_device *dev, uint64_t at, uint64_t len, const void *data);

void bfo_direct_close(struct bfo_device *dev);

#endif
