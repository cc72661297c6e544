/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal.h - the journal of a filesystem: where it is, what its superblock says
 *
 * The format is in base/jbd2.h.  What is not known here, or not as the kernel would have it, is
 * refused by name: nobody should see half of a tree.
 */
#ifndef BFO_VOLUME_JOURNAL_H
#define BFO_VOLUME_JOURNAL_H

#include "volume/inode_map.h"
#include "volume/open.h"

struct bfo_journal {
	const char *spec;	/* the filesystem's name, for messages; the volume's */
	/* that it lies in, whose media errors and mapfile are its own; or NULL */
	struct bfo_volume *vol;
	io_channel io;		/* the filesystem's own, or a journal device's */
	int external;		/* io is ours to close */
	struct bfo_users users;	/* external: of its device */
	int to_write;		/* of a target */
	struct bfo_store store;	/* external: what it lies on */
	bfo_map_runs runs;	/* where its blocks lie on io */
	uint32_t block_size;	/* bytes */
	uint32_t length;	/* blocks that there are; as many as the superblock says, then */
	uint32_t super;		/* block of its superblock */
	uint32_t first, last;	/* blocks of the log: [first, last) */
	uint32_t fast;		/* first block of fast commits, or 0 */
	uint32_t start;		/* where the log begins; 0: it is empty */
	uint32_t sequence;	/* of the first transaction */
	uint32_t compat, incompat;
	uint32_t seed;		/* of checksums */
	int32_t aborted;	/* errno with which the kernel gave up, negative; or 0 */
};

/*
 * Finds the journal of VOL, inside or (USE) on a device, and reads its superblock.  J must be
 * zeroed, and is to be closed also after a failure.
 */
errcode_t bfo_journal_open(struct bfo_context *ctx, struct bfo_volume *vol,
			   const struct bfo_journal_use *use, struct bfo_journal *j);

/* Takes what superblock SB says; its length must not exceed j->length.  For bfo_journal_open(). */
errcode_t bfo_journal_take_super(struct bfo_context *ctx, struct bfo_journal *j, const void *sb);

/*
 * Reads block AT of the journal, below j->length, into BUF.  Returns BFO_ET_JOURNAL_UNREAD, with
 * the block in ctx->what, if that cannot be read, or the mapfile says so.
 */
errcode_t bfo_journal_read(struct bfo_context *ctx, const struct bfo_journal *j, uint32_t at,
			   void *buf);

void bfo_journal_close(struct bfo_journal *j);

#endif
