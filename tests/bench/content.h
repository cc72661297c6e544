/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * content.h - what drain and readall have read, so that it can be seen to be the same
 *
 * Each file's bytes go through crc32c, which begins with its inode number; the sum of these over
 * all files does not depend on the order in which they were read.
 */
#ifndef BENCH_CONTENT_H
#define BENCH_CONTENT_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include "base/crc32c.h"

struct content {
	int blind;		/* bytes are counted, not looked at */
	int nameless;		/* inode numbers do not matter: copies have the same sum */
	uint64_t files, bytes, sum;
	uint64_t at;		/* bytes of the file at hand, so far */
	uint32_t crc;
};

static inline void content_begin(struct content *c, uint64_t ino)
{
	c->at = 0;
	ino = c->nameless ? 0 : ino;
	c->crc = bfo_crc32c(~0U, &ino, sizeof(ino));
}

static inline void content_add(struct content *c, const void *data, size_t len)
{
	if (!c->blind)
		c->crc = bfo_crc32c(c->crc, data, len);
	c->at += len;
}

/* The next LEN bytes are a hole. */
static inline void content_add_hole(struct content *c, uint64_t len)
{
	static const char zeros[65536];
	size_t n;

	for (; len; len -= n) {
		n = len < sizeof(zeros) ? len : sizeof(zeros);
		content_add(c, zeros, n);
	}
}

static inline void content_end(struct content *c)
{
	c->files++;
	c->bytes += c->at;
	c->sum += c->blind ? 0 : c->crc;
}

static inline void content_print(const struct content *c)
{
	printf("files %" PRIu64 " bytes %" PRIu64 " sum %016" PRIx64 "\n", c->files, c->bytes,
	       c->sum);
}

#endif
