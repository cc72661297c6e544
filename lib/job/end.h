/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * end.h - what a tree comes from, or goes to: the words that users write for it
 *
 *   what spec.h has	a volume; but an existing directory is a directory, and a file that begins
 *			as an archive does, or a pipe with a name, is an archive
 *   dir:PATH		a directory: PATH as it stands
 *   tar:PATH		an archive, tar or cpio, compressed or not: PATH as it stands
 *   -, tar:-		an archive on standard input
 *   stream:PATH	a stream of our own, a file or a pipe, PATH as it stands; a file that
 *			begins as one is one, too
 *   stream:-		... on standard input
 *
 * A file that begins as a filesystem and as an archive is neither: its user has to say which.
 */
#ifndef BFO_JOB_END_H
#define BFO_JOB_END_H

#include "gather/source.h"
#include "intake/dir.h"

enum bfo_end_kind {
	BFO_END_VOLUME,
	BFO_END_DIRECTORY,
	BFO_END_ARCHIVE,
	BFO_END_STREAM,
};

struct bfo_end {
	enum bfo_end_kind kind;
	char *path;			/* of what is no volume; "-": standard input */
	const struct bfo_source *source;	/* that was opened, until it is closed */
};

/* How an end that is no volume is read. */
struct bfo_end_options {
	int cross_mounts;		/* other filesystems below a directory belong to it */
	/* what becomes of data that cannot be read; of a directory, SKIP is STOP */
	enum bfo_media_mode on_read_error;
	uint32_t block_size;		/* of a directory's places (intake/dir.h), or 0 */
	const char *left_out;		/* a file that is none of the tree, if it exists; or NULL */
	unsigned int strip;		/* components that paths in an archive lose */
	int spool;			/* an archive that is no file goes to a temporary one, */
	int arrives;			/* or may be a source that arrives (gather/source.h) */
	int64_t now;			/* time of what an archive only implies: always the same */
	int dereference;		/* each name of a file is a file */
	const char *metadata_in;	/* file with what a directory could not take, or NULL */
	const char *kept, *job;		/* of a directory: what dir.h says, or NULL */
	int in;				/* where - is read from, a descriptor; 0: standard input */
};

/*
 * What SPEC stands for.  Nothing is opened for writing.  EINVAL: two things; ENOMEM; BFO_ET_OPTION:
 * it is on another machine.  Free it.
 */
errcode_t bfo_end_tell(struct bfo_context *ctx, const char *spec, struct bfo_end *end);

/*
 * The same of SPEC as a target.  A directory: one that exists, or dir:PATH, or a name that ends in
 * a slash.  An archive: tar:PATH, tar:- for standard output, or a name that ends in .tar or
 * .tar.zst and is no block device, nor a file that holds a filesystem.  A stream: stream:PATH,
 * stream:-.  BFO_ET_OPTION: what can only be read, too.
 */
errcode_t bfo_end_tell_target(struct bfo_context *ctx, const char *spec, struct bfo_end *end);
void bfo_end_free(struct bfo_end *end);

/* What FD begins as, "an archive" or "a stream"; NULL: neither. */
const char *bfo_end_begins_as(int fd);

/*
 * BFO_ET_OPTION, with a text about NAME, if HOW asks for what ends of none of KINDS have: a bit
 * each, 1 << kind.
 */
errcode_t bfo_end_check(struct bfo_context *ctx, const char *name, unsigned int kinds,
			const struct bfo_end_options *how);

/* Opens END, which is no volume: *SOURCE, to be closed by its ops.  Errors: those of the intake. */
errcode_t bfo_end_open(struct bfo_context *ctx, struct bfo_end *end,
		       const struct bfo_end_options *how, struct bfo_source **source);

/* What there is to tell of a directory, before it is closed; zeroes of anything else. */
struct bfo_dir_notes bfo_end_notes(const struct bfo_end *end);

#endif
