/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spool.h - what comes once, in a file that can be read again and anywhere
 */
#ifndef BFO_INTAKE_SPOOL_H
#define BFO_INTAKE_SPOOL_H

#include "base/context.h"

/*
 * Copies what descriptor FD has, called NAME, to its end, into a file without a name in
 * ctx->temp_dir: *FILE, which is the caller's.  BFO_ET_CANCELLED, ENOMEM, errnos of both.
 */
errcode_t bfo_spool(struct bfo_context *ctx, int fd, const char *name, int *file);

#endif
