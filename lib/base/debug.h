/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug.h - assertions that cost too much, or stand too often, for what users run
 *
 * They are on with ./configure --enable-debug.  Otherwise nothing of them is left: the condition is
 * compiled, so that it stays correct, but not evaluated.
 */
#ifndef BFO_BASE_DEBUG_H
#define BFO_BASE_DEBUG_H

#include <assert.h>

#ifdef BFO_DEBUG
#define bfo_debug_assert(condition) assert(condition)
#else
#define bfo_debug_assert(condition) ((void) sizeof(!(condition)))
#endif

#endif
