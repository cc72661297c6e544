/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * manifest_read.h - readers of lists of files with their digests
 *
 * Formats: e2bfo-manifest(5); they may come from other programs.  Nothing of them is trusted: what
 * a list says about a path is checked for itself, not whether names come twice, or below what is
 * no directory.
 */
#ifndef BFO_INTAKE_MANIFEST_READ_H
#define BFO_INTAKE_MANIFEST_READ_H

#include <stddef.h>

#include "base/context.h"
#include "base/hasher.h"
#include "base/manifest_format.h"

enum bfo_manifest_field {
	BFO_HAS_TYPE = 1,
	BFO_HAS_MODE = 2,
	BFO_HAS_UID = 4,
	BFO_HAS_GID = 8,
	BFO_HAS_SIZE = 16,
	BFO_HAS_SEC = 32,
	BFO_HAS_NSEC = 64,		/* and `sec`, then */
	BFO_HAS_TARGET = 128,
	BFO_HAS_NLINK = 256,
	BFO_HAS_DEVICE = 512,
};

/* A line, or an object.  Pointers are valid until the callback returns; no bytes are NUL. */
struct bfo_manifest_entry {
	const char *path;		/* below the root, one slash between names; "": the root */
	size_t path_len;
	unsigned int has;		/* mask of enum bfo_manifest_field */
	uint32_t type;			/* a bit pattern of S_IFMT */
	uint32_t mode;			/* without the type */
	uint32_t uid, gid, nlink;
	uint32_t major, minor;		/* of a device */
	uint64_t size;			/* bytes */
	int64_t sec;			/* of the last modification, since 1970, rounded down */
	uint32_t nsec;
	const char *target;		/* of a symbolic link */
	size_t target_len;
	struct bfo_sums sums;		/* that there are; of regular files */
	uint64_t line;			/* of the list: the last one that it is in */
};

struct bfo_manifest_reader {
	/* An error ends the reading; its circumstances are the callback's. */
	errcode_t (*entry)(void *priv, const struct bfo_manifest_entry *e);
	void *priv;
};

struct bfo_manifest_seen {
	uint64_t lines, entries;
	int is_sealed;			/* its last line is its digest, which is right */
};

/*
 * Reads all of FD, a list in FORMAT, which NAME stands for in messages.  SEEN may be NULL.  Returns
 * BFO_ET_DAMAGED, with the line, if it is no such list, or if a digest of the list in it is wrong;
 * EINVAL for a format that is only written; ENOMEM, BFO_ET_CANCELLED, errno's of reading, and what
 * the callback returned.  Without libgcrypt digests of the list are not looked at.
 */
errcode_t bfo_manifest_read(struct bfo_context *ctx, enum bfo_manifest_format format, int fd,
			    const char *name, const struct bfo_manifest_reader *reader,
			    struct bfo_manifest_seen *seen);

#endif
