/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_state.h - a tree that comes from a stream: what the files that make one share
 *
 *   stream_tree.c   opening, the tree
 *   stream_look.c   what of the data is whole
 *   stream_data.c   the data, and the end
 *
 *   parts    |--a--|      |----b----|  |-c-|     bytes, counted in places
 *   data     |--a--|----b----|-c-|               bytes of the stream, without what lies between
 */
#ifndef BFO_INTAKE_STREAM_STATE_H
#define BFO_INTAKE_STREAM_STATE_H

#include <sys/stat.h>

#include "gather/quota_read.h"
#include "intake/catalog.h"
#include "intake/placer.h"
#include "intake/stream_in.h"
#include "intake/stream_tree.h"

/* A run of data. */
struct bfo_stream_part {
	uint64_t byte;			/* counted in places */
	uint64_t data;			/* counted in data of the stream */
};

/* A DATA frame that is whole. */
struct bfo_stream_found {
	uint32_t number;
	uint64_t byte;			/* of the stream, at which it begins */
};

typedef BFO_VEC(struct bfo_stream_found) bfo_stream_found_list;

/* Data that went by, and may be asked for later. */
struct bfo_stream_passed {
	uint64_t data;			/* where they begin */
	size_t at;			/* in `text` */
};

struct bfo_stream_source {
	struct bfo_intake in;		/* first: it begins with the source */
	struct bfo_stream_options opt;
	char *name, *tree_name;		/* tree_name: of its tree, for messages */
	int fd, is_ours;
	struct stat before;
	struct bfo_stream_in frames;
	struct bfo_placer placer;
	BFO_VEC(struct bfo_stream_part) parts;	/* ascending; behind the last one, their end */
	size_t part;			/* of them: the one that was asked for last */
	uint8_t tree[BFO_STREAM_DIGEST];	/* as it was computed here */
	struct bfo_quota_file quota[BFO_QUOTA_FILES];

	/* while it is gathered: */
	struct bfo_hasher hasher;	/* of the tree; then of all */
	struct bfo_members m;
	struct bfo_catalog *catalog;
	bfo_row row;			/* of the member at hand */
	struct bfo_member member;
	bfo_ranges unwritten;
	uint64_t tree_bytes, n_parts;
	uint64_t data;			/* bytes of all parts */

	/* data: */
	struct bfo_stream_frame frame;	/* at hand, if its kind is DATA */
	int has_frame;
	uint64_t hashed;		/* frames that are in the digest: all up to one */
	uint64_t gone;			/* of a pipe: data before that have been passed or read */
	BFO_VEC(struct bfo_stream_passed) passed;
	bfo_chars text;
	uint8_t digest[BFO_STREAM_DIGEST];	/* of all, */
	int has_digest;			/* once it is known to be right */

	/* of one that may be damaged (stream_look.h): */
	bfo_stream_found_list found;	/* frames that are whole, by number */
	bfo_ranges bad;			/* places whose data are not there */
	struct bfo_stream_damage damage;
};

/* Notes ERR, which is one of this machine's, unless it is 0; returns it. */
errcode_t bfo_stream_failed(struct bfo_stream_source *s, errcode_t err);

/* The frame at hand has to be END, with the digest of all frames, which were hashed. */
errcode_t bfo_stream_check_end(struct bfo_stream_source *s);

/* ---- stream_data.c: its operations (gather/source.h) ---- */

errcode_t bfo_stream_read(struct bfo_source *source, const struct bfo_node *nodes, size_t n,
			  const struct bfo_sink *sink);
errcode_t bfo_stream_settle(struct bfo_source *source);
uint32_t bfo_stream_next_frame(struct bfo_source *source, uint64_t place);

/* ---- stream_look.c ---- */

/*
 * The tree is complete, the stream a file: all frames of data are looked at, and TREE is told which
 * of its files lack some.  What has to be read again (EIO) is damage, too.
 */
errcode_t bfo_stream_look(struct bfo_stream_source *s, struct bfo_tree *tree);

#endif
