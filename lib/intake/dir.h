/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dir.h - a tree from a directory of a mounted filesystem
 *
 * A source (gather/source.h) of all that programs can see of it: intake/intake.h has the form.
 * Places are numbers of blocks: each file has a row of them for itself, holes included, in the
 * order in which files lie on their disk (FIEMAP; inode numbers where that tells nothing).
 *
 *   gather   names by level; all of a level in the order of inode numbers
 *   read     files by place, some ahead of those that are handed out
 *
 * Below the directory nothing is written.  Access times stay where the kernel allows that
 * (O_NOATIME); those of symbolic links never do.  Everything is opened by its parent's descriptor,
 * without following links or waiting for anybody, and is looked at before it is believed to be what
 * it was.
 *
 * With a file of metadata (intake/metadata_read.h) attributes, extended ones and preallocation are
 * what its lines say, also of devices, fifos, sockets and symbolic links that the directory lacks;
 * what it does not list is as the directory has it.
 *
 * What is not as it should be becomes a finding of the tree:
 *
 *   changed              between gathering and the end of reading; vanished; shorter than it was
 *   unreadable-file      is not copied: its record is BFO_INODE_BAD
 *   unreadable-directory comes without names
 *   locked               encrypted, and the key is missing: comes without names
 *   xattr-name, feature, time		what ext4 has no place for, or what nobody is shown
 *
 * With a file that an earlier run has kept, names and attributes come out of that, and contents
 * from here: what is no longer what it was is "changed", as if it had happened in one run.
 *
 * Memory beyond that of an intake: 40 bytes an inode, 4 a file with data, 8 to 16 a file with
 * several links; while it gathers, 24 bytes and its length + 1 for each name of two levels, and 16
 * for each file with data; with metadata, 16 a name, and 12 for each part that is preallocated.
 * Descriptors: an eighth of what the process may have, at most 256, for directories, and 32 for
 * files.
 *
 * Errors beside an intake's: errno's of opening and reading, with the path.  Of metadata, with the
 * line: BFO_ET_DAMAGED; BFO_ET_NO_PATH for a file or directory that is missing; BFO_ET_CHANGED for
 * what has another type, size or target.
 */
#ifndef BFO_INTAKE_DIR_H
#define BFO_INTAKE_DIR_H

#include <sys/types.h>

#include "gather/source.h"
#include "wire/stream.h"

struct bfo_dir_options {
	const char *path;	/* links in it are followed */
	int cross_mounts;	/* also what is mounted below it; else only the directories there */
	int zeroes;		/* what cannot be read becomes zeroes; else that ends the reading */
	uint32_t block_size;	/* the unit of places: 1024, 2048, 4096; 0: its filesystem's */
	/* This file is left out: the target, perhaps.  An inode number of 0: none. */
	dev_t skip_dev;
	ino_t skip_ino;
	const char *metadata;	/* a file of metadata; NULL: none */
	/*
	 * A file of an earlier run that has the tree (wire/stream.h: KEPT), or NULL: nothing is
	 * gathered anew, and all of it has to be as it was.  JOB: with which options it was made.
	 */
	const char *kept, *job;
};

/* What concerns many files, once it is gathered or read. */
struct bfo_dir_notes {
	uint64_t mounts;	/* directories where something is mounted that was not entered */
	uint64_t skipped;	/* names of the file that was to be left out */
	/* whose access times reading may change: files, symbolic links */
	uint64_t touched, links;
	uint64_t out_of_time;	/* inodes with a time that none can hold */
};

/*
 * Opens the directory: *SOURCE, whose close() frees it; it can be gathered once.  Nothing of OPT
 * has to stay.  BFO_ET_NOT_DIR, ENOMEM, errno's.
 */
errcode_t bfo_dir_open(struct bfo_context *ctx, const struct bfo_dir_options *opt,
		       struct bfo_source **source);

/* Where ROW was found.  Of a source that bfo_dir_open() made, which is gathered. */
struct bfo_stream_kept bfo_dir_place(const struct bfo_source *source, bfo_row row);

/* Of a source that bfo_dir_open() made. */
struct bfo_dir_notes bfo_dir_notes(const struct bfo_source *source);

#endif
