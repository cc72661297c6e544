// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pax.c - records of pax archives
 *
 * A record begins with its own length, whose digits count, too: where they become one more, the
 * length is one more.
 *
 *   "9 key=ab\n"    has 9 bytes
 *   "11 key=abc\n"  has 11: no record has 10
 */
#include <stdio.h>
#include <string.h>

#include "export/pax.h"

#define LENGTH_MAX 24U			/* characters of a number and a space */
#define SECOND 1000000000U		/* nanoseconds */

static size_t digits(size_t number)
{
	size_t n = 1;

	while (number /= 10)
		n++;
	return n;
}

/* Of a record whose length takes BYTES without its own digits. */
static size_t record_length(size_t bytes)
{
	size_t length = bytes + digits(bytes);

	return bytes + digits(length);
}

void bfo_pax_add(struct bfo_pax *pax, const char *key, const void *value, size_t len)
{
	bfo_chars *text = &pax->text;
	size_t key_len = strlen(key);

	if (!pax->err)
		pax->err = bfo_vec_reserve(text, LENGTH_MAX + key_len + len + 2);
	if (pax->err)
		return;
	text->n += snprintf(text->v + text->n, LENGTH_MAX, "%zu ",
			    record_length(1 + key_len + 1 + len + 1));
	memcpy(text->v + text->n, key, key_len);
	text->n += key_len;
	text->v[text->n++] = '=';
	if (len)
		memcpy(text->v + text->n, value, len);
	text->n += len;
	text->v[text->n++] = '\n';
}

void bfo_pax_add_number(struct bfo_pax *pax, const char *key, uint64_t value)
{
	char text[LENGTH_MAX];

	bfo_pax_add(pax, key, text, snprintf(text, sizeof(text), "%llu",
					     (unsigned long long) value));
}

void bfo_pax_add_time(struct bfo_pax *pax, const char *key, int64_t sec, uint32_t nsec)
{
	const char *sign = "";
	char text[2 * LENGTH_MAX];
	size_t len;

	sec += nsec / SECOND;
	nsec %= SECOND;
	if (sec < 0) {
		sign = "-";
		sec = -sec - (nsec > 0);
		nsec = nsec ? SECOND - nsec : 0;
	}
	len = snprintf(text, sizeof(text), "%s%lld", sign, (long long) sec);
	if (nsec)
		len += snprintf(text + len, sizeof(text) - len, ".%09u", nsec);
	bfo_pax_add(pax, key, text, len);
}

void bfo_pax_clear(struct bfo_pax *pax)
{
	pax->text.n = 0;
	pax->err = 0;
}

/* Bytes of the character that BYTE begins, and the bits of it that BYTE has; 0: none does. */
static size_t character(uint8_t byte, uint32_t *bits)
{
	size_t len = byte < 0x80 ? 1 : byte < 0xc0 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3
		   : byte < 0xf8 ? 4 : 0;

	*bits = len == 1 ? byte : byte & (0x7fU >> len);
	return len;
}

int bfo_pax_is_utf8(const void *text, size_t len)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const uint8_t *p = text, *end = p + len;

	while (p < end) {
		uint32_t c;
		size_t n = character(*p, &c), i;

		if (!n || n > (size_t) (end - p))
			return 0;
		for (i = 1; i < n; i++) {
			if ((p[i] & 0xc0) != 0x80)
				return 0;
			c = c << 6 | (p[i] & 0x3f);
		}
		if (c < smallest[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
			return 0;
		p += n;
	}
	return 1;
}
