/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * composites.h - composite files of a gathered volume, whose members become files of the tree
 *
 *   immutable files ── headers ── tables ── names ── clashes ── records, names, places
 *
 * All is in the order of the device: a block of each immutable file, and then the table of each
 * that begins as a composite file.  One that is damaged, or written by a newer version, or whose
 * members cannot be files of its directory, is a finding, and stays the file that it is.
 *
 * Members get numbers behind all inodes of the volume, and places from BFO_PLACE_MEMORY on: those
 * of contents ascend as the composite files lie on the volume; from BFO_PLACE_MEMBER_EA on, a place
 * for each member is that of a block of attributes, if it has one.
 *
 * Memory: the tables; beside what a file has in the tree, 28 bytes per member; and, for a while, 24
 * per name of the directories of composite files, and of their members.
 *
 * Errors: ENOMEM, and those of reading (gather/batch.h).
 */
#ifndef BFO_GATHER_COMPOSITES_H
#define BFO_GATHER_COMPOSITES_H

#include "gather/source.h"
#include "pack/composite.h"
#include "tree/tree.h"
#include "tree/xattr.h"

#define BFO_PLACE_MEMBER_EA (BFO_PLACE_MEMORY | 1ULL << 61)

/* A composite file whose members are in the tree. */
struct bfo_found_composite {
	uint64_t place;			/* its first block */
	bfo_row row;
	uint32_t ino;
	uint32_t names;			/* how many it has */
	uint32_t name;			/* one of them, in names[]; in the end: its directory */
	uint32_t first;			/* index of its first member */
	uint32_t uid, gid, project;	/* of all members */
	int is_refused;
	struct bfo_composite_head head;
	struct bfo_composite c;
	uint8_t *table;
	char *whole;			/* all of it, if it stands in its inode; or NULL */
};

/* Zeroed: there are none. */
struct bfo_composites {
	BFO_VEC(struct bfo_found_composite *) v;	/* ascending by their first members */
	BFO_VEC(uint64_t) starts;	/* of each member: the place of its content */
	bfo_xattrs set;			/* scratch */
	bfo_chars inside;
};

/* Puts members of composite files in TREE, which SOURCE, a volume, has gathered. */
errcode_t bfo_composites_find(struct bfo_composites *all, struct bfo_source *source,
			      struct bfo_tree *tree);

/* *M: member number I of all; of the composite file that is returned. */
struct bfo_found_composite *bfo_composites_of(const struct bfo_composites *all, uint32_t i,
					      struct bfo_composite_member *m);

/* The member to whose content PLACE belongs. */
uint32_t bfo_composites_at(const struct bfo_composites *all, uint64_t place);

/* RAW, of INODE_SIZE bytes, becomes an inode that says what member I does. */
errcode_t bfo_composites_inode(struct bfo_composites *all, uint32_t i, void *raw,
			       uint32_t inode_size, uint32_t block_size);

/* BLOCK becomes that of the attributes of member I that its inode has no room for. */
errcode_t bfo_composites_ea(struct bfo_composites *all, uint32_t i, void *block,
			    uint32_t inode_size, uint32_t block_size);

void bfo_composites_free(struct bfo_composites *all);

/* ---- parts, for the files above ---- */

/*
 * RAW becomes an inode that says what M, a member of X, does; all->set has its attributes,
 * all->inside those that stand in it.  *MORE: as bfo_xattrs_split() says.
 */
errcode_t bfo_composites_make(struct bfo_composites *all, const struct bfo_found_composite *x,
			      const struct bfo_composite_member *m, void *raw,
			      uint32_t inode_size, uint32_t block_size, int *more);

void bfo_found_composite_free(struct bfo_found_composite *x);

#endif
