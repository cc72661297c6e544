/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * members.h - the members of an archive, one after the other, from a process that parses it
 *
 *   start ── [next]* ── stop		or: start ── walk ── stop
 *
 * The process is a fork of this one that gives up all its rights (jail.h) before it looks at the
 * first byte.  It holds nothing of ours that matters: it executes nothing, writes to nothing but
 * its pipe, and its end is waited for.
 *
 * What comes is in order: a member, the parts of its data in ascending order, none beyond their
 * end, among them what was never written, perhaps beyond it; the next member; the end.
 *
 * Errors: BFO_ET_DAMAGED with member and byte, BFO_ET_NOT_ARCHIVE, BFO_ET_CANCELLED, ENOMEM, errnos
 * of reading the archive, of pipe(2) and fork(2); all are noted.
 */
#ifndef BFO_INTAKE_MEMBERS_H
#define BFO_INTAKE_MEMBERS_H

#include <sys/types.h>

#include "wire/frames.h"
#include "intake/parse.h"

#define BFO_MEMBER_TEXT 200U

struct bfo_members {
	const char *name;		/* of the archive, for messages */
	struct bfo_frames frames;
	pid_t pid;			/* 0: there is no process */
	uint64_t end, done;		/* of the member at hand: of its data; of its last part */
	uint64_t byte;			/* its header */
	uint64_t count;			/* members so far */
	int ended;
	char path[BFO_MEMBER_TEXT];	/* of the member at hand, escaped, perhaps cut */
};

enum bfo_piece_kind {
	BFO_PIECE_MEMBER,		/* `member` */
	/*
	 * LEN bytes of its data from AT on; DATA NULL: not sent.  PLACE: the byte of the archive at
	 * which they begin; 0: where the part before ended.
	 */
	BFO_PIECE_PART,
	BFO_PIECE_UNWRITTEN,		/* LEN bytes from AT on that were never written */
	BFO_PIECE_END,			/* AT, LEN: bytes at which its end mark begins, and ends */
};

/* Pointers are valid until the next piece. */
struct bfo_piece {
	enum bfo_piece_kind kind;
	const struct bfo_member *member;
	uint64_t at, len, place;
	const void *data;
	struct bfo_frame frame;		/* what these point to */
};

/* Begins to parse what P says, for messages NAME, both of which have to stay. */
errcode_t bfo_members_start(struct bfo_members *m, struct bfo_context *ctx, const char *name,
			    const struct bfo_parse *p);

/* How to begin: as bfo_members_start() does, or in another way. */
typedef errcode_t (*bfo_members_begin)(struct bfo_members *m, struct bfo_context *ctx,
				       const char *name, const struct bfo_parse *p);

/* The same of frames that are there already, in FD, which is closed in the end. */
void bfo_members_of(struct bfo_members *m, struct bfo_context *ctx, const char *name, int fd);

/* The same of bare frames that FILL brings (wire/frames.h). */
void bfo_members_from(struct bfo_members *m, struct bfo_context *ctx, const char *name,
		      errcode_t (*fill)(void *priv, bfo_chars *buf), void *priv);

/* The next piece; BFO_PIECE_END is the last one. */
errcode_t bfo_members_next(struct bfo_members *m, struct bfo_piece *piece);

/* What walk() calls; each returns 0, or an error that ends the walk. */
struct bfo_members_sink {
	errcode_t (*member)(void *priv, const struct bfo_member *member);
	errcode_t (*part)(void *priv, const struct bfo_piece *part);
	errcode_t (*unwritten)(void *priv, uint64_t at, uint64_t len);
	errcode_t (*end)(void *priv, uint64_t mark, uint64_t byte);
	void *priv;
};

/* Hands all pieces to SINK. */
errcode_t bfo_members_walk(struct bfo_members *m, const struct bfo_members_sink *sink);

/* Notes what is wrong with the member at hand, and returns CODE. */
errcode_t bfo_members_fail(struct bfo_members *m, errcode_t code, const char *why);

/* Ends the process, if it still runs.  Also of one that was zeroed. */
void bfo_members_stop(struct bfo_members *m);

#endif
