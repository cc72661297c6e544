/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * displaced.h - files of a volume that lose names to others, and what they give back
 *
 * A file that loses its last name gives back its inode, its blocks, a reference to its attribute
 * block, and with the last of these that; and references to values of attributes that stand in
 * inodes of their own (feature ea_inode), each of which goes with its last one.
 *
 * Errors: BFO_ET_UNHEALTHY of what cannot be; ENOMEM; those of reading (gather/batch.h).
 */
#ifndef BFO_GATHER_DISPLACED_H
#define BFO_GATHER_DISPLACED_H

#include "base/range.h"

struct bfo_reader;

struct bfo_displaced_inode {
	uint32_t ino;
	uint32_t names;		/* that it loses; a value: references */
	uint32_t values;	/* that it has: its owners are charged for them */
	uint8_t goes;		/* it has no other */
	uint8_t is_value;
	uint8_t unused[2];	/* 0: no byte is left to chance, see plan/digest */
};

/* An attribute block that others have, too. */
struct bfo_displaced_ea {
	uint64_t blk, refs;	/* refs: that it loses */
};

/* A zeroed one is empty. */
struct bfo_displaced {
	BFO_VEC(struct bfo_displaced_inode) inodes;	/* ascending by ino */
	BFO_VEC(struct bfo_displaced_ea) eas;		/* ascending */
	bfo_ranges freed;				/* whole clusters */
};

/*
 * D has ino and names of files, ascending, that are none of the filesystem's own: finds all the
 * rest.
 */
errcode_t bfo_displaced_gather(struct bfo_reader *r, struct bfo_displaced *d);

void bfo_displaced_free(struct bfo_displaced *d);

#endif
