/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batch_read.h - contents of many files, read in the order in which they lie on the device
 *
 *   paths ── numbers ──┐
 *                      ├── inodes, maps ── rounds: contents ── who wants them
 *   numbers ───────────┘
 *
 * Batchread() of the BFO paper (MSST 2019).  What it reads are blocks of the directories on the way
 * (gather/resolve.h, which has the rule that says what is read of them), the blocks of the inode
 * tables and of maps that it needs, and the contents: not the volume.
 *
 * Contents come in rounds.  Each is sorted by block and read in ascending order; the first one
 * costs what a disk reads in 100 ms, and each may cost twice as much as the one before, until the
 * memory is full.  A file of up to 1 MiB, or of `memory`, comes in one piece.
 *
 * A name that its directory has not may be that of a member of a composite file
 * (gather/unpacked.h): only then the directory is read as a whole, and of its files the inodes.  A
 * composite file itself is read as it is, by its own name.
 *
 * Memory: 48 bytes a file, 64 an inode and 16 an extent (tree/tree.h), and `memory`; before that
 * what looking for paths takes (gather/resolve.h).
 *
 * Nothing is printed.  All is called by the thread that calls bfo_batch_read().
 */
#ifndef BFO_JOB_BATCH_READ_H
#define BFO_JOB_BATCH_READ_H

#include "gather/contents.h"
#include "gather/dir_members.h"
#include "gather/resolve.h"
#include "job/browse.h"
#include "volume/medium.h"
#include "volume/open.h"

/* A file that was asked for. */
struct bfo_read_file {
	uint64_t place;			/* sort key: where it lies; or how many-th it is */
	uint32_t index;			/* of paths; behind these, of numbers */
	uint32_t ino;			/* in the tree */
	bfo_row row;
	uint64_t shown;			/* the number as users see it: bfo_tree_shown_ino() */
	uint64_t from, size;		/* bytes of it that are handed over: SIZE from FROM on */
	uint64_t unread;		/* of these, zeroes in place of what could not be read */
	int is_wrong;			/* a member's: at its end, not what its checksum says */
};

/* Who wants them.  A non-zero return ends the work, and is returned. */
struct bfo_read_sink {
	/* SIZE bytes of F will follow, in pieces, ascending; then comes end(). */
	errcode_t (*begin)(void *priv, const struct bfo_read_file *f);
	errcode_t (*data)(void *priv, const void *data, size_t len);
	errcode_t (*end)(void *priv, const struct bfo_read_file *f);
	/* What number INDEX asks for cannot be handed over: WHY.  The others come. */
	void (*refused)(void *priv, uint32_t index, errcode_t err, const char *why);
	void *priv;
};

struct bfo_batch_read_options {
	const char *volume;		/* or an archive or a stream, as job/end.h has it */
	struct bfo_volume *open;	/* this one, which is open; NULL: it is opened for this */
	struct bfo_medium medium;
	struct bfo_journal_use journal;
	/* bytes of contents at a time; at most 1 GiB is taken, and 32 MiB in disk order */
	uint64_t memory;
	const char *const *paths;
	size_t n_paths;
	const uint32_t *inos;		/* inode numbers */
	size_t n_inos;
	uint64_t from, size;		/* of each file: SIZE bytes from byte FROM on */
	int in_disk_order;		/* else in the order in which they were asked for */
};

struct bfo_batch_read {
	struct bfo_context *ctx;
	struct bfo_batch_read_options opt;
	const struct bfo_read_sink *to;
	struct bfo_volume *volume;	/* NULL: not open (yet), or none */
	struct bfo_reader reader;
	struct bfo_source of_volume;
	struct bfo_unpacked unpacked;	/* before it, if one of them may be a member */
	BFO_VEC(struct bfo_member_sought) missing;	/* of paths: their directories lack them */
	struct bfo_tree scanned;	/* of the files alone */
	struct bfo_browse browse;	/* what is no volume: all of it */
	struct bfo_source *source;	/* the one that is read, */
	struct bfo_tree *tree;		/* and its tree */
	BFO_VEC(struct bfo_read_file) files;
	struct bfo_contents round;
	uint64_t round_cost;		/* blocks (gather/batch.h): what the next round may cost */
};

/*
 * Reads what OPT asks for.  Files that cannot be handed over are refused, one by one; an error is
 * returned where nothing more can be read: those of opening a volume, of reading
 * (gather/batch.h), BFO_ET_CANCELLED, ENOMEM, and what the sink returned.  B is to be freed.
 */
errcode_t bfo_batch_read(struct bfo_batch_read *b, struct bfo_context *ctx,
			 const struct bfo_batch_read_options *opt, const struct bfo_read_sink *to);
void bfo_batch_read_free(struct bfo_batch_read *b);

#endif
