// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sheet.c - text that goes to a file descriptor, and the digest of all of it
 *
 * The digest takes bytes as they leave the buffer, in one piece.
 */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/text.h"
#include "export/sheet.h"

#define BUFFER_BYTES (64U << 10)

void bfo_sheet_open(struct bfo_sheet *s, int fd, int with_digest)
{
	*s = (struct bfo_sheet) { .fd = fd, .crc = UINT32_MAX, .buf = malloc(BUFFER_BYTES) };
	if (!s->buf)
		s->err = ENOMEM;
	else if (with_digest)
		s->err = bfo_hasher_open(&s->hasher, BFO_SUM_SHA256);
}

errcode_t bfo_sheet_flush(struct bfo_sheet *s)
{
	size_t at = 0;
	ssize_t n;

	if (!s->err && s->hasher.md)
		bfo_hasher_add(&s->hasher, s->buf, s->used);
	if (!s->err)
		s->crc = bfo_crc32c(s->crc, s->buf, s->used);
	while (!s->err && at < s->used) {
		n = write(s->fd, s->buf + at, s->used - at);
		if (n >= 0)
			at += n;
		else if (errno != EINTR)
			s->err = errno;
	}
	s->used = 0;
	return s->err;
}

void bfo_sheet_bytes(struct bfo_sheet *s, const void *bytes, size_t len)
{
	const char *p = bytes;
	size_t n;

	for (; !s->err && len; p += n, len -= n) {
		n = BUFFER_BYTES - s->used < len ? BUFFER_BYTES - s->used : len;
		memcpy(s->buf + s->used, p, n);
		s->used += n;
		if (s->used == BUFFER_BYTES)
			bfo_sheet_flush(s);
	}
}

void bfo_sheet_text(struct bfo_sheet *s, const char *text)
{
	bfo_sheet_bytes(s, text, strlen(text));
}

void bfo_sheet_format(struct bfo_sheet *s, const char *fmt, ...)
{
	char text[256];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	assert(len >= 0 && (size_t) len < sizeof(text));
	bfo_sheet_bytes(s, text, len);
}

void bfo_sheet_hex(struct bfo_sheet *s, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	char digits[2];

	for (; len; p++, len--) {
		bfo_text_put_hex(p, 1, digits);
		bfo_sheet_bytes(s, digits, sizeof(digits));
	}
}

void bfo_sheet_seal(struct bfo_sheet *s, const char *label)
{
	struct bfo_sums sums;

	if (bfo_sheet_flush(s))
		return;
	bfo_hasher_end(&s->hasher, &sums);
	bfo_sheet_text(s, label);
	bfo_sheet_hex(s, sums.sha256, sizeof(sums.sha256));
	bfo_sheet_text(s, "\n");
}

void bfo_sheet_close(struct bfo_sheet *s)
{
	bfo_hasher_close(&s->hasher);
	free(s->buf);
	*s = (struct bfo_sheet) { .fd = -1 };
}
