/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * direct.h - requests that go around the page cache
 *
 * Bulk passes through memory once and is not wanted again: on a block device, O_DIRECT saves a
 * copy of every byte and leaves the page cache to others.  Image files keep to the cache: a file
 * that is being filled is laid out better by the filesystem below if that sees more of it at once.
 * The kernel keeps requests of both kinds in step, as long as no two threads use the same page.
 */
#ifndef BFO_VOLUME_DIRECT_H
#define BFO_VOLUME_DIRECT_H

#include <stdint.h>
#include <sys/uio.h>
#include <et/com_err.h>

struct bfo_volume;

enum bfo_direct_use {
	BFO_DIRECT_DEVICES = 0,	/* block devices, not files */
	BFO_DIRECT_ALWAYS,
	BFO_DIRECT_NEVER,
};

struct bfo_direct {
	enum bfo_direct_use use;	/* for bulk */
	int tried;			/* fd was asked for */
	int fd;				/* opened like the volume; -1 if that cannot be done */
	int device;			/* it is a block device */
	uint32_t align;			/* bytes: addresses, places and lengths are multiples */
};

/* From now on. */
void bfo_direct_choose(struct bfo_volume *vol, enum bfo_direct_use use);

/* True if bulk of VOL is to be read, and written, directly. */
int bfo_direct_wanted(struct bfo_volume *vol);

/* True if that was chosen for whatever VOL is. */
int bfo_direct_always(const struct bfo_volume *vol);

/*
 * Reads the N pieces of IOV, LEN bytes together, from byte AT of the device or file; EINVAL if that
 * cannot be done directly, whatever is wanted: then the page cache has to do.
 */
errcode_t bfo_direct_read(struct bfo_volume *vol, uint64_t at, uint64_t len,
			  const struct iovec *iov, int n);

/* Writes LEN bytes of DATA to byte AT; EINVAL, with nothing written, if that cannot be done. */
errcode_t bfo_direct_write(struct bfo_volume *vol, uint64_t at, uint64_t len, const void *data);

void bfo_direct_close(struct bfo_volume *vol);

#endif
