/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs.h - formatting a target alike to the source, with mke2fs(8)
 */
#ifndef E2BFO_COPY_MKFS_H
#define E2BFO_COPY_MKFS_H

#include "base/context.h"
#include "base/vec.h"
#include "volume/volume.h"

/* What every formatting of one operation has in common, so that all come out alike. */
struct mkfs {
	struct bfo_context *ctx;
	const struct bfo_volume *source;
	const char *target;		/* as the user named it: for messages */
	const char *args;		/* the user's, or NULL */
	char uuid[37];
	char now[24];
	uint32_t sector;		/* bytes: blocks are at least as large */
	uint64_t inodes;		/* at least so many, for the files alone */
	int generous;			/* and by the source's ratio of inodes to bytes */
	int same_count;			/* as many as the source has, that numbers can be kept */
	int is_part;			/* the target is PATH?partition=N */
	int has_seed;			/* something was planned with hash_seed */
	uint32_t hash_seed[4];
	int silent;			/* mke2fs's messages are of no interest */
	bfo_chars told;			/* those that were shown, each with its NUL */
};

/* What is formatted. */
struct mkfs_place {
	const char *path;		/* a device or an existing file */
	uint64_t offset, size;		/* bytes */
	int is_part;			/* it goes on before or behind them */
	int is_scratch;			/* nobody will mount it: without the slow parts */
};

/* Draws a UUID; NOW pins the times. */
errcode_t mkfs_init(struct mkfs *m, struct bfo_context *ctx, const struct bfo_volume *source,
		    const char *target, const char *args, int64_t now);
void mkfs_free(struct mkfs *m);

/* From now on the UUID is that of the source. */
void mkfs_keep_uuid(struct mkfs *m);

/* From now on the target is going to have the sectors of PATH, if that is a device. */
errcode_t mkfs_note_sectors(struct mkfs *m, const char *path);

/* Formats WHERE: not a byte outside of it is written. */
errcode_t mkfs_run(struct mkfs *m, const struct mkfs_place *where);

/* A sparse file of SIZE bytes in memory, formatted and opened as a target; it goes with VOL. */
errcode_t mkfs_scratch(struct mkfs *m, uint64_t size, struct bfo_volume **vol);

/*
 * Opens SPEC, which was formatted, with what mke2fs cannot be told taken over from the source, and the
 * hash seed from the first that was opened.  Refused is what is not of the type, or has not the sizes,
 * that the user asked for.
 */
errcode_t mkfs_open(struct mkfs *m, const char *spec, int how, struct bfo_volume **vol);

/*
 * Refuses WHERE, which the user calls SPEC, if libblkid finds anything there (a filesystem, RAID, a
 * partition table): which.
 */
errcode_t mkfs_check_empty(struct bfo_context *ctx, const char *spec, const struct mkfs_place *where);

/*
 * Makes an image file of SIZE bytes beside PATH, under a name of its own: *MADE, malloc'ed.  Once it
 * is complete, mkfs_publish() gives it the name PATH; an existing file is replaced only if FORCE.
 */
errcode_t mkfs_create(struct bfo_context *ctx, const char *path, uint64_t size, char **made);
errcode_t mkfs_publish(struct bfo_context *ctx, const char *made, const char *path, int force);

#endif
