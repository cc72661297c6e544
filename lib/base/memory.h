/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.h - what the system has of it
 */
#ifndef BFO_BASE_MEMORY_H
#define BFO_BASE_MEMORY_H

#include "base/context.h"

/*
 * Bytes that nobody needs: what the page cache may grow by, or has.  0: not known.  CTX may say
 * another number.
 */
uint64_t bfo_spare_memory(const struct bfo_context *ctx);

/* What buffers may take if nothing is said: a quarter of RAM, at most 1 GiB. */
uint64_t bfo_default_memory(void);

#endif
