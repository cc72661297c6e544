/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_in.h - the frames of a stream (wire/stream.h), one after the other
 *
 *   open ── [next]* ── [seek ── next]* ── close
 *
 * Of each frame everything is checked that it says of itself before it is handed out: its head, its
 * number, its place, its checksum, its length.  What comes out of a pipe is read ahead by a thread,
 * so that a sender does not wait while this end does something else.
 *
 * Errors: BFO_ET_NOT_STREAM, BFO_ET_STREAM_FEATURE, BFO_ET_STREAM_CUT, BFO_ET_STREAM_DAMAGED, all
 * with the place in ctx->what; BFO_ET_CANCELLED, ENOMEM, errnos of reading, BFO_ET_NO_LIBGCRYPT.
 *
 * Memory: a frame as it is stored and as it is, of a pipe BFO_STREAM_RING beside them, of a file 8
 * bytes a frame.
 */
#ifndef BFO_INTAKE_STREAM_IN_H
#define BFO_INTAKE_STREAM_IN_H

#include <sys/types.h>

#include "base/context.h"
#include "base/hasher.h"
#include "base/ring.h"
#include "base/vec.h"
#include "wire/stream.h"

#define BFO_STREAM_RING (64U << 20)	/* bytes */

struct bfo_stream_in {
	struct bfo_context *ctx;
	const char *name;		/* for messages; has to stay */
	int fd, is_file;
	off_t origin;			/* of FD, where the stream begins; -1: it has no places */
	struct bfo_ring ring;		/* of what is no file */
	struct bfo_stream_preamble preamble;
	struct bfo_stream_facts facts;
	uint8_t facts_bytes[BFO_STREAM_FACTS_BYTES];

	uint64_t byte;			/* of the stream: what was taken so far */
	uint64_t begin;			/* the frame at hand */
	uint32_t number, data_number;	/* of the frame that comes next */
	uint64_t data_at;
	uint32_t tree;			/* what DATA and END say that they are of */
	char *stored, *raw;
	void *codec;			/* zstd's */
	BFO_VEC(uint64_t) index;	/* of a file: where DATA frames begin that were seen */
	uint64_t index_end;		/* ... and where that ends */
	struct bfo_hasher hasher;	/* of a frame */
	uint8_t digest[BFO_STREAM_DIGEST];	/* of the DATA frame that came last */
	char why[96];			/* what was wrong last */
};

/* A frame.  DATA is valid until the next one. */
struct bfo_stream_frame {
	struct bfo_stream_head head;
	const char *data;		/* head.bytes of them */
};

/* True if FD can be read anywhere, from its first byte on. */
int bfo_stream_in_is_file(int fd);

/* Begins to read FD, which has to stay; what it says of itself is known then. */
errcode_t bfo_stream_in_open(struct bfo_stream_in *in, struct bfo_context *ctx, const char *name,
			     int fd);

/* The next frame, of any kind that need not be known. */
errcode_t bfo_stream_in_any(struct bfo_stream_in *in, struct bfo_stream_frame *f);

/* The next frame; those that may be ignored are. */
errcode_t bfo_stream_in_next(struct bfo_stream_in *in, struct bfo_stream_frame *f);

/*
 * Of a file, once a DATA frame has come or is next: the one that has byte AT of all data comes
 * next; or the frame behind them all.
 */
errcode_t bfo_stream_in_seek(struct bfo_stream_in *in, uint64_t at);

/* Of a file: true if a head stands at BYTE, *H. */
int bfo_stream_in_head(struct bfo_stream_in *in, uint64_t byte, struct bfo_stream_head *h);

/*
 * Of a file whose tree was read: takes the frame that begins at BYTE, whatever came before it, and
 * of a kind that need not be known, too.  What is behind it comes next.
 */
errcode_t bfo_stream_in_frame(struct bfo_stream_in *in, uint64_t byte, struct bfo_stream_frame *f);

/* True unless H has to stand behind the tree, and says that it stands behind another one. */
static inline int bfo_stream_in_is_ours(const struct bfo_stream_in *in,
					const struct bfo_stream_head *h)
{
	return !bfo_stream_is_marked(h->kind) || h->tree == in->tree;
}

/* True for a kind that is not known, and need not be: it is passed over. */
static inline int bfo_stream_in_is_foreign(const struct bfo_stream_head *h)
{
	return (h->kind < BFO_STREAM_FACTS || h->kind > BFO_STREAM_QUOTA) && !h->is_needed;
}

/* Nothing more is taken, and whoever reads FD next gets what follows, unless it is a pipe. */
void bfo_stream_in_leave(struct bfo_stream_in *in);

/* Notes what is wrong with the frame that came last, and where, and returns CODE. */
errcode_t bfo_stream_in_fail(struct bfo_stream_in *in, errcode_t code, const char *why);

/* Also of one that was zeroed. */
void bfo_stream_in_close(struct bfo_stream_in *in);

#endif
