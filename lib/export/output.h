/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h - bytes that go to a file descriptor, whatever it is, one behind the other
 *
 * Small pieces are gathered into writes of 1 MiB; large ones are written from where they lie.
 */
#ifndef BFO_EXPORT_OUTPUT_H
#define BFO_EXPORT_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

struct bfo_output {
	int fd;				/* the caller's, who closes it */
	const char *name;		/* for messages; has to stay */
	char *buffer;
	size_t used;
	uint64_t written;		/* bytes that FD has taken */
};

/* Returns 0 or ENOMEM. */
errcode_t bfo_output_open(struct bfo_output *o, int fd, const char *name);

/*
 * All return 0 or the error of writing, EPIPE, ENOSPC, whatever the system says, or
 * BFO_ET_CANCELLED: a write that a signal interrupts goes on unless the caller is to stop.
 */
errcode_t bfo_output_write(struct bfo_context *ctx, struct bfo_output *o, const void *data,
			   size_t len);

/* Writes what was gathered. */
errcode_t bfo_output_flush(struct bfo_context *ctx, struct bfo_output *o);

/* The same at the end, and has a regular file made durable. */
errcode_t bfo_output_end(struct bfo_context *ctx, struct bfo_output *o);

void bfo_output_free(struct bfo_output *o);

#endif
