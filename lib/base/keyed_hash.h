/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keyed_hash.h - hashes of bytes that somebody else has chosen
 *
 * SipHash-1-3 (Aumasson, Bernstein: "SipHash: a fast short-input PRF", 2012): who does not know the
 * key cannot choose bytes whose hashes meet.
 */
#ifndef BFO_BASE_KEYED_HASH_H
#define BFO_BASE_KEYED_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t bfo_keyed_hash(const uint64_t key[2], const void *data, size_t len);

#endif
