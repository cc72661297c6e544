// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * direct.c - requests that go around the page cache
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <ext2fs/ext2_err.h>

#include "device/direct.h"

#define SECTOR 512	/* bytes; the least that O_DIRECT ever asks for */
#define SECTOR_MOST 4096	/* of a device that does not say how large its sectors are */

static void open_once(struct bfo_device *dev)
{
	struct bfo_direct *d = &dev->direct;
	struct stat st;
	int sector = SECTOR;

	if (d->tried)
		return;
	d->tried = 1;
	d->fd = open(dev->path, (dev->writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_DIRECT);
	if (d->fd < 0)
		return;
	d->device = !fstat(d->fd, &st) && S_ISBLK(st.st_mode);
	if (d->device && ioctl(d->fd, BLKSSZGET, &sector))
		sector = SECTOR_MOST;
	d->align = sector > SECTOR ? sector : SECTOR;
}

void bfo_direct_choose(struct bfo_device *dev, enum bfo_direct_use use)
{
	dev->direct.use = use;
}

int bfo_direct_always(const struct bfo_device *dev)
{
	return dev->direct.use == BFO_DIRECT_ALWAYS;
}

int bfo_direct_wanted(struct bfo_device *dev)
{
	struct bfo_direct *d = &dev->direct;

	if (d->use == BFO_DIRECT_NEVER || dev->fd < 0)	/* another I/O manager stands below */
		return 0;
	open_once(dev);
	return d->fd >= 0 && (d->device || d->use == BFO_DIRECT_ALWAYS);
}

static int is_aligned(const struct bfo_direct *d, uint64_t at, uint64_t len,
		      const struct iovec *iov, int n)
{
	uint64_t bits = at | len;
	int i;

	for (i = 0; i < n; i++)
		bits |= (uintptr_t) iov[i].iov_base | iov[i].iov_len;
	return !(bits % d->align);
}

errcode_t bfo_direct_read(struct bfo_device *dev, uint64_t at, uint64_t len,
			  const struct iovec *iov, int n)
{
	ssize_t got;

	open_once(dev);
	if (dev->direct.fd < 0 || !is_aligned(&dev->direct, at, len, iov, n))
		return EINVAL;
	bfo_pace_take(dev->pace, len);
	do
		got = preadv(dev->direct.fd, iov, n, at);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return errno;
	return (uint64_t) got == len ? 0 : EXT2_ET_SHORT_READ;
}

errcode_t bfo_direct_write(struct bfo_device *dev, uint64_t at, uint64_t len, const void *data)
{
	const struct iovec whole = { .iov_base = (void *) data, .iov_len = len };
	uint64_t done = 0;
	ssize_t put;

	open_once(dev);
	if (dev->direct.fd < 0 || !is_aligned(&dev->direct, at, len, &whole, 1))
		return EINVAL;
	while (done < len) {
		put = pwrite(dev->direct.fd, (const char *) data + done, len - done, at + done);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return errno == EINVAL && done ? EIO : errno;
		if (!put)
			return EXT2_ET_SHORT_WRITE;
		done += put;
	}
	return 0;
}

void bfo_direct_close(struct bfo_device *dev)
{
	if (dev->direct.tried && dev->direct.fd >= 0)
		close(dev->direct.fd);
	dev->direct.tried = 0;
}
