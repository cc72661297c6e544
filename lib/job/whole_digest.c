// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * whole_digest.c - the SHA-256 of all that a source lies on
 *
 * Large reads, one behind the other, past the page cache where that can be: nobody will want all of
 * it again.
 */
#include <errno.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/pages.h"
#include "job/whole_digest.h"

#define READ_BYTES (4U << 20)

/* LEN bytes from AT on into BUF: directly, if that can be. */
static errcode_t read_at(struct bfo_device *dev, uint64_t at, size_t len, char *buf)
{
	struct iovec piece = { .iov_base = buf, .iov_len = len };
	errcode_t err = bfo_direct_wanted(dev) ? bfo_direct_read(dev, at, len, &piece, 1) : EINVAL;
	ssize_t n;

	if (err != EINVAL)
		return err;
	bfo_pace_take(dev->pace, len);
	for (; len; at += n, buf += n, len -= n) {
		n = pread(dev->fd, buf, len, at);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n <= 0)
			return n ? errno : EIO;
	}
	return 0;
}

/* Bytes that are read at once: as many as the pace lets through, in whole blocks of any device. */
static size_t most_of(const struct bfo_pace *pace)
{
	return pace && pace->burst < READ_BYTES ? pace->burst - pace->burst % BFO_PACE_BURST
						: READ_BYTES;
}

static errcode_t read_all(struct bfo_context *ctx, struct bfo_volume *vol, struct bfo_hasher *h,
			  uint64_t bytes, char *buf)
{
	const size_t most = most_of(vol->device.pace);
	errcode_t err = 0;
	uint64_t at;
	size_t len;

	for (at = 0; at < bytes && !err; at += len) {
		bfo_progress_report(ctx, BFO_STAGE_DIGEST, at, bytes, 0);
		len = bytes - at < most ? bytes - at : most;
		err = bfo_cancelled(ctx) ? BFO_ET_CANCELLED
					 : read_at(&vol->device, at, len, buf);
		if (err)
			return bfo_fail(ctx, err, "computing the digest of %s, from byte %llu on",
					vol->spec, (unsigned long long) at);
		bfo_hasher_add(h, buf, len);
	}
	return 0;
}

errcode_t bfo_whole_digest(struct bfo_context *ctx, struct bfo_volume *vol,
			   struct bfo_whole_digest *whole)
{
	off_t bytes = lseek(vol->device.fd, 0, SEEK_END);
	errcode_t err = bytes < 0 ? errno : 0;
	struct bfo_hasher h = { 0 };
	char *buf = bfo_pages_alloc(READ_BYTES);

	if (!err)
		err = buf ? bfo_hasher_open(&h, BFO_SUM_SHA256) : ENOMEM;
	if (err)
		bfo_fail(ctx, err, "computing the digest of %s", vol->spec);
	else
		err = read_all(ctx, vol, &h, bytes, buf);
	if (!err) {
		bfo_hasher_end(&h, &whole->sums);
		whole->bytes = bytes;
	}
	bfo_hasher_close(&h);
	bfo_pages_free(buf, READ_BYTES);
	return err;
}
