/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ea_names.h - names of extended attributes of many inodes, fetched in bulk
 *
 * Attributes stand in the inode, which bfo_stats has, and in a block, which several inodes may
 * share: those of a batch are read each once, in the order of the device.
 *
 * Errors: BFO_ET_DAMAGED, ENOMEM; those of reading (gather/batch.h).
 */
#ifndef BFO_GATHER_EA_NAMES_H
#define BFO_GATHER_EA_NAMES_H

#include "gather/stats.h"
#include "tree/xattr.h"

/* A block, and its names in `text`. */
struct bfo_ea_block {
	uint64_t blk;
	uint64_t at;
	uint32_t names;
	uint32_t bad;		/* an enum bfo_finding_kind; BFO_FOUND_KINDS: it is sound */
};

/*
 * Zeroed, it is an empty one.  What was read lasts until the next read.  With `tree` nothing has to
 * be read.
 */
struct bfo_ea_names {
	BFO_VEC(struct bfo_ea_block) blocks;	/* ascending */
	bfo_chars text;				/* each name behind its length, 2 bytes */
	struct bfo_reader *r;
	const struct bfo_tree *tree;	/* that has the inodes, and attributes as sets; or NULL */
	const bfo_xattrs *given;	/* all that the next inode has; or NULL */
	bfo_xattrs set;				/* of what is looked at */
	/* Those of the inode that was asked for last: */
	bfo_chars names;
	BFO_VEC(size_t) ends;			/* of each in `names` */
};

/* Reads the attribute blocks of all sound inodes in S. */
errcode_t bfo_ea_names_read(struct bfo_ea_names *e, struct bfo_reader *r,
			    const struct bfo_stats *s);

/*
 * Lists the names of ST, which is sound and one of those: in the inode, then in its block.  *BAD is
 * what is wrong with either (an enum bfo_finding_kind; BFO_FOUND_KINDS: nothing); then there may be
 * more.
 */
errcode_t bfo_ea_names_list(struct bfo_ea_names *e, const struct bfo_stat *st, uint32_t *bad);

void bfo_ea_names_free(struct bfo_ea_names *e);

#endif
