/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stand_in.h - what stands for ciphertext where others want names
 *
 *   "encrypted." + base64url of all bytes				up to 180 bytes
 *   "encrypted." + base64url of the first 144 + "." + of a hash of all	beyond
 *
 * The alphabet is that of RFC 4648, 5., without padding: a name for any filesystem.  Equal bytes
 * have equal names.  Different ones have different names up to 180 bytes; beyond, who has chosen
 * them may have chosen two that have one: the keys of the hash are known (plan/stand_ins.h).  Pure
 * functions.
 */
#ifndef BFO_BASE_STAND_IN_H
#define BFO_BASE_STAND_IN_H

#include <stddef.h>
#include <stdint.h>

#define BFO_STAND_IN_MOST 256U
#define BFO_STAND_IN_WHOLE 180U	/* bytes, of which all are in the name */

/* The hash of LEN bytes, which are more than these. */
void bfo_stand_in_hash(const void *bytes, size_t len, uint64_t hash[2]);

/* Writes what stands for LEN bytes, with a NUL behind it; returns its length, at most 250. */
size_t bfo_stand_in(const void *bytes, size_t len, char out[BFO_STAND_IN_MOST]);

#endif
