/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parse_bytes.h - bytes of an archive, unpacked if it is compressed
 *
 *   open ── [look] ── [next | skip]* ── close		(in the process of parse.h)
 */
#ifndef BFO_INTAKE_PARSE_BYTES_H
#define BFO_INTAKE_PARSE_BYTES_H

#include <sys/types.h>

#include "base/vec.h"
#include "intake/parse.h"

struct archive;

struct bfo_parse_bytes {
	const struct bfo_parse *p;
	struct archive *unpacked;	/* NULL: it is not compressed */
	uint64_t at;			/* byte of the file to be read next */
	int io;				/* errno of reading it */
	int is_broken;			/* it cannot even begin to be unpacked */
	char *buffer;
	bfo_chars head;			/* what was looked at, */
	int is_pending;			/* and was not yet handed out */
};

/* P has to stay.  0 or ENOMEM; what else fails shows when it is read. */
errcode_t bfo_parse_bytes_open(struct bfo_parse_bytes *b, const struct bfo_parse *p);

/*
 * The first LEN bytes, which come again when they are read; NULL: there are not so many, or they
 * cannot be read.
 */
const char *bfo_parse_bytes_look(struct bfo_parse_bytes *b, size_t len);

/* More: how many stand at *DATA, until the next call; 0: the end; -1: it failed. */
ssize_t bfo_parse_bytes_next(struct bfo_parse_bytes *b, const void **data);

/* True if it can pass over bytes by position, and has: LEN of them, which need not be there. */
int bfo_parse_bytes_skip(struct bfo_parse_bytes *b, uint64_t len);

/* Number and text of what has failed; 0: no number is known. */
int bfo_parse_bytes_error(const struct bfo_parse_bytes *b);
const char *bfo_parse_bytes_why(const struct bfo_parse_bytes *b);

void bfo_parse_bytes_close(struct bfo_parse_bytes *b);

#endif
