// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * keyed_hash.c - hashes of bytes that somebody else has chosen
 */
#include <string.h>

#include "base/disk.h"
#include "base/keyed_hash.h"

static uint64_t rotate(uint64_t v, int bits)
{
	return v << bits | v >> (64 - bits);
}

static void mix(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[0] = rotate(v[0], 32);
	v[2] += v[3];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[2] = rotate(v[2], 32);
}

uint64_t bfo_keyed_hash(const uint64_t key[2], const void *data, size_t len)
{
	uint64_t v[4] = { key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d,
			  key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573 };
	uint8_t last[8] = { 0 };
	size_t at;
	int i;

	for (at = 0; len - at >= 8; at += 8) {
		v[3] ^= get_le64(data, at);
		mix(v);
		v[0] ^= get_le64(data, at);
	}
	memcpy(last, (const uint8_t *) data + at, len - at);
	last[7] = len;
	v[3] ^= get_le64(last, 0);
	mix(v);
	v[0] ^= get_le64(last, 0);
	v[2] ^= 0xff;
	for (i = 0; i < 3; i++)
		mix(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
