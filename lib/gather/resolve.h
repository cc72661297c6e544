/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolve.h - from paths to inode numbers, by reading the directories on the way and nothing else
 *
 * Directories on the way to the last path are kept: the next one is likely to share them.
 *
 * Errors: EINVAL (".." in a path), BFO_ET_NOT_DIR, BFO_ET_NO_PATH, ENOMEM, and those of reading
 * (gather/batch.h).
 */
#ifndef BFO_GATHER_RESOLVE_H
#define BFO_GATHER_RESOLVE_H

#include "gather/batch.h"
#include "tree/tree.h"

/* A name of a directory. */
struct bfo_resolved_name {
	uint32_t hash;			/* of its bytes: the sort key */
	uint32_t at;			/* in names[] */
};

/* A directory, alone in a tree. */
struct bfo_resolved_dir {
	uint32_t ino;
	struct bfo_tree tree;
	int times;			/* that a name was looked for in it */
	/* from the second time on: all its names */
	BFO_VEC(struct bfo_resolved_name) names;
};

/* Begins with READER and NAME, all else zeroed. */
struct bfo_resolver {
	struct bfo_reader *reader;
	const char *name;		/* of the volume, for messages */
	BFO_VEC(struct bfo_resolved_dir) dirs;	/* the root, and so on */
	/* of the last path that was found: its directory's number; the path in its shortest form */
	uint32_t parent;
	bfo_chars clean;
};

/* The number *INO of the inode that PATH, from the root on, leads to; links are not followed. */
errcode_t bfo_resolve(struct bfo_resolver *r, const char *path, uint32_t *ino);

void bfo_resolver_free(struct bfo_resolver *r);

#endif
