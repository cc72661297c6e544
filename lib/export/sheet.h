/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sheet.h - text that goes to a file descriptor, and the digest of all of it
 *
 * The first error stays in `err`; from then on nothing is written.
 */
#ifndef BFO_EXPORT_SHEET_H
#define BFO_EXPORT_SHEET_H

#include "base/hasher.h"

struct bfo_sheet {
	int fd;				/* the caller's */
	errcode_t err;			/* errno's of writing, ENOMEM, those of the hasher */
	struct bfo_hasher hasher;	/* closed: no digest */
	uint32_t crc;			/* crc32c of all that was written, before its complement */
	char *buf;
	size_t used;
};

/* WITH_DIGEST: bfo_sheet_seal() will be wanted.  What fails is in `err`. */
void bfo_sheet_open(struct bfo_sheet *s, int fd, int with_digest);

void bfo_sheet_bytes(struct bfo_sheet *s, const void *bytes, size_t len);
void bfo_sheet_text(struct bfo_sheet *s, const char *text);
/* Up to 255 bytes. */
void bfo_sheet_format(struct bfo_sheet *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void bfo_sheet_hex(struct bfo_sheet *s, const void *bytes, size_t len);

/* Adds a line: LABEL, and the SHA-256 of all that stands before it. */
void bfo_sheet_seal(struct bfo_sheet *s, const char *label);

/* Writes what is in memory; returns `err`. */
errcode_t bfo_sheet_flush(struct bfo_sheet *s);

void bfo_sheet_close(struct bfo_sheet *s);

#endif
