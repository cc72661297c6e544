/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spill.h - sorted runs of records in a temporary file that has no name
 *
 * All runs are in one file, each a row of frames, and each frame can be read alone:
 *
 *   0  u32  bytes of records, at most the frame size
 *   4  u32  bytes that follow
 *   8  ...  the records, compressed by zstd, with a checksum: what comes back is what was written
 *
 * and a record is its key words, the length of its data, its data, all in host order.  As a frame
 * needs nothing of the one before it, one context of zstd serves however many runs are read at
 * once, and a run costs one frame of memory.
 *
 * Errors are errno's of the file, and BFO_ET_SPILL if it is not what was written.
 */
#ifndef BFO_BASE_SPILL_H
#define BFO_BASE_SPILL_H

#include <stddef.h>
#include <stdint.h>
#include <et/com_err.h>

#define BFO_SORT_WORDS 3U		/* of a key, at most */
#define BFO_SORT_DATA 65536U		/* bytes of a record's data, at most */
#define BFO_SPILL_CODEC (768U << 10)	/* bytes that zstd's contexts take, at most */

struct bfo_sorted {
	uint32_t key[BFO_SORT_WORDS];	/* host order, most significant word first; unused: 0 */
	uint32_t len;			/* bytes of data */
	const void *data;
};

struct bfo_spill_run {
	uint64_t at, end;		/* bytes of the file */
};

struct bfo_spill {
	int fd;
	unsigned int words;
	size_t frame;			/* bytes of records in a frame, at most */
	uint64_t end;			/* of the file */
	uint64_t written;		/* bytes, compressed, over all its life */
	uint8_t *raw, *packed;
	size_t used;			/* of raw */
	void *packer, *unpacker;	/* zstd's contexts */
};

/* A run that is read. */
struct bfo_spill_cursor {
	struct bfo_spill_run left;	/* frames not yet read */
	uint8_t *raw;			/* the frame being read; its owner's */
	size_t used, filled;		/* of raw */
};

/* Bytes a spill allocates at most, for frames of FRAME bytes. */
size_t bfo_spill_bytes(size_t frame);

/* Bytes it has allocated. */
size_t bfo_spill_allocated(const struct bfo_spill *f);

/*
 * Makes the file, in FOLDER.  FRAME: at least bfo_spill_record() of the longest record.  After an
 * error F is as after bfo_spill_close(), which is fine twice.
 */
errcode_t bfo_spill_open(struct bfo_spill *f, const char *folder, unsigned int words, size_t frame);
void bfo_spill_close(struct bfo_spill *f);

/* Bytes that a record with LEN bytes of data takes in a frame. */
size_t bfo_spill_record(unsigned int words, uint32_t len);

/* A run is begun, gets its records, and is ended; one at a time. */
void bfo_spill_begin(struct bfo_spill *f, struct bfo_spill_run *run);
errcode_t bfo_spill_add(struct bfo_spill *f, const struct bfo_sorted *rec);
errcode_t bfo_spill_end(struct bfo_spill *f, struct bfo_spill_run *run);

/* Gives the space of RUN back, where the filesystem can. */
void bfo_spill_drop(struct bfo_spill *f, const struct bfo_spill_run *run);

/* Goes to the first record of RUN.  RAW: f->frame bytes of the caller's. */
void bfo_spill_seek(struct bfo_spill_cursor *c, const struct bfo_spill_run *run, uint8_t *raw);

/* The next record, valid until the call after, or *MORE is 0. */
errcode_t bfo_spill_next(struct bfo_spill *f, struct bfo_spill_cursor *c, struct bfo_sorted *rec,
			 int *more);

#endif
