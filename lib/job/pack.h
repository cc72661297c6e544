/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pack.h - small files of a directory become members of a composite file, and files again
 *
 *   directories ── names, inodes ──┬── members, by owner, group, project ── pack_make.c ──┬── batch
 *     pack_survey.c                `── composite files ──────────────────── unpack.c ─────┘
 *
 * CFFS (FAST 2016), on an unmounted volume.  All of it is one commit (job/batch_write.h): after a
 * power cut there is all of it, or nothing.  Everything is looked at, and its room is counted,
 * before anything is written.
 *
 * The time of a directory's last change stays what it was: for who sees through composite files no
 * file has come or gone.  Its ctime does not stay.  A composite file has the owner, group and
 * project of its members, and those permissions that all of them have, but for execution; it is
 * immutable, by which it is told from copies of such a file (pack/composite.h).
 *
 * Memory: a batch's (HACKING); 64 bytes per file that is packed; 24 per name, and the bytes of the
 * name; and one composite file, or of one that is unpacked its table, and its largest member.
 *
 * Errors: those of job/batch_write.h; BFO_ET_DAMAGED of a composite file; BFO_ET_EXISTS of a member
 * whose name somebody else has; BFO_ET_FEATURE of a composite file that somebody newer has written.
 */
#ifndef BFO_JOB_PACK_H
#define BFO_JOB_PACK_H

#include "job/batch_write.h"
#include "job/order.h"

/* Why a regular file is not packed. */
enum bfo_pack_reason {
	BFO_PACK_LARGE,
	BFO_PACK_ALONE,
	BFO_PACK_NO_GROUP,
	BFO_PACK_HIDDEN,
	BFO_PACK_SET_ID,
	BFO_PACK_CAPABILITY,
	BFO_PACK_ACL,
	BFO_PACK_XATTR,
	BFO_PACK_IMMUTABLE,
	BFO_PACK_APPEND_ONLY,
	BFO_PACK_ENCRYPTED,
	BFO_PACK_VERITY,
	BFO_PACK_FLAGS,
	BFO_PACK_LINKED,
	BFO_PACK_SPARSE,
	BFO_PACK_OWN,
	BFO_PACK_ODD,
	BFO_PACK_DIRECTORY,		/* of a directory: nothing in it is */
	BFO_PACK_REASONS
};

struct bfo_pack_reason_row {
	const char *word;		/* for scripts: part of the interface */
	const char *text;
	int is_named;			/* files are told one by one, not only counted */
};

extern const struct bfo_pack_reason_row bfo_pack_reasons[BFO_PACK_REASONS];

struct bfo_pack_options {
	struct bfo_batch_options batch;	/* volume, undo_file, now, is_not_atomic, is_forced */
	const char *const *paths;	/* directories */
	size_t n_paths;
	int is_recursive;		/* all directories below them, too */
	int is_update;			/* composite files that are there gain and lose members */
	int is_dry;			/* only looks */
	uint64_t max_size;		/* of a member, bytes; up to BFO_COMPOSITE_CONTENT_MOST */
	uint64_t pack_size;		/* of a composite file, bytes; not less */
	/*
	 * What is packed, and in what order (job/order.h): files that list, refs and trace put next
	 * to each other; all others only if there is another policy, or none.
	 */
	struct bfo_order_options order;
	uint64_t memory;		/* bytes, for contents that are read for the order */
	char *const *environment;	/* for mke2fs(8), which the order asks; ends in NULL */
};

/* A composite file that is made, or taken apart. */
struct bfo_pack_composite {
	const char *path;
	uint64_t members, names, bytes;	/* bytes: of the contents */
};

/* Who is told.  Functions may be NULL. */
struct bfo_pack_sink {
	errcode_t (*composite)(void *priv, const struct bfo_pack_composite *x);
	errcode_t (*left)(void *priv, const char *path, enum bfo_pack_reason why);
	void *priv;
};

/* What came of it. */
struct bfo_pack_result {
	uint64_t directories;		/* that were looked at */
	uint64_t composites, members, names, bytes;
	/* by an update: composite files that all have left, members that became files */
	uint64_t removed, unpacked;
	uint64_t left[BFO_PACK_REASONS];
	const char *fate;		/* as bfo_batch_fate() has it; NULL: it was not opened */
};

errcode_t bfo_pack(struct bfo_context *ctx, const struct bfo_pack_options *opt,
		   const struct bfo_pack_sink *sink, struct bfo_pack_result *result);
errcode_t bfo_unpack(struct bfo_context *ctx, const struct bfo_pack_options *opt,
		     const struct bfo_pack_sink *sink, struct bfo_pack_result *result);

#endif
