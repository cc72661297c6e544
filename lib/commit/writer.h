/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * writer.h - the one place where blocks of a target are written
 *
 * After the first error a writer refuses everything: what was meant to follow a write must not
 * happen without it.  What was live before goes through a channel of its own, which may keep an
 * undo file; what lay in free space does not.
 *
 * Errors of writing, here and in what is built on it: an errno or EXT2_ET_SHORT_WRITE of the
 * device, and ENOMEM.  The first one is returned by all that follows.
 */
#ifndef BFO_COMMIT_WRITER_H
#define BFO_COMMIT_WRITER_H

#include "base/vec.h"
#include "move/drain.h"
#include "volume/volume.h"

/* What was written, for reading it back. */
struct bfo_sum {
	uint64_t blk;
	uint32_t count, crc;	/* blocks; crc32c over them */
};

struct bfo_writer {
	struct bfo_context *ctx;
	struct bfo_volume *vol;
	io_channel live;	/* for what was live before */
	struct ext2_super_block super;	/* as it stands on the device */
	errcode_t failed;	/* sticky */
	int is_dirty;		/* something was written since the last flush */
	uint64_t requests, blocks;
	int keep_sums;		/* set by the caller: note what is written, in sums */
	BFO_VEC(struct bfo_sum) sums;
};

/*
 * A writer to VOL.  With UNDO_FILE (else NULL), which must not exist, what live blocks held before
 * is kept there, for e2undo(8).
 */
errcode_t bfo_writer_open(struct bfo_writer *w, struct bfo_context *ctx, struct bfo_volume *vol,
			  const char *undo_file);

/* Ends; an error means that the undo file is not complete. */
errcode_t bfo_writer_close(struct bfo_writer *w);

/* Writes COUNT blocks at BLK, where nothing was live before, in one request. */
errcode_t bfo_writer_write(struct bfo_writer *w, uint64_t blk, uint32_t count, const void *data);

/* Writes BYTES of DATA to the beginning of BLK; it holds nothing that was live. */
errcode_t bfo_writer_part(struct bfo_writer *w, uint64_t blk, uint32_t bytes, const void *data);

/* Writes block BLK, which was live before, or BYTES at its beginning. */
errcode_t bfo_writer_change(struct bfo_writer *w, uint64_t blk, const void *data);
errcode_t bfo_writer_change_part(struct bfo_writer *w, uint64_t blk, uint32_t bytes,
				 const void *data);

/* Writes the primary superblock, 1,024 bytes in disk byte order, with its checksum. */
errcode_t bfo_writer_super(struct bfo_writer *w, struct ext2_super_block *sb);

/* Reads it again into w->super, after its block was written. */
errcode_t bfo_writer_reread_super(struct bfo_writer *w);

/*
 * What moves data to W: its blocks go where nothing was live before.  IS_ONE_DISK: from the disk
 * that they go to.  W has to stay.
 */
struct bfo_drain bfo_writer_drain(struct bfo_writer *w, int is_one_disk);

/* All that W has written is on the device when this returns; costs nothing where all was. */
errcode_t bfo_writer_flush(struct bfo_writer *w);

#endif
