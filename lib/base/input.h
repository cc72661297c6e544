/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input.h - files that have somebody at the other end: a fifo, a pipe, a terminal
 *
 * Such a one is waited for in poll(2), until it is cancelled: open(2) and read(2) go on after a
 * signal.
 */
#ifndef BFO_BASE_INPUT_H
#define BFO_BASE_INPUT_H

#include "base/context.h"

/*
 * *FD is NAME, to be read, opened with FLAGS of open(2), too.  A fifo has something to be read
 * then, or has come to its end.  BFO_ET_CANCELLED, or an errno; then *FD is -1.
 */
errcode_t bfo_input_open(const struct bfo_context *ctx, const char *name, int flags, int *fd);

/* Until FD has something to be read, or has come to its end.  BFO_ET_CANCELLED, or an errno. */
errcode_t bfo_input_wait(const struct bfo_context *ctx, int fd);

#endif
