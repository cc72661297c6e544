/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made.h - trees and targets made by hand, for the parts of the library that know no I/O
 *
 * A made tree is what gathering leaves behind: records ascending by inode number, names with
 * inode numbers in the order in which they were added.  Calls come in this order: inodes (each
 * with its segments), made_seal(), names.
 */
#ifndef UNIT_MADE_H
#define UNIT_MADE_H

#include "plan/filter.h"
#include "plan/plan.h"
#include "unit.h"

#define MADE_LIMIT 1000000	/* inode numbers are below */

struct made {
	struct bfo_context ctx;
	struct bfo_tree tree;
	struct bfo_target target;
	struct bfo_plan plan;
	int planned;
	struct bfo_filter *filter;	/* for made_plan(), or NULL */
};

/* A target of 4 KiB blocks with mke2fs's default features; nothing is free. */
void made_init(struct made *m);
void made_free(struct made *m);

/* Appends a record, which returns as its index; INO must exceed those before. */
bfo_row made_inode(struct made *m, uint32_t ino, uint16_t mode);

/* Appends LEN blocks to the newest record; BLK may have BFO_SEG_UNWRITTEN. */
void made_seg(struct made *m, uint64_t blk, uint32_t lblk, uint32_t len);

/* A regular file of BLOCKS blocks from source block BLK on. */
uint32_t made_file(struct made *m, uint32_t ino, uint64_t blk, uint32_t blocks);

/* An attribute block of the source; returns its index. */
uint32_t made_ea(struct made *m, uint64_t blk);

void made_seal(struct made *m);

/* Name TEXT in directory inode DIR leads to inode INO. */
void made_name(struct made *m, uint32_t dir, const char *text, uint32_t ino);
void made_name_bytes(struct made *m, uint32_t dir, const void *text, size_t len, uint32_t ino);

void made_free_blocks(struct made *m, uint64_t start, uint64_t len);
void made_free_inodes(struct made *m, uint64_t start, uint64_t len);

/* The record of inode number INO. */
struct bfo_inode *made_rec(struct made *m, uint32_t ino);

/*
 * Plans the copy of FROM (N paths) to TO onto a target whose directories are what OLD puts into
 * the tree it is given; once per level.  NULL: a root with lost+found.  Up to the order; the
 * error is returned.
 */
typedef void (*made_old)(struct made *old);
errcode_t made_plan_paths(struct made *m, const char *const *from, size_t n, const char *to,
			  made_old old);
errcode_t made_plan(struct made *m, made_old old);	/* / to / */

/* How many names directory record DIR has, once they are sorted. */
uint32_t made_count(const struct made *m, bfo_row dir);

/* How many names in directories that are copied stand for the record of inode number INO. */
size_t made_names_of(const struct made *m, uint32_t ino);

/* How many findings of KIND there are. */
size_t made_found(const struct made *m, enum bfo_finding_kind kind);

#endif
