/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * itreemade.h - trees in memory, for the tests of itree/
 */
#ifndef UNIT_ITREEMADE_H
#define UNIT_ITREEMADE_H

#include "base/vec.h"
#include "itree/build.h"
#include "itree/change.h"
#include "itree/check.h"
#include "itree/cursor.h"
#include "itree/itree.h"
#include "unit.h"

#define MADE_SEED 0x12345678U

/* Blocks, an allocation each, so that tools see what is read or written behind one. */
struct made_tree {
	struct itree_store store;
	struct itree_dir dir;		/* as built */
	struct itree t;			/* open */
	BFO_VEC(uint8_t *) blocks;
	BFO_VEC(uint32_t) free;
	uint64_t reads, writes;
	uint32_t last_read;
	uint32_t allocs_left;		/* then ENOSPC */
	uint32_t reads_left, writes_left;	/* then EIO */
};

/* Sorted by key.  Names of one entry are `text`'s bytes. */
struct made_entry {
	itree_key key;
	uint8_t len, type;
	const char *name;
};

/* An empty store. */
void made_tree_init(struct made_tree *m, uint32_t block_size);
/* Builds the tree of N entries and opens it. */
void made_tree_build(struct made_tree *m, uint32_t block_size, uint32_t fill,
		     const struct made_entry *v, size_t n);
void made_tree_free(struct made_tree *m);
/* Opens it once more, with dir as it is in M, only to read. */
void made_tree_reopen(struct made_tree *m);

struct itree_entry made_itree_entry(const struct made_entry *e);

/*
 * N entries in order; the keys are random, RUN of them equal on average; names of MIN to MAX bytes.
 */
struct made_entry *made_entries(struct chance *c, size_t n, uint32_t run, uint32_t min,
				uint32_t max);
void made_entries_free(struct made_entry *v, size_t n);

/* A full check passes, and the tree has exactly these entries. */
void made_tree_want(const struct made_tree *m, const struct made_entry *v, size_t n);

#endif
