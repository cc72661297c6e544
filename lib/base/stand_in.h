/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stand_in.h - what stands for ciphertext where others want names
 *
 *   "encrypted." + base64url of all bytes				up to 180 bytes
 *   "encrypted." + base64url of the first 144 + "." + of a hash of all	beyond
 *
 * The alphabet is that of RFC 4648, 5., without padding: a name for any filesystem.  Equal bytes
 * have equal names.  Pure functions.
 */
#ifndef BFO_BASE_STAND_IN_H
#define BFO_BASE_STAND_IN_H

#include <stddef.h>

#define BFO_STAND_IN_MOST 256U

/* Writes what stands for LEN bytes, with a NUL behind it; returns its length, at most 250. */
size_t bfo_stand_in(const void *bytes, size_t len, char out[BFO_STAND_IN_MOST]);

#endif
