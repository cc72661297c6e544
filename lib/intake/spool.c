// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spool.c - what comes once, in a file that can be read again and anywhere
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/input.h"
#include "base/temporary.h"
#include "intake/spool.h"

#define COPY_BYTES (1U << 20)		/* at once */

/* From FD to the file OUT, to the end. */
static errcode_t copy_all(struct bfo_context *ctx, int fd, int out, char *buffer)
{
	ssize_t got, done, put;
	errcode_t err;

	for (;;) {
		err = bfo_input_wait(ctx, fd);
		if (err)
			return err;
		got = read(fd, buffer, COPY_BYTES);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? errno : 0;
		for (done = 0; done < got; done += put) {
			put = write(out, buffer + done, got - done);
			if (put < 0 && errno != EINTR)
				return errno;
			if (put < 0)
				put = 0;
		}
	}
}

errcode_t bfo_spool(struct bfo_context *ctx, int fd, const char *name, int *file)
{
	char *buffer = malloc(COPY_BYTES);
	errcode_t err;

	*file = -1;
	err = buffer ? bfo_temporary_unnamed(bfo_temporary_folder(ctx), file) : ENOMEM;
	if (!err)
		err = copy_all(ctx, fd, *file, buffer);
	free(buffer);
	if (err && *file >= 0) {
		close(*file);
		*file = -1;
	}
	if (err == BFO_ET_CANCELLED)
		return bfo_fail(ctx, BFO_ET_CANCELLED, "reading %s", name);
	return err ? bfo_fail(ctx, err, "taking %s to a temporary file in %s", name,
			      bfo_temporary_folder(ctx)) : 0;
}
