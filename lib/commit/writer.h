/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * writer.h - the one place where blocks of a target are written
 *
 * After the first error a writer refuses everything: what was meant to follow a write must not
 * happen without it.
 */
#ifndef BFO_COMMIT_WRITER_H
#define BFO_COMMIT_WRITER_H

#include "base/vec.h"
#include "volume/volume.h"

/* What was written, for reading it back. */
struct bfo_sum {
	uint64_t blk;
	uint32_t count, crc;	/* blocks; crc32c over them */
};

struct bfo_writer {
	struct bfo_context *ctx;
	struct bfo_volume *vol;
	errcode_t failed;	/* sticky */
	uint64_t requests, blocks;
	int keep_sums;		/* set by the caller: note what is written, in sums */
	BFO_VEC(struct bfo_sum) sums;
};

/* Writes COUNT blocks at BLK, in one request. */
errcode_t bfo_writer_write(struct bfo_writer *w, uint64_t blk, uint32_t count, const void *data);

/* Writes the primary superblock, 1,024 bytes in disk byte order. */
errcode_t bfo_writer_super(struct bfo_writer *w, const struct ext2_super_block *sb);

/* Everything written so far is on the device when this returns. */
errcode_t bfo_writer_flush(struct bfo_writer *w);

#endif
