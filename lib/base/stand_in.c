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
#define BEGINNING 144U			/* bytes of what has not room as a whole */
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

void bfo_stand_in_hash(const void *bytes, size_t len, uint64_t hash[2])
{
	static const uint64_t keys[2][2] = { { 1, 2 }, { 3, 4 } };

	hash[0] = bfo_keyed_hash(keys[0], bytes, len);
	hash[1] = bfo_keyed_hash(keys[1], bytes, len);
}

size_t bfo_stand_in(const void *bytes, size_t len, char out[BFO_STAND_IN_MOST])
{
	char *end = out + strlen(PREFIX), hash[HASH_BYTES];
	uint64_t of_all[2];

	memcpy(out, PREFIX, strlen(PREFIX));
	end = put(end, bytes, len <= BFO_STAND_IN_WHOLE ? len : BEGINNING);
	if (len > BFO_STAND_IN_WHOLE) {
		bfo_stand_in_hash(bytes, len, of_all);
		put_le64(hash, 0, of_all[0]);
		put_le64(hash, 8, of_all[1]);
		*end++ = '.';
		end = put(end, hash, sizeof(hash));
	}
	*end = 0;
	return end - out;
}
