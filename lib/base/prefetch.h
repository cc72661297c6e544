/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prefetch.h - asking for memory before it is needed
 */
#ifndef BFO_BASE_PREFETCH_H
#define BFO_BASE_PREFETCH_H

#include <stddef.h>

#define BFO_CACHE_LINE 64U	/* bytes */

/*
 * Asks for the cache line at AT, which may be any address.  GCC 12 takes a function that does
 * nothing but this for one without effect, and drops its calls; the empty statement prevents that.
 */
static inline void bfo_prefetch(const void *at)
{
	__builtin_prefetch(at);
	__asm__ volatile("");
}

/* The same of all BYTES from AT on. */
static inline void bfo_prefetch_bytes(const void *at, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i += BFO_CACHE_LINE)
		bfo_prefetch((const char *) at + i);
}

#endif
