/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * index_file.h - the file /.e2itree of a filesystem that is mounted: found, made anew, put in place
 *
 *   begin ── no name ── blocks ── fsync ─┬─ /.e2itree            where there is none
 *            (make)     (put)  (publish) └─ /.e2itree.XXXXXX ── over the old one
 *
 * Up to publishing the new file has no name: it is gone with the process.  Its content is on the
 * device before it gets one.  The old one is immutable, which keeps it from being renamed over, as
 * from all else; that is lifted for the moment.  Wherever the machine stops, then, there is under
 * the name the old file, or the new one, each whole, or none if there was none; at worst it is not
 * immutable, or a second file is left beside it.  The next run mends both.
 *
 * One at a time: who works on it has the old file locked, if there is one (flock(2); nobody but
 * root can open it), and the new one from before it has a name.
 */
#ifndef BFO_EXPORT_INDEX_FILE_H
#define BFO_EXPORT_INDEX_FILE_H

#include <stdint.h>
#include <sys/stat.h>

#include "base/context.h"

/* What is to be done about something else that has its name. */
#define BFO_INDEX_FILE_AWAY "move it away in a mount (chattr -i first, if lsattr shows i)"

struct bfo_index_file {
	struct bfo_context *ctx;
	const char *where;	/* the mount point: for messages */
	int root;		/* its directory, open for reading */
	int old;		/* the file there is, open for reading; -1: there is none */
	struct stat was;	/* what it is */
	int fd;			/* the new one, or -1 */
	uint32_t block_size;	/* bytes; of what is put */
	uint64_t requests;	/* to write it */
};

/*
 * Finds and locks what there is, and removes what interrupted runs have left; ROOT and WHERE are
 * the caller's.  BFO_ET_BUSY: another one is at work; BFO_ET_EXISTS: it is not root's, or no file.
 * End it with bfo_index_file_end(), also after errors.
 */
errcode_t bfo_index_file_begin(struct bfo_index_file *f, struct bfo_context *ctx, int root,
			       const char *where);
void bfo_index_file_end(struct bfo_index_file *f);

/* True if the old file is immutable, as it should be, or there is none. */
int bfo_index_file_is_immutable(const struct bfo_index_file *f);

/*
 * Makes the new one, with room for BLOCKS blocks of BLOCK_SIZE bytes.  BFO_ET_NO_SPACE if they
 * would not leave free what is reserved for root; *FREE_BLOCKS: how many there are.
 */
errcode_t bfo_index_file_make(struct bfo_index_file *f, uint64_t blocks, uint32_t block_size,
			      uint64_t *free_blocks);

/* Writes N blocks from block BLK on: for struct bfo_itree_sink. */
errcode_t bfo_index_file_put(void *f, uint32_t blk, uint32_t n, const void *blocks);

/*
 * Puts the new one in the place of the old.  *DONE: it is there, even if what comes after that has
 * failed.
 */
errcode_t bfo_index_file_publish(struct bfo_index_file *f, int *done);

#endif
