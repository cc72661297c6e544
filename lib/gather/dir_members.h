/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dir_members.h - what composite files hold in a few directories: for who lists these, or looks for
 * a name that is not there
 *
 *   directories ── names ── inodes of files: immutable? ── tree of all that matters ── members
 *
 * Errors: ENOMEM, and those of reading (gather/batch.h).
 */
#ifndef BFO_GATHER_DIR_MEMBERS_H
#define BFO_GATHER_DIR_MEMBERS_H

#include "gather/unpacked.h"

/*
 * TREE, which is zeroed, gets directories DIRS and inodes INOS, numbers which both ascend, and,
 * with their names, what may be composite files in these directories.  U, which was begun of a
 * source of R, sees their members.  *ANY is 0, and TREE as it was, if there can be none.
 *
 * Memory: 4 bytes per file of these directories, beside the tree, which for a while also has the
 * names of all.
 */
errcode_t bfo_dir_members(struct bfo_reader *r, struct bfo_tree *tree, const bfo_numbers *dirs,
			  const bfo_numbers *inos, struct bfo_unpacked *u, int *any);

/* A name that is looked for in one of these directories. */
struct bfo_member_sought {
	uint32_t dir;			/* inode number */
	const char *name;
	uint32_t len;
	uint32_t index;			/* the caller's */
	uint32_t ino;			/* the member, a number of the tree; 0: there is none */
};

/* True if composite file INO (0: one of all) is one whose members cannot be seen: a finding. */
int bfo_dir_members_lack(const struct bfo_tree *tree, uint32_t ino);

/* Looks for N of them among the members in TREE.  SOUGHT is sorted anew. */
void bfo_dir_members_find(const struct bfo_tree *tree, struct bfo_member_sought *sought, size_t n);

#endif
