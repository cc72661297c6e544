/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * media.h - what of a volume cannot be read
 *
 * A volume knows its bad blocks: those that a mapfile rules out from the start, those behind the
 * end of a device or file that is shorter than its filesystem, and those at which a read has
 * failed.  None is ever asked for (again).  What is to be done about them is the user's decision;
 * carrying it out is the batch reader's business (gather/batch.h).
 *
 * A block whose content stands in a journal that needs recovery is read there, and never in its
 * place: so it is not bad, whatever the medium has become there.
 *
 * A volume owns its struct bfo_media, which bfo_media_free() empties.  The mapfile in the options
 * is the caller's, and has to stay until the volume is closed.
 *
 * Errors of reading: an errno or EXT2_ET_SHORT_READ of the device, BFO_ET_NOT_RESCUED of what the
 * mapfile lacks, BFO_ET_TRUNCATED of what lies behind the end, BFO_ET_JOURNAL_UNREAD, ENOMEM.  Of
 * what only takes notes: ENOMEM, BFO_ET_OVERFLOW.
 */
#ifndef BFO_VOLUME_MEDIA_H
#define BFO_VOLUME_MEDIA_H

#include <ext2fs/ext2fs.h>

#include "base/range.h"
#include "device/mapfile.h"

enum bfo_media_mode {
	BFO_MEDIA_STOP,		/* the first block that is needed and cannot be read is an error */
	BFO_MEDIA_ZERO,		/* go on; data become zeroes */
	BFO_MEDIA_SKIP,		/* go on; files without all of their data are left out */
};

/* How a source is opened that may be damaged; all zero: as any other. */
struct bfo_media_options {
	enum bfo_media_mode mode;
	const struct bfo_mapfile *map;	/* nothing is read that it does not have; or NULL */
	uint64_t superblock;		/* block of the backup to open it by; 0: the first */
	uint32_t block_size;		/* with that, if it is known; 0: all are tried */
	int accept_short;		/* what lies behind its end is bad; else it is refused */
	int keep_done;			/* note what is read, in `done` */
};

struct bfo_media {
	struct bfo_media_options opt;
	bfo_ranges bad;			/* blocks not to be read; ascending, disjoint */
	uint64_t end;			/* of the blocks that are there as a whole */
	bfo_ranges found;		/* of these, where a read has failed */
	bfo_ranges done;		/* blocks that were read; in any order */
	size_t settled;			/* how many of `done` there were when it was in order */
	void *exact;			/* a block, for it */
	uint64_t failed;		/* block at which a read ended the work; 0: none */
};

struct bfo_volume;

void bfo_media_free(struct bfo_media *media);

/* Bytes that its filesystem has behind the end of the device or file; UINT64_MAX: or more. */
uint64_t bfo_media_missing(const struct bfo_volume *vol);

/* Why block BLK, which is bad, is: BFO_ET_TRUNCATED, EIO or BFO_ET_NOT_RESCUED. */
errcode_t bfo_media_why(const struct bfo_volume *vol, uint64_t blk);

/*
 * True for errors that are the medium's, of this place alone: others (no memory, device gone) would
 * come back wherever one reads next.
 */
int bfo_media_is_error(errcode_t err);

/*
 * Reads COUNT blocks from block BLK into BUF, in one request, but for what the journal has; notes
 * nothing of a failure.  BFO_ET_JOURNAL_UNREAD (with ctx->what): the journal cannot be read, so
 * that nobody knows what there is.
 */
errcode_t bfo_media_read(struct bfo_volume *vol, uint64_t blk, uint32_t count, void *buf);

/*
 * The same for one block, past the page cache where that can be done: what the kernel reads at once
 * and then fails as one may be larger than what is bad.
 */
errcode_t bfo_media_read_exact(struct bfo_volume *vol, uint64_t blk, void *buf);

/* The same for a block of the journal itself; notes it as bad after a failure. */
errcode_t bfo_media_read_place(struct bfo_volume *vol, uint64_t blk, void *buf);

/* Reads LEN bytes from byte AT of VOL on by its descriptor, without regard to its journal. */
errcode_t bfo_media_read_bytes(const struct bfo_volume *vol, uint64_t at, size_t len, void *buf);

/* Notes, if that is wanted, that COUNT blocks from BLK on were read. */
errcode_t bfo_media_note_done(struct bfo_volume *vol, uint64_t blk, uint32_t count);

/* Block BLK cannot be read. */
errcode_t bfo_media_note_bad(struct bfo_volume *vol, uint64_t blk);

/* Blocks from BLK on that may be read, at most COUNT; 0: it is bad, *BAD (if not NULL) how many. */
uint32_t bfo_media_fit(const struct bfo_volume *vol, uint64_t blk, uint32_t count, uint32_t *bad);

/* Opens the superblock of VOL, which is not open yet, and nothing else of it. */
errcode_t bfo_media_open_super(const struct bfo_volume *vol, io_manager io, ext2_filsys *fs);

/*
 * Before anything of VOL is read: checks that its superblock and group descriptors are among what
 * the mapfile has, and reads them, without any readahead, so that libext2fs finds them in memory.
 */
errcode_t bfo_media_prepare(struct bfo_context *ctx, struct bfo_volume *vol, io_manager io);

/*
 * Before libext2fs reads block BLK: checks that it may, and with a mapfile reads it likewise.
 */
errcode_t bfo_media_warm(const struct bfo_volume *vol, uint64_t blk);

/* Once VOL is open: its bad blocks are those that its mapfile, or the device, lacks. */
errcode_t bfo_media_begin(struct bfo_volume *vol);

/* Once the journal has been read: what it has instead of them are no bad blocks. */
errcode_t bfo_media_excuse_replayed(struct bfo_volume *vol);

/* Once VOL is open: notes that what opening it took can be read, if that is wanted. */
errcode_t bfo_media_note_opening(struct bfo_context *ctx, struct bfo_volume *vol);

/* Makes MAP, of the whole device or file, say what was learnt about VOL. */
errcode_t bfo_media_update_map(struct bfo_volume *vol, struct bfo_mapfile *map);

#endif
