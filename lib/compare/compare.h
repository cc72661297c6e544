/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare.h - are two file trees the same to those who use them?
 *
 *   tree A ──┐                      ┌── inodes: attributes, xattrs, symlinks, holes (inodes.c)
 *            ├── pairs (pairs.c) ───┤
 *   tree B ──┘    missing, extra,   └── data of files (data.c)
 *                 links
 *
 * What users have is compared, not how it is laid out: block size, inode size, places and inode
 * numbers may differ.  Differences are handed out as they are found: those of names, level by
 * level; of inodes, in the order of A's inode numbers; of data, in the order of A's data.  That
 * order does not depend on the memory.
 *
 * What cannot be read on one side (its source goes on, volume/media.h) is neither equal nor
 * different: it becomes a finding of that side's tree, and is left out (unread.h).
 *
 * Memory beside the two trees: 20 bytes per pair, at times 16 more, 8 per attribute block, and the
 * buffers, of which as much is used as there is to compare, up to `memory`.
 */
#ifndef BFO_COMPARE_COMPARE_H
#define BFO_COMPARE_COMPARE_H

#include "compare/diff.h"
#include "gather/source.h"
#include "tree/tree.h"

/* A record of A and one of B to which one path leads. */
struct bfo_compare_pair {
	bfo_row row[2];	/* indexes of the records */
	uint32_t parent;	/* pair of the directory, or BFO_NONE: the top */
	uint32_t name;		/* in A's names[] */
	uint32_t names_only;	/* both were compared with something before */
};

/* What of a record could not be read, as gathering has found (compare/unread.h). */
struct bfo_unread {
	bfo_row row;
	uint32_t kind;		/* of the finding, BFO_UNREAD_... */
	uint64_t lblk, end;	/* logical blocks, of block maps */
};

struct bfo_compare {
	struct bfo_context *ctx;
	struct bfo_source *source[2];
	struct bfo_tree *tree[2];	/* with names; findings about names are added */
	const char *path[2];		/* subtrees to compare */
	uint64_t memory;		/* bytes, at least 1 MiB */
	uint32_t ignore;		/* BFO_DIFF_BIT()s of what is not to be compared */
	void (*found)(void *priv, const struct bfo_diff *diff);
	void *priv;

	BFO_VEC(struct bfo_compare_pair) pairs;	/* [0] is the top; parents come first */
	uint64_t differences;
	uint64_t files, dirs;		/* paired; files are all that is no directory */
	uint64_t bytes;			/* of data compared */
	uint64_t missed;		/* not compared, as one side of them cannot be read */
	BFO_VEC(struct bfo_unread) unread[2];	/* ascending */
};

/*
 * Sorts the names of both trees and pairs what has the same path.  A record's `name` becomes the
 * first pair it is in.  lost+found of the root is left out.  BFO_ET_NO_PATH or BFO_ET_NOT_DIR if
 * a path leads nowhere.
 */
errcode_t bfo_compare_names(struct bfo_compare *c);

/* Compares the inodes of all pairs; then the data of those that are files. */
errcode_t bfo_compare_inodes(struct bfo_compare *c);
errcode_t bfo_compare_data(struct bfo_compare *c);

void bfo_compare_free(struct bfo_compare *c);

/* For the parts of this layer: hands DIFF out, unless its kind is ignored. */
void bfo_compare_found(struct bfo_compare *c, const struct bfo_diff *diff);

/* Writes the path, in A, of PAIR (and NAME in it, if not NULL); cut off in front.  Its length. */
size_t bfo_compare_path(const struct bfo_compare *c, uint32_t pair, const struct bfo_bytes *name,
			char *out, size_t size);

/* The same for what was wrong with SIDE; 0 if that does not belong to what was compared. */
size_t bfo_compare_finding_path(const struct bfo_compare *c, int side,
				const struct bfo_finding *f, char *out, size_t size);

/* SIDE's record of PAIR. */
static inline const struct bfo_inode *bfo_pair_inode(const struct bfo_compare *c, uint32_t pair,
						     int side)
{
	return &c->tree[side]->inodes.v[c->pairs.v[pair].row[side]];
}

/* True if both are sound and there is something to compare. */
static inline int bfo_pair_is_sound(const struct bfo_compare *c, uint32_t pair)
{
	return !c->pairs.v[pair].names_only &&
	       !((bfo_pair_inode(c, pair, 0)->state | bfo_pair_inode(c, pair, 1)->state) &
		 BFO_INODE_BAD);
}

#endif
