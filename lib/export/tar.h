/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tar.h - an outlet that is a pax archive; e2bfo-tar(5) has the format
 *
 * The bytes depend on the items, on `level` and on libzstd's version, and on nothing else.
 */
#ifndef BFO_EXPORT_TAR_H
#define BFO_EXPORT_TAR_H

#include "export/item_counts.h"

struct bfo_tar_options {
	int fd;				/* of any kind; written where it stands */
	const char *name;		/* for messages; has to stay */
	int is_packed;			/* zstd */
	int level;			/* of zstd; 0: 3 */
	unsigned int threads;		/* 0: as many as there are processors */
	/*
	 * Only keys that every tar knows, none of which GNU tar complains about.  Birth times,
	 * flags, what only e2bfo keeps, and sockets are left out.
	 */
	int is_portable;
};

struct bfo_tar_notes {
	uint64_t members;		/* items that are in it */
	struct bfo_item_counts items;	/* the same, by their kinds */
	uint64_t data;			/* bytes of files, without their holes */
	uint64_t bytes;			/* of the archive before it is compressed */
	uint64_t written;		/* to `fd` so far */
	uint64_t sockets;		/* items left out because they are sockets */
	uint64_t attributes;		/* that no archive can say, and left out: of members, */
	const char *first;		/* the first of which is this; NULL: of none */
};

/*
 * Returns 0, or an error whose circumstances are in CTX, which becomes (*outlet)->ctx.  Functions
 * of the outlet return errors of writing (EPIPE only if the caller ignores SIGPIPE), ENOMEM,
 * BFO_ET_CANCELLED; BFO_ET_DAMAGED if an item has no type; BFO_ET_CHANGED if data do not agree with
 * the item's parts.
 */
errcode_t bfo_tar_open(struct bfo_context *ctx, const struct bfo_tar_options *opt,
		       struct bfo_outlet **outlet);

/* Its text stays until the outlet is closed. */
struct bfo_tar_notes bfo_tar_notes(const struct bfo_outlet *outlet);

/* Frees it, ended or not.  `fd` stays open.  OUTLET may be NULL. */
void bfo_tar_close(struct bfo_outlet *outlet);

#endif
