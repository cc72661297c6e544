/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base64.h - bytes as text, RFC 4648: with padding, without line breaks
 */
#ifndef BFO_BASE_BASE64_H
#define BFO_BASE_BASE64_H

#include <stddef.h>

#define BFO_BASE64_DIGITS 4U		/* of up to 3 bytes */

/* The first 3 of LEN bytes, or all of fewer; LEN is not 0. */
void bfo_base64_put(const void *bytes, size_t len, char digits[BFO_BASE64_DIGITS]);

/*
 * Reads LEN digits into OUT, which has room for LEN / 4 * 3 bytes, and says how many there are.
 * Returns 0 if they are not what bfo_base64_put() writes.
 */
int bfo_base64_get(const char *digits, size_t len, void *out, size_t *bytes);

#endif
