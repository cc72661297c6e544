/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send.h - a tree and its data as a stream (wire/stream.h)
 *
 *   open ── bfo_send_count ──┬── bfo_emit: the tree, data ──┬── close
 *                            `── bfo_send_kept: the tree ───'
 *
 * The tree goes first, in the order in which the data will follow; so what comes of the data says
 * by its place alone whose it is.  Whoever reads the other end knows all of the tree, and plans,
 * before the first byte of data comes.  The first data are read while the tree is being sent.
 *
 * The bytes depend on the level and on libzstd's version; the digests do not.
 */
#ifndef BFO_EXPORT_SEND_H
#define BFO_EXPORT_SEND_H

#include "export/items.h"
#include "export/packed.h"
#include "gather/quota_read.h"
#include "wire/stream.h"

struct bfo_send_options {
	int fd;				/* the caller's */
	const char *name;		/* for messages */
	int level;			/* of zstd, or BFO_PACKED_NONE */
	int is_auto;			/* from LEVEL on as full as the pipe is */
	uint64_t bwlimit;		/* bytes of the stream a second; 0: no limit */
	size_t hold;			/* most bytes of the tree's frames (send_held.h) */
	const struct bfo_stream_token *resume;	/* NULL: from the beginning */
	int can_resume;			/* the source can be asked again */
	/* The superblock of the volume that it comes from, or NULL. */
	const struct ext2_super_block *like;
	/* limits of quota, as files that have nothing else (gather/quota_read.h), or NULL */
	const struct bfo_quota_file *quota;
};

/* What became of it. */
struct bfo_send_notes {
	uint64_t written;		/* bytes of the stream */
	uint64_t members, data;		/* of the tree; bytes of all data */
	uint64_t lost;			/* attributes that no program sees */
	uint8_t tree[BFO_STREAM_DIGEST];	/* its digest: of which tokens are */
	uint8_t digest[BFO_STREAM_DIGEST];	/* of all, once that is sent */
};

/* BFO_ET_NO_LIBGCRYPT, ENOMEM.  OPT's strings, token and superblock have to stay. */
errcode_t bfo_send_open(struct bfo_context *ctx, const struct bfo_send_options *opt,
			struct bfo_outlet **outlet);

/*
 * Counts what is known before data: ITEMS, which are complete.  *FROM: blocks of the stem before
 * this one are not to be sent (bfo_emit()).  BFO_ET_CHANGED: it is not the tree that is to go on.
 */
errcode_t bfo_send_count(struct bfo_outlet *outlet, struct bfo_items *items, uint64_t *from);

/* The tree, and in place of data LEN bytes (wire/stream.h: KEPT).  Nothing more comes then. */
errcode_t bfo_send_kept(struct bfo_outlet *outlet, const void *bytes, size_t len);

struct bfo_send_notes bfo_send_notes(const struct bfo_outlet *outlet);

void bfo_send_close(struct bfo_outlet *outlet);		/* NULL is fine */

#endif
