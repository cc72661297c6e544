/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_tree.h - trees from streams (wire/stream.h)
 *
 * All of the tree is known before the first data come.  Places count blocks of data in the order of
 * the stream, and are read forward.  A file can be read anywhere in that order; so can a pipe that
 * goes to a temporary file first.
 *
 * What is asked for late, contents up to BFO_STREAM_SMALL bytes, is kept as it passes by.
 *
 * settle() reads a pipe, and what comes by a descriptor, to its end, and compares digests.  Of a
 * file with a path, some of which was left out, only each frame's checksum was seen.
 *
 * Memory beyond that of an intake: 16 bytes a run of data, and 8 bytes a name while it is gathered.
 */
#ifndef BFO_INTAKE_STREAM_TREE_H
#define BFO_INTAKE_STREAM_TREE_H

#include "gather/source.h"
#include "intake/intake.h"
#include "intake/stream_in.h"
#include "volume/media.h"
#include "wire/stream.h"

#define BFO_STREAM_SMALL 160U

struct bfo_stream_options {
	const char *path;		/* NULL: it is descriptor FD, which stays its owner's */
	int fd;
	const char *name;		/* for messages; NULL: PATH */
	unsigned int strip;		/* components to take off each path */
	int64_t now;			/* of directories that are only implied, since 1970 */
	int spool;			/* what is no file goes to a temporary one */
	/*
	 * How data that are damaged are taken.  ZERO and SKIP: all of it is looked at before it is
	 * read, which a file is needed for, and what lacks data is a finding of the tree.
	 */
	enum bfo_media_mode damaged;
};

#define BFO_STREAM_SPOTS 1000U

/* A place at which a stream is not as it should be. */
struct bfo_stream_spot {
	uint64_t byte;
	char why[96];
};

/* What is wrong behind the tree of one that may be damaged. */
struct bfo_stream_damage {
	BFO_VEC(struct bfo_stream_spot) spots;	/* the first BFO_STREAM_SPOTS of them */
	uint64_t n;			/* all of them */
	uint64_t frames, lost;		/* of data; those that are not there */
	uint64_t lost_bytes;		/* of data */
	uint64_t bytes;			/* of the stream, which may be followed by others */
};

/*
 * Opens a stream: *SOURCE, whose close() frees it; it can be gathered once.  Nothing of OPT has to
 * stay, but descriptor FD.  Errors: those of stream_in.h; *SOURCE is NULL then.
 *
 * gather() and read(): the errors of members.h, intake.h and stream_in.h; ESPIPE: what was asked
 * for has gone by.
 */
errcode_t bfo_stream_open(struct bfo_context *ctx, const struct bfo_stream_options *opt,
			  struct bfo_source **source);

/* True if S is no file. */
int bfo_stream_is_pipe(const struct bfo_source *s);

/* What S says of itself; it is open. */
const struct bfo_stream_facts *bfo_stream_facts(const struct bfo_source *s);

/*
 * What is wrong with S, which was gathered as one that may be damaged; valid until it is closed.
 * All is 0: nothing is.
 */
const struct bfo_stream_damage *bfo_stream_damage(const struct bfo_source *s);

/* How S begins; it is open. */
const struct bfo_stream_preamble *bfo_stream_preamble(const struct bfo_source *s);

/* The digest of all of S, BFO_STREAM_DIGEST bytes, if its end was met, and is right; or NULL. */
const uint8_t *bfo_stream_end_digest(const struct bfo_source *s);

/*
 * What of S, which is gathered, follows the tree: a frame of KIND.  Errors: those of stream_in.h.
 */
errcode_t bfo_stream_next(struct bfo_source *s, enum bfo_stream_kind kind,
			  struct bfo_stream_frame *frame);

/* The intake that made its tree; S is a stream. */
struct bfo_intake *bfo_stream_intake(struct bfo_source *s);

/* Of S: its tree is not that of a file of e2bfo send --state, and WHY; BFO_ET_STREAM_DAMAGED. */
errcode_t bfo_stream_refuse(struct bfo_source *s, const char *why);

/* The digest of its tree, BFO_STREAM_DIGEST bytes, once it is gathered. */
const uint8_t *bfo_stream_digest(const struct bfo_source *s);

#endif
