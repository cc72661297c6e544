/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intake.h - trees that come from no volume: what all of them are made of
 *
 *   begin ── [inode ── [segment | content] ]* ── [name]* ── end        then it is a source
 *
 * Such a tree is in the free form: a struct bfo_tree whose attributes are sets already, a shelf
 * with a raw inode per record, and somebody who reads contents.  Its inode numbers are of no
 * filesystem: the root has 2, all others ascend from BFO_INTAKE_FIRST as they come.  So rows are
 * numbers in the same order.
 *
 * Places, which segments begin at, are numbers of blocks below BFO_PLACE_MEMORY, and mean what the
 * intake at hand says.  From there on they are in memory: targets of symbolic links, and small
 * files whose data will not come a second time.
 *
 * Whoever fills it has checked nothing: each call refuses what no ext4 could hold (P8), with
 * BFO_ET_DAMAGED and the reason in ctx->what, or notes a finding.  Further errors: ENOMEM,
 * BFO_ET_OVERFLOW, and those of the shelf's file.
 *
 * Memory: that of the tree (P7), 160 bytes an inode on the shelf, and 16 bytes for each content
 * that is in memory, and its bytes.
 */
#ifndef BFO_INTAKE_INTAKE_H
#define BFO_INTAKE_INTAKE_H

#include "base/shelf.h"
#include "gather/attrs.h"
#include "gather/source.h"
#include "tree/sets.h"
#include "tree/tree.h"

#define BFO_INTAKE_FIRST 12U		/* number of the first inode behind the root */

/* A content in memory. */
struct bfo_kept {
	uint64_t place;			/* its first, from BFO_PLACE_MEMORY on */
	size_t at;			/* in `memory` */
};

struct bfo_intake {
	struct bfo_source source;	/* its ops are of who fills the tree */
	struct bfo_tree *tree;
	struct bfo_sets sets;
	struct bfo_shelf shelf;		/* struct ext2_inode_large, one a row */
	bfo_chars memory;		/* contents, one behind the other */
	BFO_VEC(struct bfo_kept) kept;	/* where each of these is, ascending */
	uint64_t kept_blocks;		/* places that they have */
	bfo_chars scratch;		/* a block for sinks that have no place */
	uint64_t out_of_time;		/* inodes with a time that none can hold */
	uint32_t flags_told;		/* that it may keep, though most trees do not tell them */
	int dereference;		/* each name of a file becomes a file of its own */
};

/*
 * Begins TREE, which is zeroed, with blocks of BLOCK_SIZE bytes, a power of two from 512 to 65536.
 * in->source has to have its ops, ctx and name.
 */
errcode_t bfo_intake_begin(struct bfo_intake *in, struct bfo_tree *tree, uint32_t block_size);

/*
 * Appends an inode with attributes A and extended ones SET, which is sorted here, and may be NULL:
 * *ROW.  The first is the root, a directory.  What no file of that type can have (flags, sizes,
 * devices) is left out.  A file's data follows, as segments or as content.
 */
errcode_t bfo_intake_inode(struct bfo_intake *in, const struct bfo_attrs *a, bfo_xattrs *set,
			   bfo_row *row);

/* The same of a row that was appended before, whose data stays: a later word about it holds. */
errcode_t bfo_intake_change(struct bfo_intake *in, bfo_row row, const struct bfo_attrs *a,
			    bfo_xattrs *set);

/*
 * LEN blocks from PLACE on are the inode's that was appended last, from its logical block LBLK on;
 * UNWRITTEN: they are allocated, and nothing was written to them.  Segments ascend and are apart.
 */
errcode_t bfo_intake_segment(struct bfo_intake *in, uint64_t place, uint64_t lblk, uint64_t len,
			     int unwritten);

/*
 * All data of the inode that was appended last have gone TO where they stay (gather/arrival.h):
 * they are its segments.  Errors of to->end(), too.
 */
errcode_t bfo_intake_arrived(struct bfo_intake *in, const struct bfo_arrival *to);

/*
 * The inode that was appended last, a file whose data are known, also has RANGES, in bytes,
 * ascending and apart: they are allocated, and were never written.  Of a block, or of CLUSTER of
 * them that are given together, that has data, all is data.
 */
errcode_t bfo_intake_unwritten(struct bfo_intake *in, const bfo_ranges *ranges, uint32_t cluster);

/*
 * All of a file's or symbolic link's content, LEN bytes at DATA, is kept in memory: of the inode
 * that was appended last, whose size is LEN.
 */
errcode_t bfo_intake_content(struct bfo_intake *in, const void *data, size_t len);

/*
 * A name of LEN bytes in directory DIR for ROW.  BFO_ET_DAMAGED for one that no directory can have;
 * twice the same is found by the plan.
 */
errcode_t bfo_intake_name(struct bfo_intake *in, bfo_row dir, bfo_row row, const char *name,
			  size_t len);

/*
 * Nothing more comes: the tree is complete.  Links are counted by names; or, with in->dereference,
 * names of what has several get copies of it, which share its data where these come from.
 * BFO_ET_ROOT_DAMAGED if there is no root.
 */
errcode_t bfo_intake_end(struct bfo_intake *in);

/* The row of inode number INO, which is of such a tree, also before it is complete. */
static inline bfo_row bfo_intake_row(uint32_t ino)
{
	return ino == EXT2_ROOT_INO ? 0 : ino - BFO_INTAKE_FIRST + 1;
}

/* The raw inode of ROW. */
static inline struct ext2_inode_large *bfo_intake_raw(const struct bfo_intake *in, bfo_row row)
{
	return bfo_shelf_at(&in->shelf, row);
}

/* S, whose intake this is, is to have each name of a file as a file; before it is gathered. */
void bfo_intake_dereference(struct bfo_source *s);

/* The target of ROW, a symbolic link that is complete: as many bytes as its size. */
const char *bfo_intake_target(const struct bfo_intake *in, bfo_row row);

/* For ops->inodes: hands out what is on the shelf. */
errcode_t bfo_intake_inodes(struct bfo_source *s, const uint32_t *inos, size_t n,
			    bfo_take_inode take, bfo_lose_inodes lose, void *priv);

/*
 * For ops->read: hands out of NODES, sorted, those that are in memory, which are the last ones; *N
 * becomes how many are left.
 */
errcode_t bfo_intake_read_memory(struct bfo_intake *in, const struct bfo_node *nodes, size_t *n,
				 const struct bfo_sink *sink);

/*
 * Where COUNT blocks of NODE from its block AT on are to be read to: the sink's place, or scratch.
 * NULL: ENOMEM.
 */
void *bfo_intake_place(struct bfo_intake *in, const struct bfo_node *node, uint32_t at,
		       uint32_t count, const struct bfo_sink *sink);

/* Frees all but the tree.  Also of one that was zeroed. */
void bfo_intake_free(struct bfo_intake *in);

#endif
