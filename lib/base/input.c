// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * input.c - files that have somebody at the other end
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/input.h"

#define WAIT 200			/* ms until somebody looks whether to go on */

errcode_t bfo_input_wait(const struct bfo_context *ctx, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int n = 0;

	while (n <= 0) {
		if (bfo_cancelled(ctx))
			return BFO_ET_CANCELLED;
		n = poll(&p, 1, WAIT);
		if (n < 0 && errno != EINTR)
			return errno;
	}
	return 0;
}

/* A fifo that nobody has written to yet is at no end for poll(2), as it is for read(2). */
static errcode_t settle(const struct bfo_context *ctx, int fd)
{
	struct stat st;
	errcode_t err = fstat(fd, &st) ? errno : 0;

	if (!err && S_ISREG(st.st_mode))
		return 0;		/* O_NONBLOCK does nothing there */
	if (!err && S_ISFIFO(st.st_mode))
		err = bfo_input_wait(ctx, fd);
	if (!err && fcntl(fd, F_SETFL, 0))
		err = errno;
	return err;
}

errcode_t bfo_input_open(const struct bfo_context *ctx, const char *name, int flags, int *fd)
{
	errcode_t err;

	*fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags);
	if (*fd < 0)
		return errno;
	err = settle(ctx, *fd);
	if (err) {
		close(*fd);
		*fd = -1;
	}
	return err;
}
