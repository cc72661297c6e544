/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * library.h - for commands that go by the interface that is installed, <e2bfo/e2bfo.h>
 *
 *   signal ── process.c ── e2bfo_cancel()        progress of a call ── CTX ── bar
 *   failure ── e2bfo_what() ── CTX ── report
 */
#ifndef E2BFO_LIBRARY_H
#define E2BFO_LIBRARY_H

#include <time.h>

#include "base/context.h"
#include "e2bfo/e2bfo.h"

/*
 * Makes *C, a context of the library, of CTX, to which process_attach() was done: its progress is
 * CTX's, temporary files go where CTX's do, and a signal ends its calls.  One at a time.  ENOMEM.
 */
errcode_t library_open(struct bfo_context *ctx, e2bfo **c);
void library_close(e2bfo *c);		/* NULL is fine */

/*
 * ERR, which a call with C returned, and returns it: what it was about is noted in CTX, unless a
 * callback of ours noted there why it failed.
 */
errcode_t library_told(struct bfo_context *ctx, const e2bfo *c, e2bfo_err err);

static inline struct e2bfo_time library_time(struct timespec t)
{
	return (struct e2bfo_time) { .sec = t.tv_sec, .nsec = t.tv_nsec, .is_known = 1 };
}

#endif
