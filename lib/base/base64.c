// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * base64.c - bytes as text
 */
#include <stdint.h>
#include <string.h>

#include "base/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void bfo_base64_put(const void *bytes, size_t len, char digits[BFO_BASE64_DIGITS])
{
	const uint8_t *p = bytes;
	uint32_t bits = p[0] << 16;
	size_t i;

	bits |= len > 1 ? p[1] << 8 : 0;
	bits |= len > 2 ? p[2] : 0;
	for (i = 0; i < BFO_BASE64_DIGITS; i++)
		digits[i] = i > len ? '=' : alphabet[bits >> (18 - 6 * i) & 63];
}

/* Three bytes, fewer at the end of a text; the number of them, or 0. */
static size_t get(const char *digits, uint8_t *out)
{
	char again[BFO_BASE64_DIGITS];
	size_t n = digits[3] != '=' ? 3 : digits[2] != '=' ? 2 : 1, i;
	const char *found;
	uint32_t bits = 0;

	for (i = 0; i <= n; i++) {
		found = memchr(alphabet, digits[i], sizeof(alphabet) - 1);
		if (!found)
			return 0;
		bits |= (uint32_t) (found - alphabet) << (18 - 6 * i);
	}
	for (i = 0; i < n; i++)
		out[i] = bits >> (16 - 8 * i);
	bfo_base64_put(out, n, again);
	return memcmp(again, digits, sizeof(again)) ? 0 : n;
}

int bfo_base64_get(const char *digits, size_t len, void *out, size_t *bytes)
{
	size_t n = 3;

	*bytes = 0;
	for (; len >= BFO_BASE64_DIGITS && n == 3; len -= BFO_BASE64_DIGITS) {
		n = get(digits, (uint8_t *) out + *bytes);
		if (!n)
			return 0;
		*bytes += n;
		digits += BFO_BASE64_DIGITS;
	}
	return !len;
}
