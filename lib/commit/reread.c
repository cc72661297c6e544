// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reread.c - does the medium hold what was written?
 *
 * The page cache would only tell what was meant to be written: it is dropped for this file or
 * device, and read around (O_DIRECT) where that can be done.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/pages.h"
#include "base/sort.h"
#include "commit/reread.h"

#define READ_BYTES (8U << 20)		/* longest write, so longest read */

struct reread {
	struct bfo_writer *w;
	int fd;
	char *buf;
	uint64_t done, total;		/* bytes */
	uint64_t wrong, first;		/* blocks in wrong pieces; the first of them */
};

BFO_SORT_BY(by_blk, struct bfo_sum, blk)

static errcode_t open_medium(struct reread *r)
{
	const struct bfo_volume *vol = r->w->vol;

	r->fd = open(vol->device.path, O_RDONLY | O_CLOEXEC | O_DIRECT);
	if (r->fd < 0)
		r->fd = open(vol->device.path, O_RDONLY | O_CLOEXEC);
	if (r->fd < 0)
		return bfo_fail(r->w->ctx, errno, "opening %s to read it back", vol->spec);
	posix_fadvise(r->fd, 0, 0, POSIX_FADV_DONTNEED);
	return 0;
}

/* Reads LEN bytes at byte AT of the volume. */
static errcode_t read_bytes(struct reread *r, uint64_t at, size_t len)
{
	const struct bfo_volume *vol = r->w->vol;
	size_t have = 0;
	ssize_t got;

	while (have < len) {
		got = pread(r->fd, r->buf + have, len - have, vol->offset + at + have);
		if (got < 0 && errno == EINVAL && fcntl(r->fd, F_GETFL) & O_DIRECT) {
			fcntl(r->fd, F_SETFL, 0);	/* sectors larger than blocks */
			continue;
		}
		if (got <= 0)
			return bfo_fail(r->w->ctx, got ? errno : EIO, "reading %s back",
					vol->spec);
		have += got;
	}
	return 0;
}

static errcode_t check(struct reread *r, const struct bfo_sum *sum)
{
	uint32_t bs = r->w->vol->block_size, crc = ~0U, done, count;
	errcode_t err = 0;

	for (done = 0; done < sum->count && !err; done += count) {
		count = sum->count - done < READ_BYTES / bs ? sum->count - done : READ_BYTES / bs;
		err = read_bytes(r, (sum->blk + done) * bs, (size_t) count * bs);
		if (!err)
			crc = bfo_crc32c(crc, r->buf, (size_t) count * bs);
	}
	if (err)
		return err;
	if (crc != sum->crc && !r->wrong)
		r->first = sum->blk;
	if (crc != sum->crc)
		r->wrong += sum->count;
	r->done += (uint64_t) sum->count * bs;
	bfo_progress_report(r->w->ctx, BFO_STAGE_REREAD, r->done, r->total, 0);
	return 0;
}

static errcode_t check_all(struct reread *r)
{
	struct bfo_writer *w = r->w;
	errcode_t err = 0;
	size_t i;

	if (w->sums.n)
		qsort(w->sums.v, w->sums.n, sizeof(*w->sums.v), by_blk);
	for (i = 0; i < w->sums.n && !err; i++)
		err = check(r, &w->sums.v[i]);
	if (!err && r->wrong)
		err = bfo_fail(w->ctx, BFO_ET_REREAD,
			       "verifying %s: wrong are some of %llu blocks, "
			       "the first among those from block %llu on; do not trust this copy, "
			       "nor its device",
			       w->vol->spec, (unsigned long long) r->wrong,
			       (unsigned long long) r->first);
	return err;
}

errcode_t bfo_reread(struct bfo_writer *w)
{
	struct reread r = { .w = w, .fd = -1, .buf = bfo_pages_alloc(READ_BYTES),
			    .total = w->blocks * w->vol->block_size };
	errcode_t err;

	if (!r.buf)
		return bfo_fail(w->ctx, ENOMEM, "reading %s back", w->vol->spec);
	err = open_medium(&r);
	if (!err)
		err = check_all(&r);
	w->sums.n = 0;
	if (r.fd >= 0)
		close(r.fd);
	bfo_pages_free(r.buf, READ_BYTES);
	return err;
}
