/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merged.h - what has become of directories that exist on both sides
 *
 * For plans of trees made by hand (made.h).  The source's inodes are 2 and some from 20 on, the
 * target's 2, 11 and some from 100 on.
 */
#ifndef UNIT_MERGED_H
#define UNIT_MERGED_H

#include "made.h"

#define ROOT EXT2_ROOT_INO

/* Appends to a target's tree a directory of one block, 1,000 + INO. */
struct bfo_inode *made_old_dir(struct made *old, uint32_t ino, uint32_t links);

/* The name TEXT in directory record DIR as it will stand in the target, or NULL; only one. */
const struct bfo_name *merged_name(const struct made *m, bfo_row dir, const char *text);

/* How many names source directory INO has, as they will stand in the target. */
uint32_t merged_count(const struct made *m, uint32_t ino);

/* TEXT in source directory DIR must be the target's own: leads to its inode INO of type TYPE. */
void merged_fixed(const struct made *m, uint32_t dir, const char *text, uint32_t ino,
		  uint32_t type);

/* TEXT in source directory DIR must be new: leads to what is source inode INO. */
void merged_new(const struct made *m, uint32_t dir, const char *text, uint32_t ino);

/* The target's directory INO must be merged with source inode FROM, and gain so many names. */
struct bfo_merged *merged_dir(struct made *m, uint32_t ino, uint32_t from, uint32_t gained);

#endif
