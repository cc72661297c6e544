// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * output.c - bytes that go to a file descriptor
 *
 *   buffer   [ small | small |      ]          what is large goes behind what was gathered, in one
 *                            [ large ... ]     system call, without being copied
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "export/output.h"

#define BUFFER_BYTES (1U << 20)
#define LARGE_BYTES (64U << 10)			/* to copy less costs less than a call */

errcode_t bfo_output_open(struct bfo_output *o, int fd, const char *name)
{
	memset(o, 0, sizeof(*o));
	o->fd = fd;
	o->name = name;
	o->buffer = malloc(BUFFER_BYTES);
	return o->buffer ? 0 : ENOMEM;
}

void bfo_output_free(struct bfo_output *o)
{
	free(o->buffer);
	o->buffer = NULL;
}

/* After a write that failed: 0 if it is worth another try. */
static errcode_t wait_for_room(struct bfo_context *ctx, const struct bfo_output *o)
{
	struct pollfd room = { .fd = o->fd, .events = POLLOUT };

	if (errno != EINTR && errno != EAGAIN)
		return bfo_fail(ctx, errno, "writing %s", o->name);
	if (bfo_cancelled(ctx))
		return bfo_fail(ctx, BFO_ET_CANCELLED, "writing %s", o->name);
	if (errno == EAGAIN)
		poll(&room, 1, -1);
	return 0;
}

/* The buffer, which is empty then, and LEN bytes of DATA behind it. */
static errcode_t write_all(struct bfo_context *ctx, struct bfo_output *o, const void *data,
			   size_t len)
{
	size_t done = 0, all = o->used + len;

	while (done < all) {
		size_t first = done < o->used ? o->used - done : 0;
		struct iovec parts[] = {
			{ o->buffer + done, first },
			{ (char *) data + (done + first - o->used), all - done - first },
		};
		ssize_t put = writev(o->fd, first ? parts : parts + 1, first && len ? 2 : 1);
		errcode_t err = put < 0 ? wait_for_room(ctx, o) : 0;

		if (err)
			return err;
		if (put > 0) {
			done += put;
			o->written += put;
		}
	}
	o->used = 0;
	return 0;
}

errcode_t bfo_output_write(struct bfo_context *ctx, struct bfo_output *o, const void *data,
			   size_t len)
{
	errcode_t err = 0;

	if (len >= LARGE_BYTES)
		return write_all(ctx, o, data, len);
	if (len > BUFFER_BYTES - o->used)
		err = write_all(ctx, o, o->buffer, 0);
	if (!err && len) {
		memcpy(o->buffer + o->used, data, len);
		o->used += len;
	}
	return err;
}

errcode_t bfo_output_flush(struct bfo_context *ctx, struct bfo_output *o)
{
	return write_all(ctx, o, o->buffer, 0);
}

errcode_t bfo_output_end(struct bfo_context *ctx, struct bfo_output *o)
{
	errcode_t err = bfo_output_flush(ctx, o);
	struct stat st;

	if (err)
		return err;
	if (!fstat(o->fd, &st) && S_ISREG(st.st_mode) && fsync(o->fd))
		return bfo_fail(ctx, errno, "writing %s", o->name);
	return 0;
}
