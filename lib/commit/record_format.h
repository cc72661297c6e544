/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_format.h - the file that record.h describes, byte by byte
 */
#ifndef BFO_COMMIT_RECORD_FORMAT_H
#define BFO_COMMIT_RECORD_FORMAT_H

#include <assert.h>
#include <stddef.h>

#include "commit/record.h"

#define BFO_RECORD_MAGIC "e2bforec"
#define BFO_RECORD_VERSION_LINE 2	/* its text is a command line */
#define BFO_RECORD_PROGRESS "e2bp"
#define BFO_RECORD_SECTOR 512
#define BFO_RECORD_NO_FLAGS UINT32_MAX

struct bfo_record_head {
	char magic[8];
	uint32_t version, bytes, csum;
	uint8_t target_uuid[16], source_uuid[16];
	int64_t now;
	uint64_t stem_len;
	uint32_t first_ino, last_ino, ranges;
	struct bfo_digest digest;
	uint32_t source_stamp, text;
	uint32_t unused, flags;
	uint64_t wtime;
} __attribute__((packed));

#define BFO_RECORD_HEAD sizeof(struct bfo_record_head)

static_assert(offsetof(struct bfo_record_head, digest) == 0x50 && BFO_RECORD_HEAD == 0x80,
	      "as record.h says");

struct bfo_record_progress {
	char magic[4];
	uint32_t count;
	uint64_t done;
	uint32_t csum;
	uint32_t mark, mark_csum;
} __attribute__((packed));

/* Block I of the file. */
uint64_t bfo_record_block(const struct bfo_record *r, uint32_t i);

#endif
