/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prefetch.h - asking for memory before it is needed
 */
#ifndef BFO_BASE_PREFETCH_H
#define BFO_BASE_PREFETCH_H

/*
 * Asks for the cache line at AT, which may be any address.  GCC 12 takes a function that does
 * nothing but this for one without effect, and drops its calls; the empty statement prevents that.
 */
static inline void bfo_prefetch(const void *at)
{
	__builtin_prefetch(at);
	__asm__ volatile("");
}

#endif
