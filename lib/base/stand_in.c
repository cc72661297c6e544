// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stand_in.c - what stands for ciphertext where others want names
 */
#include <string.h>

#include "base/base64.h"
#include "base/disk.h"
#include "base/keyed_hash.h"
#include "base/stand_in.h"

#define PREFIX "encrypted."
#define WHOLE 180U			/* bytes that have room */
#define BEGINNING 144U			/* of more than that */
#define HASH_BYTES 16U

/* Appends LEN bytes as text to what ends at OUT; returns the new end. */
static char *put(char *out, const void *bytes, size_t len)
{
	const char *from = bytes;
	char digits[BFO_BASE64_DIGITS];
	size_t i;

	for (; len; from += len < 3 ? len : 3, len -= len < 3 ? len : 3) {
		bfo_base64_put(from, len, digits);
		for (i = 0; i < BFO_BASE64_DIGITS && digits[i] != '='; i++)
			*out++ = digits[i] == '+' ? '-' : digits[i] == '/' ? '_' : digits[i];
	}
	return out;
}

size_t bfo_stand_in(const void *bytes, size_t len, char out[BFO_STAND_IN_MOST])
{
	static const uint64_t keys[2][2] = { { 1, 2 }, { 3, 4 } };
	char *end = out + strlen(PREFIX), hash[HASH_BYTES];

	memcpy(out, PREFIX, strlen(PREFIX));
	end = put(end, bytes, len <= WHOLE ? len : BEGINNING);
	if (len > WHOLE) {
		put_le64(hash, 0, bfo_keyed_hash(keys[0], bytes, len));
		put_le64(hash, 8, bfo_keyed_hash(keys[1], bytes, len));
		*end++ = '.';
		end = put(end, hash, sizeof(hash));
	}
	*end = 0;
	return end - out;
}
