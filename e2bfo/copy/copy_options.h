/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy_options.h - what `e2bfo copy` was asked to do
 */
#ifndef E2BFO_COPY_COPY_OPTIONS_H
#define E2BFO_COPY_COPY_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "volume/volume.h"
#include "e2bfo/argument.h"
#include "order_options.h"

#define SIZE_MIN UINT64_MAX	/* --size min */

/* One --exclude or --exclude-from. */
struct exclude_option {
	const char *text;		/* the pattern, or a file of patterns */
	int is_file;
};

struct copy_options {
	const char *source, *target;
	struct exclude_option *exclude;
	size_t n_exclude;
	const char *files_from;		/* or NULL */
	int from0;			/* lists are separated by NUL */
	int allow_empty;		/* so may that be */
	int same_uuid;
	const char **from;		/* --from, at least one */
	size_t n_from;
	const char *to;
	int mkfs;			/* --mkfs */
	char *mkfs_args;		/* its arguments, or NULL */
	uint64_t size;			/* --size in bytes, SIZE_MIN, or 0 */
	int keep_inodes;		/* --keep-inodes */
	struct order_options order;
	int itree;			/* --itree */
	int verify;			/* --verify */
	int not_atomic;			/* --not-atomic */
	const char *undo_file;		/* -z, or NULL */
	int dry_run, force;
	int trust;			/* a target's bitmaps, whoever has used it */
	uint64_t read_gap;		/* bytes */
	enum bfo_direct_use direct;
	uint64_t losses;		/* --allow-loss: a bit for each kind of finding */
	unsigned int dir_fill;		/* percent */
	struct argument_common common;
	struct medium medium;		/* of the source */
	const char *write_mapfile;	/* or NULL */
};

/*
 * Reads the command line.  Returns -1 to go on, else the exit status to end with (after --help,
 * or a complaint on standard error).  Release with options_free().
 */
int options_read(struct copy_options *opt, int argc, char **argv);
void options_free(struct copy_options *opt);

#endif
