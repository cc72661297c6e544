/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs.h - formatting a target alike to the source, with mke2fs(8)
 *
 * A source that is no volume is like none: then the target is what mke2fs(8) makes of "-t ext4"
 * where mke2fs.conf(5) is as e2fsprogs has it, with blocks of 4 KiB whatever its size.
 */
#ifndef BFO_JOB_MKFS_H
#define BFO_JOB_MKFS_H

#include "base/context.h"
#include "base/vec.h"
#include "job/job_options.h"
#include "volume/volume.h"

/* What every formatting of one operation has in common, so that all come out alike. */
struct bfo_mkfs {
	struct bfo_context *ctx;
	struct ext2_super_block like;	/* what is taken over of it, or of nothing */
	int config_fd;			/* in place of mke2fs.conf(5): mkfs_config.h; or 0 */
	int is_alike;			/* there is a source to be alike to */
	const char *target;		/* as the user named it: for messages */
	const char *args;		/* the user's, for messages; or NULL */
	char *const *words;		/* the same, to be read (job/mkfs_words.h) */
	char *const *environment;	/* ends in NULL */
	/* Is given what mke2fs says, line by line, each once; or NULL. */
	void (*tell)(void *priv, const char *line);
	void *priv;
	char uuid[37];
	char now[24];
	uint32_t sector;		/* bytes: blocks are at least as large */
	uint64_t inodes;		/* at least so many, for the files alone */
	int generous;			/* and by the source's ratio of inodes to bytes */
	int same_count;			/* as many as the source has, that numbers can be kept */
	uint64_t count;			/* as many as that, if it is not 0 */
	int is_counted;			/* as many as are used, and `more`; no others */
	struct bfo_more more;
	int is_part;			/* the target is PATH?partition=N */
	int has_seed;			/* something was planned with hash_seed */
	uint32_t hash_seed[4];
	int silent;			/* what mke2fs says is of no interest */
	bfo_chars told;			/* what it has said, line by line, each with its NUL */
};

/* What is formatted. */
struct bfo_mkfs_place {
	const char *path;		/* a device or an existing file */
	uint64_t offset, size;		/* bytes */
	int is_part;			/* it goes on before or behind them */
	int is_scratch;			/* nobody will mount it: without the slow parts */
};

/*
 * Takes from OPT what it says of formatting, and the times to pin; draws a UUID.  LIKE: the
 * superblock of the volume that the tree comes from, or NULL.  Errors: those of getrandom(2).
 */
errcode_t bfo_mkfs_init(struct bfo_mkfs *m, struct bfo_context *ctx,
			const struct ext2_super_block *like, const struct bfo_copy_options *opt);
void bfo_mkfs_free(struct bfo_mkfs *m);

/*
 * What is made does not depend on the machine: SEED (16 bytes) seeds the hash of names, and its
 * mke2fs.conf(5) is not asked.  Errors: of memory, and of memfd_create(2).
 */
errcode_t bfo_mkfs_pin(struct bfo_mkfs *m, const uint8_t *seed);

/*
 * From now on the target is called UUID (16 bytes), unless the user's arguments have another one,
 * and was made at NOW.
 */
void bfo_mkfs_identify(struct bfo_mkfs *m, const uint8_t *uuid, int64_t now);

/* From now on the target is going to have the sectors of PATH, if that is a device. */
errcode_t bfo_mkfs_note_sectors(struct bfo_mkfs *m, const char *path);

/* Formats WHERE: not a byte outside of it is written. */
errcode_t bfo_mkfs_run(struct bfo_mkfs *m, const struct bfo_mkfs_place *where);

/* A sparse file of SIZE bytes in memory, formatted and opened as a target; it goes with VOL. */
errcode_t bfo_mkfs_scratch(struct bfo_mkfs *m, uint64_t size, struct bfo_volume **vol);

/*
 * Opens SPEC, which was formatted, with what mke2fs cannot be told taken over from the source, and
 * the hash seed from the first that was opened.  Refused is what is not of the type, or has not the
 * sizes, that the user asked for.
 */
errcode_t bfo_mkfs_open(struct bfo_mkfs *m, const char *spec, int how, struct bfo_volume **vol);

/*
 * Refuses WHERE, which the user calls SPEC, if libblkid finds anything there (a filesystem, RAID, a
 * partition table): which.
 */
errcode_t bfo_mkfs_check_empty(struct bfo_context *ctx, const char *spec,
			       const struct bfo_mkfs_place *where);

/*
 * Makes an image file of SIZE bytes beside PATH, under a name of its own: *MADE, malloc'ed.  Once
 * it is complete, bfo_temporary_publish() gives it the name PATH.
 */
errcode_t bfo_mkfs_create(struct bfo_context *ctx, const char *path, uint64_t size, char **made);

#endif
